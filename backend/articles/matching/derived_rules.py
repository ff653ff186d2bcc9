"""Meanings and rules that follow from an entity's facts alone: its names, tickers and former names."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, Self

from backend.articles.matching import derived_rule_messages
from backend.articles.matching.descriptive_forms import list_descriptive_forms
from backend.articles.matching.meanings import ONE_CASE, CompiledRule, Form, Kind, Meaning
from backend.articles.model import FIELDS, Boundary, Rule, Severity, ViolationType
from backend.articles.text.boundaries import CLASS, KATAKANA, edges, is_katakana
from backend.articles.text.folding import fold, plain
from backend.articles.text.scripts import choose_same_script
from backend.entities.model import LANGUAGES, Entity, Language

MIN_AUTO_FIX_CHARS = 3
"""Shorter names are too easily something else for their case to be put right unasked."""
MAX_ACRONYM_CHARS = 4
"""Up to this length a name in capitals is, in small letters, as likely part of an address or of a program."""
ANY_CASE = ("any", "any-near-evidence")
SHORT_TICKER_CHARS = 2
"""Up to this length a ticker (OP) needs a cue of the market even near evidence."""
MAX_PHRASE_PARTS = 11
"""Words of a term and what stands between them, of which all forms are listed."""

Surfaces = defaultdict[str, list[Meaning]]
"""Meanings by folded surface, as they are gathered."""


@dataclass(frozen=True, slots=True)
class RightName:
    """A right name with what its entity says of it."""

    text: str
    needs_context: bool
    order: int


class _BoundaryConditions(NamedTuple):
    """Character classes and folded texts that must not be next to a name."""

    left: int
    right: int
    not_before: tuple[str, ...]
    not_after: tuple[str, ...]

    @classmethod
    def of(cls, entity: Entity, name: str, surface: str) -> Self:
        condition = entity.condition(name) if entity.conditions else None
        # An ordinary word in katakana is part of another word where katakana touches it, however long it is.
        is_word = needs_context(entity, name) and is_katakana(surface)
        boundary: Boundary = "katakana-run" if is_word else "auto"
        if condition is None:
            return cls(*edges(surface, boundary), (), ())
        return cls(
            *edges(surface, condition.boundary or boundary),
            tuple(fold(text).text for text in condition.not_before),
            tuple(fold(text).text for text in condition.not_after),
        )


def right_names(entity: Entity) -> list[RightName]:
    """Names and other right names, each once, canonical ones first."""
    names = [*entity.names.values(), *(name for names in entity.also.values() for name in names)]
    return [
        RightName(name, needs_context(entity, name), order) for order, name in enumerate(dict.fromkeys(names))
    ]


def needs_context(entity: Entity, name: str) -> bool:
    """Whether ``name`` is an ordinary word too."""
    if isinstance(entity.context, bool):
        return entity.context and " " not in name
    return name in entity.context


def is_acronym(entity: Entity, name: str) -> bool:
    """Whether ``name`` is so short that in small letters it is likely something else. Words of the field are
    not, since no names are."""
    return (
        len(name) <= MAX_ACRONYM_CHARS
        and name.isupper()
        and entity.type != "term"
        and entity.case not in ANY_CASE
    )


def is_field_evidence(entity: Entity) -> bool:
    """Whether the entity is of the field and its canonical names mean nothing else, so that any form of them
    is evidence."""
    return entity.is_domain_evidence and not any(
        needs_context(entity, name) for name in entity.names.values()
    )


def add_entity(entity: Entity, surfaces: Surfaces, disabled: frozenset[str]) -> Iterator[CompiledRule]:
    """Adds all meanings that follow from ``entity``; yields the rules derived from it."""
    names = right_names(entity)
    by_surface: defaultdict[str, list[RightName]] = defaultdict(list)
    for name in names:
        by_surface[fold(name.text).text].append(name)
    has_kana = any(map(_has_katakana, by_surface))
    rules = {rule.type: rule for rule in _derive_rules(entity, names, has_kana) if rule.id not in disabled}
    for surface, alike in by_surface.items():
        surfaces[surface] += _build_name_meanings(entity, surface, alike, rules)
    for symbol in dict.fromkeys(entity.symbols):
        surfaces[fold(symbol).text].append(_build_symbol_meaning(entity, symbol))
    if "former_name" in rules:
        for former in entity.former:
            surfaces[fold(former.name).text] += _build_former_meanings(
                entity, former.name, rules["former_name"]
            )
    yield from rules.values()


def _derive_rules(entity: Entity, names: list[RightName], has_kana: bool) -> Iterator[CompiledRule]:
    cased = [name for name in names if _is_cased(name.text) and not name.needs_context]
    if entity.case not in ANY_CASE and cased:
        has_ordinary = any(len(name.text) < MIN_AUTO_FIX_CHARS or _is_lower_word(name.text) for name in cased)
        # In small letters a newspaper's name may be something else: axios is a program too.
        is_sure = not has_ordinary and entity.type != "media"
        yield _build_rule(entity, "case", "wrong_case", "warning", is_sure, derived_rule_messages.WRONG_CASE)
    if has_kana:
        yield _build_rule(entity, "script", "wrong_script", "warning", True, derived_rule_messages.HALF_WIDTH)
    if entity.former:
        yield _build_rule(
            entity, "former", "former_name", "info", False, derived_rule_messages.format_former_names(entity)
        )


def _build_rule(
    entity: Entity,
    suffix: str,
    kind: ViolationType,
    severity: Severity,
    auto_fix: bool,
    note: Mapping[Language, str],
) -> CompiledRule:
    # The parts are known to be right, and there are thousands, so that they are not validated again.
    values = {"id": f"{entity.id}.{suffix}", "entity": entity.id, "type": kind, "note": dict(note)}
    rule = _DERIVED.model_copy(update=values | {"auto_fix": auto_fix, "severity": severity})
    return CompiledRule(rule.id, entity.id, kind, severity, auto_fix, True, rule)


_DERIVED = Rule.model_construct(
    id="",
    entity=None,
    type="wrong_case",
    languages=LANGUAGES,
    match=(),
    first_mention=None,
    suggest="auto",
    auto_fix=False,
    severity="warning",
    case="exact",
    context=False,
    boundary="auto",
    fields=FIELDS,
    enabled=True,
    until=None,
    note=None,
    source="Derived from the entity's names.",
    specs=(),
)
"""What all derived rules have in common."""


def _build_name_meanings(
    entity: Entity, surface: str, alike: list[RightName], rules: dict[ViolationType, CompiledRule]
) -> Iterator[Meaning]:
    """Meanings of the names of one entity that fold to ``surface``."""
    has_kana = _has_katakana(surface)
    for name in alike:
        conditions = _BoundaryConditions.of(entity, name.text, surface)
        right_form = Meaning(
            kind=Kind.NAME,
            entity=entity.id,
            form=Form.EXACT,
            exact=plain(name.text),
            left=conditions.left,
            right=conditions.right,
            not_before=conditions.not_before,
            not_after=conditions.not_after,
            context=name.needs_context,
            needs_cue=name.text in entity.need_cues,
            evidence=not name.needs_context and entity.is_domain_evidence,
            raw=name.text,
            order=name.order,
        )
        any_case = entity.case in ANY_CASE and not name.needs_context
        yield right_form
        if any_case and _is_cased(surface):
            near_evidence = entity.case == "any-near-evidence"
            yield right_form._replace(
                kind=Kind.ANY_CASE,
                form=Form.ANY_FULL_WIDTH if has_kana else Form.ANY,
                context=near_evidence,
                evidence=right_form.evidence and not near_evidence,
            )
        if not any_case and not name.needs_context and _is_cased(surface):
            yield right_form._replace(form=Form.CAPITALS, exact=plain(name.text).upper())
            if entity.case == "title-at-sentence-start":
                for form in _list_opening_forms(plain(name.text)):
                    yield right_form._replace(form=Form.OPENING, exact=form)
        if has_kana and "wrong_script" in rules:
            yield right_form._replace(
                kind=Kind.HALF_WIDTH,
                rule=rules["wrong_script"],
                form=Form.HALF_WIDTH,
                suggestions=(name.text,) * len(LANGUAGES),
            )


def _list_opening_forms(name: str) -> set[str]:
    words = " ".join(word[:1].upper() + word[1:] for word in name.split(" "))
    return {name[:1].upper() + name[1:], words} - {name}


def _build_symbol_meaning(entity: Entity, symbol: str) -> Meaning:
    left, right = edges(fold(symbol).text, "auto", symbol=True)
    return Meaning(
        kind=Kind.SYMBOL,
        entity=entity.id,
        form=Form.EXACT,
        exact=plain(symbol),
        left=left,
        right=right,
        context=entity.symbols_need_context,
        needs_cue=len(symbol) <= SHORT_TICKER_CHARS,
        evidence=not entity.symbols_need_context and entity.is_domain_evidence,
    )


def _build_former_meanings(entity: Entity, name: str, rule: CompiledRule) -> Iterator[Meaning]:
    surface = fold(name).text
    conditions = _BoundaryConditions.of(entity, name, surface)
    context = needs_context(entity, name)
    meaning = Meaning(
        kind=Kind.FORMER,
        entity=entity.id,
        rule=rule,
        form=Form.EXACT,
        exact=plain(name),
        left=conditions.left,
        right=conditions.right,
        not_before=conditions.not_before,
        not_after=conditions.not_after,
        context=context,
        evidence=not context and is_field_evidence(entity),
        suggestions=tuple(
            choose_same_script(name, entity.name(language), entity.names.values())[0]
            for language in LANGUAGES
        ),
    )
    yield meaning
    if _is_cased(surface) and not context:
        yield meaning._replace(form=Form.CAPITALS, exact=plain(name).upper())
        if any(map(str.isupper, name[1:])) and " " not in name and not name.isupper():
            # Inner capitals are often forgotten (Microstrategy), and leave no doubt what is meant.
            known_forms = frozenset((plain(name), plain(name).upper()))
            yield meaning._replace(form=Form.UNKNOWN, known=known_forms)


def add_other_case(
    surfaces: Surfaces, rules: dict[str, CompiledRule], entities: Mapping[str, Entity]
) -> None:
    """Adds the meaning "right name in wrong case" where it is plain which name is meant.

    It is not where the surface is an ordinary word or right in any case for one entity, or where
    entities disagree about its form. Forms of tickers and former names are known forms too. An acronym in
    small letters asks for evidence, and is none.
    """
    for meanings in surfaces.values():
        exact = [name for name in meanings if name.kind is Kind.NAME and name.form is Form.EXACT]
        if not exact or not _is_case_settled(exact) or any(name.kind is Kind.ANY_CASE for name in meanings):
            continue
        first_meaning = min(exact, key=Meaning.rank)
        rule = rules.get(f"{first_meaning.entity}.case")
        if rule is None:
            continue
        is_short = is_acronym(entities[first_meaning.entity or ""], first_meaning.raw)
        known_forms = frozenset(meaning.exact for meaning in meanings if meaning.form in ONE_CASE)
        if entities[first_meaning.entity or ""].type != "term":
            known_forms |= list_descriptive_forms(plain(first_meaning.raw))
        elif " " in first_meaning.raw:
            known_forms |= _list_phrase_forms(entities[first_meaning.entity or ""], plain(first_meaning.raw))
        meanings.append(
            first_meaning._replace(
                kind=Kind.OTHER_CASE,
                rule=rule,
                form=Form.UNKNOWN,
                known=known_forms,
                context=is_short,
                evidence=first_meaning.evidence and not is_short,
                suggestions=(first_meaning.raw,) * len(LANGUAGES),
            )
        )


def _list_phrase_forms(entity: Entity, phrase: str) -> frozenset[str]:
    """List the forms of a term in which any of its words has a capital, and the acronyms of the term.

    Houses differ about capitals of terms, and an author may show where an acronym comes from
    ("Centralized EXchange").
    """
    parts = re.split(r"([ -])", phrase)
    choices = [(part, part[:1].upper() + part[1:]) for part in parts]
    forms = {"".join(form) for form in product(*choices)} if len(parts) <= MAX_PHRASE_PARTS else set()
    return frozenset(forms | {name for name in entity.names.values() if name.isalpha() and name.isupper()})


def _is_case_settled(names: list[Meaning]) -> bool:
    if any(name.context for name in names) or not _is_cased(names[0].exact):
        return False
    one_entity = len({name.entity for name in names}) == 1
    return one_entity or len({name.exact for name in names}) == 1


def _is_cased(text: str) -> bool:
    return text.lower() != text.upper()


def _is_lower_word(text: str) -> bool:
    return text.islower() and " " not in text


def _has_katakana(surface: str) -> bool:
    return not surface.isascii() and any(CLASS[character] & KATAKANA for character in surface)
