"""Compares the outcomes of court cases: a loss of one side equals a win of the other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backend.entities.mention import Mention
from backend.sources.claims import role_relations, roles
from backend.sources.claims.model import Action, ParsedStatement

WON, LOST = "win", "lose_case"
MAX_SUBJECT_DISTANCE = 12
"""Maximum characters between a name and a verb for the name to be the verb's subject."""
_OF_OBJECT = re.compile(r"\b(?:rule|side)[sd]?\b|^victory for", re.IGNORECASE)
_OF_CASE = re.compile(r"(?:'s)? (?:case|lawsuit|suit)\b|案|一案|诉讼|訴訟")
"""Text after a name that makes it the name of a case, not an acting side."""
_GRANTED = re.compile("を認め|を退け")


@dataclass(frozen=True, slots=True)
class OutcomeComparison:
    """The result of a comparison: ``is_same`` is True if ``passage_action`` has the same outcome."""

    is_same: bool
    passage_action: Action


def compare_outcomes(
    claim_action: Action, claim: ParsedStatement, passage: ParsedStatement
) -> OutcomeComparison | None:
    """Compare the outcome ``claim_action`` with the passage's; None if either does not name the side."""
    if claim_action.verb not in (WON, LOST):
        return None
    claim_party = _find_party(claim_action, claim)
    if claim_party is None:
        return None
    for passage_action in passage.actions:
        if (
            passage_action.verb in (WON, LOST)
            and (passage_party := _find_party(passage_action, passage)) is not None
        ):
            is_same_result = (claim_action.verb == passage_action.verb) == (
                claim_action.affirmed == passage_action.affirmed
            )
            return OutcomeComparison(is_same_result == (claim_party == passage_party), passage_action)
    return _compare_with_dismissal(claim_action, claim_party, passage)


def _compare_with_dismissal(
    claim_action: Action, claim_party: str, passage: ParsedStatement
) -> OutcomeComparison | None:
    """Compare a defeat of the party that was sued with the end of the case against it."""
    dismissal = next(
        (action for action in passage.actions if action.verb == "dismiss" and action.affirmed), None
    )
    is_defeat = (claim_action.verb == LOST) == claim_action.affirmed
    defendants = frozenset().union(
        *(
            role_relations.list_targets(act)
            for act in roles.find_roles(passage)
            if act.verb in ("sue", "charge", "dismiss")
        )
    )
    if dismissal is None or not is_defeat or claim_party not in defendants:
        return None
    return OutcomeComparison(is_same=False, passage_action=dismissal)


def _find_party(action: Action, statement: ParsedStatement) -> str | None:
    """Find the entity that won or lost: the object of "rules for", else the subject."""
    before = [
        mention
        for mention in statement.mentions
        if mention.end <= action.start and not _OF_CASE.match(statement.text, mention.end)
    ]
    if _OF_OBJECT.search(action.text):
        following = (mention for mention in statement.mentions if mention.start >= action.end)
        return next((mention.entity_id for mention in following), None)
    if not before:
        return None
    if _GRANTED.search(action.text):  # グレースケールの主張を認め
        return before[-1].entity_id
    return _find_subject(before, action, statement).entity_id


def _find_subject(before: Sequence[Mention], action: Action, statement: ParsedStatement) -> Mention:
    """Find the subject: in Japanese the last name with a particle, else the name right before the verb, or
    the first name."""
    if statement.language == "ja":
        marked = [
            mention
            for mention in before
            if statement.text[mention.end : mention.end + 1] in ("は", "が", "も")
        ]
        return (marked or before)[-1]
    closest = before[-1]
    return (
        closest
        if action.start - closest.end <= MAX_SUBJECT_DISTANCE
        and not _ACCOMPANIED.search(statement.text[max(0, closest.start - 4) : closest.start])
        else before[0]
    )


_ACCOMPANIED = re.compile("[与與和对對]$")
