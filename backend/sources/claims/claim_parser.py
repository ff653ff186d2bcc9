"""Reading a statement's slots: who, when, how much, and what was done."""

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

MOST_CHARACTERS = 20_000
"""Characters of a passage that are read: more is a page, to be cut into passages first."""


def parse_claim(
    text: str, language: Language, mentions: Sequence[Mention] = (), *, reference: date | None = None
) -> Claim:
    """The slots of ``text``, of which ``mentions`` names the entities.

    ``reference`` is the day of writing (or of the event that a record tells): yesterday and days without
    a year are counted from it.
    """
    plain = numbers.plain(text[:MOST_CHARACTERS])
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
        subjects.find(text[:MOST_CHARACTERS], language, spans),
        places.find(plain),
        clauses.split_clauses(plain, language, [*spans, *acts]),
    )


def _denied(plain: str, language: Language, acts: Sequence[tuple[int, int]]) -> frozenset[str]:
    """What is negated beside the acts, of which it is told whether they are."""
    low = plain.lower()
    return frozenset(
        lexical_features.stem(match["word"])
        for match in negation.denied(low, language)
        if not any(start < match.end("word") and match.start("word") < end for start, end in acts)
    )


def _inside(action: Action, mentions: Sequence[Mention]) -> bool:
    """Whether a verb is a part of a name (Block, The Merge where that is somebody's name)."""
    return any(mention.start <= action.start and action.end <= mention.end for mention in mentions)
