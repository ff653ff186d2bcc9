"""Lists the meanings of the names, symbols and former names of entities, and of context words."""

from collections.abc import Iterator

from backend.articles.matching.neighbours import is_in_identifier
from backend.articles.model import Pack
from backend.articles.text.scripts import choose_same_script
from backend.entities.model import Entity, Language
from tests.backend.articles.reference.meaning import (
    Condition,
    Meaning,
    is_domain_entity,
    is_unconditional_evidence,
    list_names,
    list_patterns,
    match_boundaries,
    matches_exactly,
    needs_context,
)
from tests.backend.articles.reference.rule_meanings import list_suggestions
from tests.backend.articles.reference.spans import (
    TextSpan,
    fold,
    has_boundaries,
    is_cased,
    is_cashtag,
    is_half_width,
    is_katakana,
    is_line_in_capitals,
    is_sentence_start,
    normalise,
)


def list_entity_meanings(pack: Pack, entity: Entity, language: Language) -> Iterator[Meaning]:
    for order, name in enumerate(list_names(entity)):
        yield from _name_meanings(pack, entity, name, order)
    for symbol in entity.symbols:
        yield _symbol_meaning(entity, symbol)
    for former in entity.former:
        yield _former_meaning(entity, former.name, language)


def list_context_meanings(pack: Pack) -> Iterator[Meaning]:
    for words in pack.context_words.values():
        for word in words:
            has_word_boundaries = match_boundaries(word)
            yield Meaning(
                (10,),
                word,
                None,
                None,
                False,
                None,
                has_word_boundaries,
                is_evidence=has_word_boundaries,
                is_match=False,
            )


def _name_meanings(pack: Pack, entity: Entity, name: str, order: int) -> Iterator[Meaning]:
    context = needs_context(entity, name)
    has_word_boundaries = match_boundaries(name, ordinary=context)
    acronym = entity.type != "term" and entity.case != "any" and len(name) <= 4 and name.isupper()

    def meaning(
        kind: int, matches: Condition, rule: str | None = None, auto: bool = False, in_context: bool = context
    ) -> Meaning:
        rank = (kind, not in_context, 1 if rule else 0, order, rule or entity.id)
        suggestion = name if rule else None
        is_evidence = (
            _name_is_evidence(has_word_boundaries, acronym)
            if is_domain_entity(entity) and not context
            else None
        )
        return Meaning(
            rank, name, entity.id, rule, auto, suggestion, matches, in_context, is_evidence, name=name
        )

    yield meaning(2, matches_exactly(name, "auto", ordinary=context))
    any_case = entity.case == "any" and not context
    if any_case and is_cased(name):
        yield meaning(6, lambda span: has_word_boundaries(span) and not is_half_width(span.matched))
    if not any_case and not context and is_cased(name):
        yield meaning(2, _matches_in_capitals(name))
        if entity.case == "title-at-sentence-start":
            yield meaning(2, _matches_sentence_start(name))
        other = _matches_other_case(pack, entity, name)
        if other:
            yield meaning(8, other, f"{entity.id}.case", _can_fix_case(entity), in_context=acronym)
    if any(map(is_katakana, fold(name))):
        yield meaning(5, _matches_half_width(name, context), f"{entity.id}.script", True)


def _name_is_evidence(has_word_boundaries: Condition, acronym: bool) -> Condition:
    return lambda span: has_word_boundaries(span) and (not acronym or span.matched.isupper())


def _matches_in_capitals(name: str) -> Condition:
    has_word_boundaries = match_boundaries(name)
    return lambda span: (
        has_word_boundaries(span)
        and normalise(span.matched) == normalise(name).upper()
        and is_line_in_capitals(span)
    )


def _matches_sentence_start(name: str) -> Condition:
    words = " ".join(word[:1].upper() + word[1:] for word in name.split(" "))
    has_word_boundaries, forms = match_boundaries(name), (name[:1].upper() + name[1:], words)
    return lambda span: (
        has_word_boundaries(span) and normalise(span.matched) in forms and is_sentence_start(span)
    )


