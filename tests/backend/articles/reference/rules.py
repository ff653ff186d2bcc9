"""What the rules of a pack mean."""

from collections.abc import Iterator

from backend.articles.model import Pack, Pattern, Rule
from backend.entities.model import Language
from tests.backend.articles.reference.places import Place, alike, bounded, even
from tests.backend.articles.reference.sense import (
    Condition,
    Sense,
    exactly,
    is_telling,
    names_of,
    patterns_of,
)

SEVERITY = {"error": 0, "warning": 1, "info": 2}


def rule_senses(pack: Pack, rule: Rule, language: Language) -> Iterator[Sense]:
    for pattern in patterns_of(rule):
        yield from _pattern(pack, rule, pattern, language)
    loose = rule.boundary == "none" or any(p.boundary == "none" for p in patterns_of(rule))
    for text in suggested(pack, rule, language):
        if any(alike(p.text) in alike(text) and alike(p.text) != alike(text) for p in patterns_of(rule)):
            shield = exactly(text, "none" if loose else rule.boundary)
            yield Sense((9, True, 0, 0, ""), text, None, None, False, None, shield)


def suggested(pack: Pack, rule: Rule, language: Language) -> tuple[str, ...]:
    entities = {entity.id: entity for entity in pack.entities}
    if isinstance(rule.suggest, tuple):
        return rule.suggest
    if isinstance(rule.suggest, dict):
        if language in rule.suggest:
            return (rule.suggest[language],)
        if rule.entity:
            return (entities[rule.entity].name(language),)
        return (rule.suggest.get("en") or next(iter(rule.suggest.values())),)
    if rule.suggest == "auto":
        return (entities[rule.entity or ""].name(language),)
    return (rule.suggest,)


def _pattern(pack: Pack, rule: Rule, pattern: Pattern, language: Language) -> Iterator[Sense]:
    entity = next((each for each in pack.entities if each.id == rule.entity), None)
    single = None if isinstance(rule.suggest, tuple) else suggested(pack, rule, language)[0]
    exact = (pattern.case or rule.case) == "exact"

    def near(place: Place) -> bool:
        return (
            bounded(place, pattern.text, pattern.boundary or rule.boundary)
            and not alike(place.after).startswith(tuple(map(alike, pattern.not_before)))
            and not alike(place.before).endswith(tuple(map(alike, pattern.not_after)))
        )

    def verbatim(place: Place) -> bool:
        return near(place) and even(place.written) == even(pattern.text)

    fits = verbatim if exact else near
    tells = fits if entity is not None and is_telling(entity) and not rule.context else None

    def sense(kind: int, condition: Condition) -> Sense:
        rank = (kind, not rule.context, SEVERITY[rule.severity], 0, rule.id, even(pattern.text))
        what = (pattern.text, rule.entity, rule.id, rule.auto_fix, single)
        return Sense(rank, *what, condition, rule.context, tells, raw=pattern.text)

    yield sense(4, fits)
    if _is_right_name(pack, pattern.text, rule.entity):
        yield sense(0, verbatim)


def _is_right_name(pack: Pack, text: str, about: str | None) -> bool:
    entities = [entity for entity in pack.entities if about in (None, entity.id)]
    return any(even(text) == even(n) for e in entities for n in (*names_of(e), *e.symbols))
