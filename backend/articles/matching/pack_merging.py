"""Merges several packs into one; a later pack replaces the entries of an earlier one."""

import hashlib
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

import orjson
from pydantic import TypeAdapter

from backend.articles.model import Pack, Rule
from backend.articles.text.folding import fold
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
    unused_forms: frozenset[str]
    """The folded wrong forms of rules that are switched off."""

    def version(self) -> str:
        """Return a hash of all content that matching depends on, however it is spread over packs."""
        parts = (
            _ENTITIES.dump_json(tuple(self.entities.values())),
            _RULES.dump_json(tuple(self.rules.values()), exclude={"__all__": {"specs"}}),
            orjson.dumps(self.context_words, option=orjson.OPT_SORT_KEYS),
            orjson.dumps(sorted(self.disabled)),
            orjson.dumps(sorted(self.unused_forms)),
        )
        return hashlib.blake2b(b"\n".join(parts), digest_size=16).hexdigest()


def build_merged_packs(packs: Sequence[Pack]) -> MergedPacks:
    """Merge packs. Raises ``ValueError`` if a rule names an entity that no pack has."""
    rules = {rule.id: rule for pack in packs for rule in pack.rules}
    _check_rule_entities(rules.values(), {entity.id for pack in packs for entity in pack.entities})
    merged = merge_packs(packs)
    return MergedPacks(
        entities={entity.id: entity for entity in sorted(merged.entities, key=_ID)},
        rules={rule.id: rule for rule in sorted(merged.rules, key=_ID) if rule.enabled},
        context_words={
            language: tuple(sorted(merged.context_words.get(language, ()))) for language in LANGUAGES
        },
        disabled=frozenset(merged.disable),
        unused_forms=frozenset(
            fold(form if isinstance(form, str) else form.text).text
            for rule in merged.rules
            if not rule.enabled
            for form in rule.match
        ),
    )


def merge_packs(packs: Iterable[Pack]) -> Pack:
    """Merge packs into one pack with the entries that remain.

    An entity or rule with a known id replaces the earlier one. ``disable`` removes an entity with the
    rules about it, or disables a rule; ``enable`` undoes either. Ids of derived rules stay listed in
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
        for language, added_words in pack.context_words.items():
            words[language] = tuple(dict.fromkeys((*words.get(language, ()), *added_words)))
        for listed_id in pack.disable:
            disabled[listed_id] = None
        for listed_id in pack.enable:
            disabled.pop(listed_id, None)
            if listed_id in rules:
                rules[listed_id] = rules[listed_id].model_copy(update={"enabled": True})
    active_entities = {key: entity for key, entity in entities.items() if key not in disabled}
    return Pack(
        version=1,
        entities=tuple(active_entities.values()),
        rules=tuple(
            rule.model_copy(update={"enabled": False}) if rule.id in disabled else rule
            for rule in rules.values()
            if rule.entity is None or rule.entity in active_entities
        ),
        context_words=words,
        disable=tuple(
            listed_id for listed_id in disabled if listed_id not in entities and listed_id not in rules
        ),
    )


def _check_rule_entities(rules: Iterable[Rule], entities: Container[str]) -> None:
    for rule in rules:
        if rule.entity is not None and rule.entity not in entities:
            raise ValueError(f"Rule {rule.id} is about {rule.entity}, but no pack has such an entity.")
        if rule.entity is None and (rule.suggest == "auto" or rule.first_mention):
            raise ValueError(f"Rule {rule.id} needs an entity whose name it can suggest.")
