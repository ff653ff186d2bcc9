"""Several packs made one: what a later pack says of an id stands, in whatever order its rules come."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import orjson
from pydantic import TypeAdapter

from backend.articles.model import Pack, Rule
from backend.entities.model import LANGUAGES, Entity, Language

_ENTITIES = TypeAdapter(tuple[Entity, ...])
_RULES = TypeAdapter(tuple[Rule, ...])


@dataclass(frozen=True, slots=True)
class Combined:
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


def combine(packs: Sequence[Pack]) -> Combined:
    """Raises ``ValueError`` where a rule names an entity that no pack has."""
    entities: dict[str, Entity] = {}
    rules: dict[str, Rule] = {}
    words: dict[Language, set[str]] = {language: set() for language in LANGUAGES}
    off: set[str] = set()
    on: set[str] = set()
    for pack in packs:
        entities.update((entity.id, entity) for entity in pack.entities)
        rules.update((rule.id, rule) for rule in pack.rules)
        for language, listed in pack.context_words.items():
            words[language].update(listed)
        off = (off - set(pack.enable)) | set(pack.disable)
        on = (on | set(pack.enable)) - set(pack.disable)
    _refuse_strangers(rules.values(), entities)
    return Combined(
        entities={key: entities[key] for key in sorted(entities.keys() - off)},
        rules={key: rules[key] for key in sorted(rules) if _is_on(rules[key], on, off)},
        context_words={language: tuple(sorted(listed)) for language, listed in words.items()},
        disabled=frozenset(off),
    )


def _is_on(rule: Rule, on: set[str], off: set[str]) -> bool:
    return (rule.enabled or rule.id in on) and rule.id not in off and rule.entity not in off


def _refuse_strangers(rules: Iterable[Rule], entities: dict[str, Entity]) -> None:
    for rule in rules:
        if rule.entity is not None and rule.entity not in entities:
            raise ValueError(f"Rule {rule.id} is about {rule.entity}, but no pack has such an entity.")
        if rule.entity is None and (rule.suggest == "auto" or rule.first_mention):
            raise ValueError(f"Rule {rule.id} needs an entity whose name it can suggest.")