def _matches_half_width(name: str, ordinary: bool) -> Condition:
    has_word_boundaries = match_boundaries(name, ordinary=ordinary)
    return lambda span: (
        has_word_boundaries(span)
        and is_half_width(span.matched)
        and normalise(span.matched) == normalise(name)
    )


def _matches_other_case(pack: Pack, entity: Entity, name: str) -> Condition | None:
    """Return when a name in another case is a violation; None if the name is ambiguous."""
    same = [
        (other, each) for other in pack.entities for each in list_names(other) if fold(each) == fold(name)
    ]
    if any(needs_context(other, each) or other.case == "any" for other, each in same):
        return None
    if len({other.id for other, _ in same}) > 1 and len({normalise(each) for _, each in same}) > 1:
        return None
    first = min(same, key=lambda pair: (list_names(pair[0]).index(pair[1]), pair[0].id))
    if (first[0].id, first[1]) != (entity.id, name):
        return None
    known = {normalise(each) for _, each in same} | set(_other_correct_forms(pack, name))
    has_word_boundaries = match_boundaries(name)
    return lambda span: (
        has_word_boundaries(span)
        and normalise(span.matched) not in known
        and not is_cashtag(span)
        and not is_in_identifier(span.text, span.start, span.end)
    )


def _other_correct_forms(pack: Pack, name: str) -> Iterator[str]:
    """Generate the correct forms that equal ``name`` in another case and have their own meaning."""
    for other in pack.entities:
        yield from (normalise(symbol) for symbol in other.symbols if fold(symbol) == fold(name))
        yield from (normalise(old.name) for old in other.former if fold(old.name) == fold(name))
    for rule in pack.rules:
        if not rule.enabled:
            continue
        for pattern in list_patterns(rule):
            if (pattern.case or rule.case) == "exact" and fold(pattern.text) == fold(name):
                yield normalise(pattern.text)
        for language in rule.languages:
            for text in list_suggestions(pack, rule, language):
                if fold(text) == fold(name) and any(
                    fold(p.text) in fold(text) != fold(p.text) for p in list_patterns(rule)
                ):
                    yield normalise(text)


def _can_fix_case(entity: Entity) -> bool:
    cased = [n for n in list_names(entity) if is_cased(n) and not needs_context(entity, n)]
    return not any(len(name) < 3 or (name.islower() and " " not in name) for name in cased)


def _symbol_meaning(entity: Entity, symbol: str) -> Meaning:
    context = entity.symbols_need_context

    def matches(span: TextSpan) -> bool:
        exact = normalise(span.matched) == normalise(symbol)
        return exact and has_boundaries(span, symbol, "auto", symbol=True)

    def is_evidence(span: TextSpan) -> bool:
        return is_domain_entity(entity) and matches(span) and (not context or is_cashtag(span))

    rank = (3, not context, 0, 0, entity.id)
    return Meaning(
        rank, symbol, entity.id, None, False, None, matches, context, is_evidence, evidence_chars=100
    )


def _former_meaning(entity: Entity, name: str, language: Language) -> Meaning:
    context = needs_context(entity, name)

    def matches(span: TextSpan) -> bool:
        if not has_boundaries(span, name, "auto", ordinary=context) or is_half_width(span.matched):
            return False
        if normalise(span.matched) == normalise(name):
            return True
        if not is_cased(name) or context:
            return False
        if normalise(span.matched) == normalise(name).upper():
            return is_line_in_capitals(span)
        has_inner_capitals = any(map(str.isupper, name[1:])) and not name.isupper()
        return has_inner_capitals and " " not in name and fold(span.matched) == fold(name)

    rule = f"{entity.id}.former"
    rank = (7, not context, 2, 0, rule)
    is_evidence = matches if is_unconditional_evidence(entity) and not context else None
    suggestion, _ = choose_same_script(name, entity.name(language), entity.names.values())
    return Meaning(rank, name, entity.id, rule, False, suggestion, matches, context, is_evidence)
