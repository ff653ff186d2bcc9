"""Lists the meanings of the patterns and suggestions of rules."""

from collections.abc import Iterator

from backend.articles.matching.neighbours import is_in_hyphenated_identifier
from backend.articles.model import Pack, Pattern, Rule
from backend.articles.text.scripts import choose_same_script
from backend.entities.model import LANGUAGES, Language
from tests.backend.articles.reference.meaning import (
    Condition,
    Meaning,
    is_unconditional_evidence,
    list_names,
    list_patterns,
    matches_exactly,
)
from tests.backend.articles.reference.spans import TextSpan, fold, has_boundaries, normalise

SEVERITY = {"error": 0, "warning": 1, "info": 2}


def list_rule_meanings(pack: Pack, rule: Rule, language: Language) -> Iterator[Meaning]:
    for pattern in list_patterns(rule):
        yield from _pattern_meanings(pack, rule, pattern, language)
    has_no_boundary = rule.boundary == "none" or any(p.boundary == "none" for p in list_patterns(rule))
    for text in list_suggestions(pack, rule, language):
        if any(fold(p.text) in fold(text) and fold(p.text) != fold(text) for p in list_patterns(rule)):
            matches_suggestion = matches_exactly(text, "none" if has_no_boundary else rule.boundary)
            yield Meaning((9, True, 0, 0, ""), text, None, None, False, None, matches_suggestion)


def list_suggestions(pack: Pack, rule: Rule, language: Language) -> tuple[str, ...]:
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


def _pattern_meanings(pack: Pack, rule: Rule, pattern: Pattern, language: Language) -> Iterator[Meaning]:
    entity = next((each for each in pack.entities if each.id == rule.entity), None)
    single, auto_fix = _suggest(pack, rule, pattern.text, language)
    exact = (pattern.case or rule.case) == "exact"

    def has_word_boundaries(span: TextSpan) -> bool:
        return (
            not is_in_hyphenated_identifier(span.text, span.start, span.end)
            and has_boundaries(span, pattern.text, pattern.boundary or rule.boundary)
            and not fold(span.after).startswith(tuple(map(fold, pattern.not_before)))
            and not fold(span.before).endswith(tuple(map(fold, pattern.not_after)))
        )

    def matches_exactly(span: TextSpan) -> bool:
        return has_word_boundaries(span) and normalise(span.matched) == normalise(pattern.text)

    matches = matches_exactly if exact else has_word_boundaries
    is_evidence = (
        matches if entity is not None and is_unconditional_evidence(entity) and not rule.context else None
    )

    def meaning(kind: int, condition: Condition) -> Meaning:
        rank = (kind, not rule.context, SEVERITY[rule.severity], 0, rule.id, normalise(pattern.text))
        fields = (pattern.text, rule.entity, rule.id, auto_fix, single)
        return Meaning(rank, *fields, condition, rule.context, is_evidence, name=pattern.text)

    yield meaning(4, matches)
    if _is_correct_name(pack, pattern.text, rule.entity):
        yield meaning(0, matches_exactly)


def _suggest(pack: Pack, rule: Rule, wrong: str, language: Language) -> tuple[str | None, bool]:
    """The suggestion in the script of ``wrong``, and whether it may be applied without approval."""
    if isinstance(rule.suggest, tuple):
        return None, rule.auto_fix
    suggested = list_suggestions(pack, rule, language)[0]
    if isinstance(rule.suggest, str) and rule.suggest != "auto":
        return suggested, rule.auto_fix
    entities = [entity for entity in pack.entities if entity.id == rule.entity]
    names = list(rule.suggest.values()) if isinstance(rule.suggest, dict) else []
    names += [name for entity in entities for name in entity.names.values()]
    others = [name for entity in entities for listed in entity.also.values() for name in listed]
    if normalise(wrong) in map(normalise, names + others):
        return suggested, rule.auto_fix
    chosen = {
        each: choose_same_script(wrong, list_suggestions(pack, rule, each)[0], names, others)
        for each in LANGUAGES
    }
    return chosen[language][0], rule.auto_fix and all(same for _, same in chosen.values())


def _is_correct_name(pack: Pack, text: str, about: str | None) -> bool:
    entities = [entity for entity in pack.entities if about in (None, entity.id)]
    return any(normalise(text) == normalise(n) for e in entities for n in (*list_names(e), *e.symbols))
