"""Several packs made one, laid over each other: what a later pack says of an id stands."""

import hashlib
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

import orjson
from pydantic import TypeAdapter

from backend.articles.model import Pack, Rule
from backend.entities.model import LANGUAGES, Entity, Language

_ENTITIES = TypeAdapter(tuple[Entity, ...])
_RULES = TypeAdapter(tuple[Rule, ...])
_ID = attrgetter("id")


@dataclass(frozen=True, slots=True)
class MergedPacks:
    """The entities and the enabled rules of all packs, each sorted by id."""

    entities: dict[str, Entity]
    rules: dict[str, Rule]
    context_words: dict[Language, tuple[str, ...]]
    disabled: frozenset[str]

    def version(self) -> str:
        """A hash of all that matching depends on, the same however it was spread over packs."""
        parts = (
            _ENTITIES.dump_json(tuple(self.entities.values())),
            _RULES.dump_json(tuple(self.rules.values()), exclude={"__all__": {"specs"}}),
            orjson.dumps(self.context_words, option=orjson.OPT_SORT_KEYS),
            orjson.dumps(sorted(self.disabled)),
        )
        return hashlib.blake2b(b"\n".join(parts), digest_size=16).hexdigest()


def combine(packs: Sequence[Pack]) -> MergedPacks:
    """Raises ``ValueError`` where a rule names an entity that no pack has."""
    rules = {rule.id: rule for pack in packs for rule in pack.rules}
    _refuse_strangers(rules.values(), {entity.id for pack in packs for entity in pack.entities})
    whole = merge_packs(packs)
    return MergedPacks(
        entities={entity.id: entity for entity in sorted(whole.entities, key=_ID)},
        rules={rule.id: rule for rule in sorted(whole.rules, key=_ID) if rule.enabled},
        context_words={
            language: tuple(sorted(whole.context_words.get(language, ()))) for language in LANGUAGES
        },
        disabled=frozenset(whole.disable),
    )


def merge_packs(packs: Iterable[Pack]) -> Pack:
    """One pack with what stands of all of them.

    An entity or rule with a known id replaces the earlier one. ``disable`` takes away an entity with the
    rules about it, and switches a rule off; ``enable`` undoes either. Ids of derived rules stay listed in
    ``disable``.
    """
    entities: dict[str, Entity] = {}
    rules: dict[str, Rule] = {}
    words: dict[Language, tuple[str, ...]] = {}
    disabled: dict[str, None] = {}
    for pack in packs:
        for entity in pack.entities:
            entities[entity.id] = entity
            disabled.pop(entity.id, None)
        for rule in pack.rules:
            rules[rule.id] = rule
            disabled.pop(rule.id, None)
        for language, more in pack.context_words.items():
            words[language] = tuple(dict.fromkeys((*words.get(language, ()), *more)))
        for given in pack.disable:
            disabled[given] = None
        for given in pack.enable:
            disabled.pop(given, None)
            if given in rules:
                rules[given] = rules[given].model_copy(update={"enabled": True})
    standing = {key: entity for key, entity in entities.items() if key not in disabled}
    return Pack(
        version=1,
        entities=tuple(standing.values()),
        rules=tuple(
            rule.model_copy(update={"enabled": False}) if rule.id in disabled else rule
            for rule in rules.values()
            if rule.entity is None or rule.entity in standing
        ),
        context_words=words,
        disable=tuple(given for given in disabled if given not in entities and given not in rules),
    )


def _refuse_strangers(rules: Iterable[Rule], entities: Container[str]) -> None:
    for rule in rules:
        if rule.entity is not None and rule.entity not in entities:
            raise ValueError(f"Rule {rule.id} is about {rule.entity}, but no pack has such an entity.")
        if rule.entity is None and (rule.suggest == "auto" or rule.first_mention):
            raise ValueError(f"Rule {rule.id} needs an entity whose name it can suggest.")
