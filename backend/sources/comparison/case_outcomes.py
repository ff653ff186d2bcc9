"""Compares the outcomes of court cases: a loss of one side equals a win of the other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backend.entities.mention import Mention
from backend.sources.claims.model import Action, Claim

WON, LOST = "win", "lose_case"
MAX_SUBJECT_DISTANCE = 12
"""Maximum characters between a name and a verb for the name to be the verb's subject."""
_OF_OBJECT = re.compile(r"\b(?:rule|side)[sd]?\b|^victory for", re.IGNORECASE)
_OF_CASE = re.compile(r"(?:'s)? (?:case|lawsuit|suit)\b|案|一案|诉讼|訴訟")
"""Text after a name that makes it the name of a case, not an acting side."""
_GRANTED = re.compile("を認め|を退け")


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of a comparison: ``same`` is True if the passage's action ``told`` has the same outcome."""

    same: bool
    told: Action


def compare_outcomes(mine: Action, claim: Claim, passage: Claim) -> Compared | None:
    """Compare the outcome ``mine`` with the passage's; None if either does not name the side."""
    if mine.verb not in (WON, LOST):
        return None
    ours = _side(mine, claim)
    if ours is None:
        return None
    for told in passage.actions:
        if told.verb in (WON, LOST) and (theirs := _side(told, passage)) is not None:
            same_end = (mine.verb == told.verb) == (mine.affirmed == told.affirmed)
            return Compared(same_end == (ours == theirs), told)
    return None


def _side(action: Action, text: Claim) -> str | None:
    """Find the entity that won or lost: the object of "rules for", else the subject."""
    before = [
        mention
        for mention in text.mentions
        if mention.end <= action.start and not _OF_CASE.match(text.text, mention.end)
    ]
    if _OF_OBJECT.search(action.text):
        behind = (mention for mention in text.mentions if mention.start >= action.end)
        return next((mention.entity_id for mention in behind), None)
    if not before:
        return None
    if _GRANTED.search(action.text):  # グレースケールの主張を認め
        return before[-1].entity_id
    return _subject(before, action, text).entity_id


def _subject(before: Sequence[Mention], action: Action, text: Claim) -> Mention:
    """Find the subject: in Japanese the last name with a particle, else the name right before the verb, or
    the first name."""
    if text.language == "ja":
        marked = [
            mention for mention in before if text.text[mention.end : mention.end + 1] in ("は", "が", "も")
        ]
        return (marked or before)[-1]
    closest = before[-1]
    return (
        closest
        if action.start - closest.end <= MAX_SUBJECT_DISTANCE
        and not _ACCOMPANIED.search(text.text[max(0, closest.start - 4) : closest.start])
        else before[0]
    )


_ACCOMPANIED = re.compile("[与與和对對]$")
