"""Packs laid over each other: what stands in the end."""

from collections.abc import Iterable

from backend.articles.model import Pack, Rule
from backend.entities.model import Entity, Language


def merged(packs: Iterable[Pack]) -> Pack:
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
