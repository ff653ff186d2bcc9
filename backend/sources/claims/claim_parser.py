"""Parses a statement into slots: entities, dates, figures and acts."""

from collections.abc import Sequence
from datetime import date

from backend.entities.mention import Mention
from backend.entities.model import Language
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
from backend.sources.claims.model import Action, Claim

MAX_CHARS = 20_000
"""Maximum characters of a passage; a longer text is a page that must be split first."""


def parse_claim(
    text: str, language: Language, mentions: Sequence[Mention] = (), *, reference: date | None = None
) -> Claim:
    """Parse the slots of ``text``, whose entities are ``mentions``.

    ``reference`` is the day of writing, or of the event of a record. Relative dates and dates without a year
    are resolved with it."""
    plain = numbers.plain(text[:MAX_CHARS])
    found_dates = dates.find(plain, reference)
    found_quantities = quantities.find(plain, language, found_dates)
    found_actions = [action for action in actions.find(plain, language) if not _inside(action, mentions)]
    spans = [(slot.start, slot.end) for slots in (mentions, found_dates, found_quantities) for slot in slots]
    acts = [(action.start, action.end) for action in found_actions]
    names = lexical_features.names(plain, spans)
    named = " ".join(names).lower()
    return Claim(
        text,
        language,
        tuple(sorted(mentions, key=lambda mention: mention.start)),
        tuple(found_dates),
        tuple(found_quantities),
        tuple(found_actions),
        lexical_features.words(plain, spans),
        frozenset(word for word in lexical_features.matter(plain, [*spans, *acts]) if word not in named),
        _denied(plain, language, acts),
        names,
        subjects.find(text[:MAX_CHARS], language, spans),
        places.find(plain),
        clauses.split_clauses(plain, language, [*spans, *acts]),
    )


def _denied(plain: str, language: Language, acts: Sequence[tuple[int, int]]) -> frozenset[str]:
    """Find negated words outside the acts, which carry their own negation."""
    low = plain.lower()
    return frozenset(
        lexical_features.stem(match["word"])
        for match in negation.denied(low, language)
        if not any(start < match.end("word") and match.start("word") < end for start, end in acts)
    )


def _inside(action: Action, mentions: Sequence[Mention]) -> bool:
    """True if a verb is part of a name (Block, The Merge)."""
    return any(mention.start <= action.start and action.end <= mention.end for mention in mentions)
