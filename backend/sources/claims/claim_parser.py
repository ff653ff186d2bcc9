"""Parses a statement into slots: entities, dates, figures and actions."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.formats.chinese import to_simplified
from backend.sources.claims import (
    actions,
    clauses,
    dates,
    lexical_features,
    negation,
    numbers,
    places,
    quantities,
    subjects,
)
from backend.sources.claims.model import Action, ParsedStatement

MAX_CHARS = 20_000
"""Characters of a text that are parsed; a longer one is truncated."""


def parse_claim(
    text: str, language: Language, mentions: Sequence[Mention] = (), *, reference_date: date | None = None
) -> ParsedStatement:
    """Parse the slots of ``text``, whose entities are ``mentions``.

    ``reference_date`` is the day of publication, or of the recorded event. Relative dates and dates without a
    year are resolved with it.
    """
    original, text = text, to_simplified(text) if language == "zh" else text
    if text != original:
        mentions = [replace(mention, text=text[mention.start : mention.end]) for mention in mentions]
    plain = numbers.normalize(text[:MAX_CHARS])
    found_dates = dates.find_dates(plain, reference_date)
    found_quantities = [
        quantity
        for quantity in quantities.find_quantities(plain, language, found_dates)
        if not any(named.start <= quantity.start and quantity.end <= named.end for named in mentions)
    ]  # Three Arrows is a name
    found_actions = [
        action for action in actions.find_actions(plain, language) if not _is_in_name(action, mentions)
    ]
    spans = [(slot.start, slot.end) for slots in (mentions, found_dates, found_quantities) for slot in slots]
    action_spans = [(action.start, action.end) for action in found_actions]
    names = lexical_features.find_names(plain, spans)
    lowercase_names = " ".join(names).lower()
    content_terms = lexical_features.list_content_terms(plain, [*spans, *action_spans])
    return ParsedStatement(
        text,
        language,
        mentions=tuple(sorted(mentions, key=lambda mention: mention.start)),
        dates=tuple(found_dates),
        quantities=tuple(found_quantities),
        actions=tuple(found_actions),
        words=lexical_features.list_terms(plain, spans),
        content_terms=frozenset(term for term in content_terms if term not in lowercase_names),
        negated_terms=_find_negated(plain, language, action_spans),
        names=names,
        subject=subjects.find_subject(text[:MAX_CHARS], language, spans),
        places=places.find_countries(plain),
        clauses=clauses.split_clauses(plain, language, [*spans, *action_spans]),
        original=original if original != text else "",
    )


def _find_negated(plain: str, language: Language, action_spans: Sequence[tuple[int, int]]) -> frozenset[str]:
    """Find negated words outside the actions, whose negation is stored on the action."""
    lowered = plain.lower()
    skipped = [*action_spans, *negation.find_first_otherwise(lowered, language)]
    return frozenset(
        lexical_features.stem(match["word"])
        for match in negation.find_negated_words(lowered, language)
        if not any(start < match.end("word") and match.start("word") < end for start, end in skipped)
    )


def _is_in_name(action: Action, mentions: Sequence[Mention]) -> bool:
    """True if a verb is part of a name (Block, The Merge)."""
    return any(mention.start <= action.start and action.end <= mention.end for mention in mentions)
