"""Meanings of explicit rules: their wrong forms, what they suggest, and how a first mention looks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from backend.articles.matching.derived_rules import Surfaces, is_field_evidence
from backend.articles.matching.meanings import CompiledRule, Form, Kind, Meaning, scope_bit
from backend.articles.model import Boundary, FieldName, Pattern, Rule
from backend.articles.text.boundaries import edges
from backend.articles.text.folding import fold, plain
from backend.articles.text.scripts import choose_same_script
from backend.entities.model import LANGUAGES, Entity, Language

MIN_COUNTABLE_CHARS = 5
"""Letters from which a name may have a plural; shorter ones are tickers or words."""


@dataclass(frozen=True, slots=True)
class FirstMention:
    """How an entity should be written where a field first names it."""

    rule: CompiledRule
    entity: str
    form: str
    scope: int


def compile_rule(rule: Rule) -> CompiledRule:
    return CompiledRule(rule.id, rule.entity, rule.type, rule.severity, rule.auto_fix, False, rule)


def add_rule(
    rule: CompiledRule, entities: Mapping[str, Entity], surfaces: Surfaces, plurals: Surfaces
) -> None:
    """Adds the surfaces of an explicit rule, and those suggestions that hold one as shields against it.

    ``plurals`` gathers the plurals of its wrong forms, which count where nothing else has their surface.
    """
    source = rule.rule
    entity = entities[rule.entity] if rule.entity else None
    scope = _compute_scope(source.fields, source.languages)
    suggested = _list_suggestions(source, entity)
    is_loose = source.boundary == "none"
    wrong_forms: set[str] = set()
    for entry in source.match:
        pattern = entry if isinstance(entry, Pattern) else Pattern(text=entry)
        surface = fold(pattern.text).text
        wrong_forms.add(surface)
        boundary = pattern.boundary or source.boundary
        is_loose = is_loose or boundary == "none"
        left, right = edges(surface, boundary)
        exact = (pattern.case or source.case) == "exact"
        single, in_own_script = _suggest_in_own_script(source, pattern.text, suggested, entity)
        meaning = Meaning(
            kind=Kind.WRONG,
            entity=rule.entity,
            rule=rule if in_own_script else replace(rule, auto_fix=False),
            form=Form.EXACT_ANY_WIDTH if exact else Form.ANY,
            exact=plain(pattern.text),
            scope=scope,
            left=left,
            right=right,
            not_before=_fold_all(pattern.not_before),
            not_after=_fold_all(pattern.not_after),
            context=source.context,
            evidence=not source.context and entity is not None and is_field_evidence(entity),
            suggestions=single,
            raw=pattern.text,
        )
        surfaces[surface].append(meaning)
        if _has_plural(meaning, source):
            plurals[surface + "s"].append(_in_plural(meaning))
        if _forbids_right_name(meaning, surfaces[surface]):
            overruled = meaning._replace(kind=Kind.OVERRULED, form=Form.EXACT_ANY_WIDTH)
            surfaces[surface].append(overruled)
    _add_shields(source, suggested, wrong_forms, "none" if is_loose else source.boundary, surfaces)


def _has_plural(meaning: Meaning, rule: Rule) -> bool:
    """Whether a wrong form of a name is wrong in the plural too (Etheriums): both are one Latin word."""
    names = (meaning.raw, *(name or "" for name in meaning.suggestions or ("",)))
    return rule.entity is not None and meaning.right != 0 and all(map(_is_countable, names))


def _is_countable(name: str) -> bool:
    return len(name) >= MIN_COUNTABLE_CHARS and name.isascii() and name.isalpha() and name[-1] not in "sS"


def _in_plural(meaning: Meaning) -> Meaning:
    return meaning._replace(
        exact=meaning.exact + "s",
        raw=meaning.raw + "s",
        suggestions=tuple(f"{name}s" for name in meaning.suggestions or ()),
    )


def _add_shields(
    rule: Rule,
    suggested: Mapping[Language, tuple[str, ...]],
    wrong_forms: set[str],
    boundary: Boundary,
    surfaces: Surfaces,
) -> None:
    """Shields those suggestions that hold a wrong form: サーバー must not become サーバーー."""
    languages: dict[str, list[Language]] = {}
    for language in rule.languages:
        for text in suggested[language]:
            languages.setdefault(text, []).append(language)
    for text, text_languages in languages.items():
        surface = fold(text).text
        if not any(wrong in surface and wrong != surface for wrong in wrong_forms):
            continue
        left, right = edges(surface, boundary)
        surfaces[surface].append(
            Meaning(
                kind=Kind.SHIELD,
                entity=None,
                form=Form.EXACT,
                exact=plain(text),
                scope=_compute_scope(rule.fields, tuple(text_languages)),
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


def _list_suggestions(rule: Rule, entity: Entity | None) -> dict[Language, tuple[str, ...]]:
    """Return the suggestions of the rule in each language; several if it leaves the choice open."""
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


def _suggest_in_own_script(
    rule: Rule, wrong: str, suggested: Mapping[Language, tuple[str, ...]], entity: Entity | None
) -> tuple[tuple[str, ...] | None, bool]:
    """Return the single suggestion for ``wrong`` in each language, and whether all keep its script.

    A Latin slip in a Japanese sentence stays Latin. A rule that names its suggestion for every language, or
    that forbids the entity's own name in this script, means another script on purpose.
    """
    if isinstance(rule.suggest, tuple):
        return None, True
    single = tuple(suggested[language][0] for language in LANGUAGES)
    if rule.suggest != "auto" and not isinstance(rule.suggest, dict):
        return single, True
    canonical = [*rule.suggest.values()] if isinstance(rule.suggest, dict) else []
    canonical += entity.names.values() if entity else []
    other_names = [name for names in entity.also.values() for name in names] if entity else []
    if any(plain(name) == plain(wrong) for name in (*canonical, *other_names)):
        return single, True
    chosen = [choose_same_script(wrong, right, canonical, other_names) for right in single]
    return tuple(name for name, _ in chosen), all(keeps_script for _, keeps_script in chosen)


def add_first_mentions(
    rule: CompiledRule, entities: Mapping[str, Entity], surfaces: Surfaces
) -> list[FirstMention]:
    """Add the forms of a first mention to the surfaces; return one result per language that has one."""
    mentions = []
    for language, template in (rule.rule.first_mention or {}).items():
        if rule.entity is None or language not in rule.rule.languages:
            continue
        entity = entities[rule.entity]
        form = _fill_template(template, entity, language)
        # Tags hold keywords, where a name with its symbol in brackets would be out of place.
        scope = _compute_scope(tuple(field for field in rule.rule.fields if field != "tags"), (language,))
        left, right = edges(fold(form).text, "auto")
        surfaces[fold(form).text].append(
            Meaning(
                kind=Kind.FIRST_MENTION,
                entity=rule.entity,
                scope=scope,
                left=left,
                right=right,
                evidence=is_field_evidence(entity),
            )
        )
        mentions.append(FirstMention(rule, rule.entity, form, scope))
    return mentions


def _fill_template(template: str, entity: Entity, language: Language) -> str:
    """Fill in the name and the first symbol of ``entity``. Raises ``ValueError`` if it has no symbol."""
    if "{symbol}" in template and not entity.symbols:
        raise ValueError(f"{entity.id} has no symbol for its first mention as {template}.")
    symbol = entity.symbols[0] if entity.symbols else ""
    return template.replace("{name}", entity.name(language)).replace("{symbol}", symbol)


@cache
def _compute_scope(fields: tuple[FieldName, ...], languages: tuple[Language, ...]) -> int:
    return sum(scope_bit(language, field) for language in set(languages) for field in set(fields))


def _fold_all(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(fold(text).text for text in texts)
