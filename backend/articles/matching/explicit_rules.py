"""Meanings of explicit rules: their wrong forms, what they suggest, and how a first mention looks."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from backend.articles.matching.derived_rules import Surfaces, is_telling
from backend.articles.matching.meanings import CompiledRule, Form, Kind, Meaning, scope_bit
from backend.articles.model import Boundary, FieldName, Pattern, Rule
from backend.articles.text.boundaries import edges
from backend.articles.text.folding import fold, plain
from backend.entities.model import LANGUAGES, Entity, Language


@dataclass(frozen=True, slots=True)
class FirstMention:
    """How an entity should be written where a field first names it."""

    rule: CompiledRule
    entity: str
    form: str
    scope: int


def compiled(rule: Rule) -> CompiledRule:
    return CompiledRule(rule.id, rule.entity, rule.type, rule.severity, rule.auto_fix, False, rule)


def add_rule(rule: CompiledRule, entities: Mapping[str, Entity], surfaces: Surfaces) -> None:
    """Adds the surfaces of an explicit rule, and those suggestions that hold one as shields against it."""
    source = rule.rule
    entity = entities[rule.entity] if rule.entity else None
    scope = _scope(source.fields, source.languages)
    suggested = _suggestions(source, entity)
    single = None if isinstance(source.suggest, tuple) else tuple(suggested[lang][0] for lang in LANGUAGES)
    loose = source.boundary == "none"
    wrongs: set[str] = set()
    for given in source.match:
        pattern = given if isinstance(given, Pattern) else Pattern(text=given)
        surface = fold(pattern.text).text
        wrongs.add(surface)
        boundary = pattern.boundary or source.boundary
        loose = loose or boundary == "none"
        left, right = edges(surface, boundary)
        exact = (pattern.case or source.case) == "exact"
        meaning = Meaning(
            kind=Kind.WRONG,
            entity=rule.entity,
            rule=rule,
            form=Form.EXACT_ANY_WIDTH if exact else Form.ANY,
            exact=plain(pattern.text),
            scope=scope,
            left=left,
            right=right,
            not_before=_folded(pattern.not_before),
            not_after=_folded(pattern.not_after),
            context=source.context,
            evidence=not source.context and entity is not None and is_telling(entity),
            suggestions=single,
            raw=pattern.text,
        )
        surfaces[surface].append(meaning)
        if _forbids_right_name(meaning, surfaces[surface]):
            overruled = meaning._replace(kind=Kind.OVERRULED, form=Form.EXACT_ANY_WIDTH)
            surfaces[surface].append(overruled)
    _add_shields(source, suggested, wrongs, "none" if loose else source.boundary, surfaces)


def _add_shields(
    rule: Rule,
    suggested: Mapping[Language, tuple[str, ...]],
    wrongs: set[str],
    boundary: Boundary,
    surfaces: Surfaces,
) -> None:
    """Shields those suggestions that hold a wrong form: サーバー must not become サーバーー."""
    languages: dict[str, list[Language]] = {}
    for language in rule.languages:
        for text in suggested[language]:
            languages.setdefault(text, []).append(language)
    for text, listed in languages.items():
        surface = fold(text).text
        if not any(wrong in surface and wrong != surface for wrong in wrongs):
            continue
        left, right = edges(surface, boundary)
        surfaces[surface].append(
            Meaning(
                kind=Kind.SHIELD,
                entity=None,
                form=Form.EXACT,
                exact=plain(text),
                scope=_scope(rule.fields, tuple(listed)),
                left=left,
                right=right,
            )
        )


def _forbids_right_name(wrong: Meaning, meanings: list[Meaning]) -> bool:
    """Whether a rule says of its own entity's right name, in that very form, that it is wrong."""
    return any(
        other.kind in (Kind.NAME, Kind.SYMBOL) and other.form is Form.EXACT and other.exact == wrong.exact
        for other in meanings
        if wrong.entity in (None, other.entity)
    )


def _suggestions(rule: Rule, entity: Entity | None) -> dict[Language, tuple[str, ...]]:
    """What the rule suggests in each language; several where it leaves the choice open."""
    suggest = rule.suggest
    if isinstance(suggest, tuple):
        return dict.fromkeys(LANGUAGES, suggest)
    if isinstance(suggest, dict):
        fallback = suggest.get("en") or next(iter(suggest.values()))
        return {
            language: (suggest.get(language) or (entity.name(language) if entity else fallback),)
            for language in LANGUAGES
        }
    if suggest == "auto" and entity is not None:
        return {language: (entity.name(language),) for language in LANGUAGES}
    return dict.fromkeys(LANGUAGES, (suggest,))


def first_mentions(
    rule: CompiledRule, entities: Mapping[str, Entity], surfaces: Surfaces
) -> list[FirstMention]:
    """Adds the forms of a first mention to the surfaces; one result for each language that has one."""
    found = []
    for language, template in (rule.rule.first_mention or {}).items():
        if rule.entity is None or language not in rule.rule.languages:
            continue
        entity = entities[rule.entity]
        form = _filled(template, entity, language)
        # Tags hold keywords, where a name with its symbol in brackets would be out of place.
        scope = _scope(tuple(field for field in rule.rule.fields if field != "tags"), (language,))
        left, right = edges(fold(form).text, "auto")
        surfaces[fold(form).text].append(
            Meaning(
                kind=Kind.FIRST_MENTION,
                entity=rule.entity,
                scope=scope,
                left=left,
                right=right,
                evidence=is_telling(entity),
            )
        )
        found.append(FirstMention(rule, rule.entity, form, scope))
    return found


def _filled(template: str, entity: Entity, language: Language) -> str:
    """``template`` with the entity's name and first symbol. Raises ``ValueError`` where it has none."""
    if "{symbol}" in template and not entity.symbols:
        raise ValueError(f"{entity.id} has no symbol for its first mention as {template}.")
    symbol = entity.symbols[0] if entity.symbols else ""
    return template.replace("{name}", entity.name(language)).replace("{symbol}", symbol)


@cache
def _scope(fields: tuple[FieldName, ...], languages: tuple[Language, ...]) -> int:
    return sum(scope_bit(language, field) for language in set(languages) for field in set(fields))


def _folded(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(fold(text).text for text in texts)
