"""Whether a passage tells the same event as a claim: a logit of what both share.

An altered statement keeps most of its slots and changes one; another event of the same people shares few.
The weights are those of a logistic regression on statements made from records of events, true ones and
ones with a date, figure or agent altered, against their own record and against others, with words left
out to stand for other wordings; then rounded.
"""

from collections.abc import Iterable, Mapping

from backend.sources.claims.actions import verbs
from backend.sources.claims.model import Action, Claim, Comparison

SAME_EVENT = 0.0
"""The logit from which the passage is taken to tell the claim's event."""
NOTHING_SHARED = -4.5
WEIGHTS: Mapping[str, float] = {
    "further shared entities": 0.8,  # beyond the first, two at the most
    "share of the claim's entities": 3.3,
    "same date": 3.3,
    "same figure": 2.0,
    "same action or its opposite": 0.9,
    "actions of other themes": -2.2,
    "share of the claim's words": 4.2,
    "unlisted name known": 1.2,
    "unlisted name unknown": -2.2,
    "other date": -0.7,
    "other figure": -0.9,
    "several differences": -3.0,
    "another action and another date, agent or name": -2.0,
}
_NO_ENTITY, _NO_WORDS = 0.5, 0.4
"""Shares where the claim names nobody, and where the two texts are of different languages."""


def closeness_of(claim: Claim, passage: Claim, found: Comparison) -> float:
    """The logit that ``passage`` tells the event of ``claim``, of which ``found`` agrees or differs."""
    return NOTHING_SHARED + sum(WEIGHTS[name] * sign for name, sign in _signs(claim, passage, found).items())


def _signs(claim: Claim, passage: Claim, found: Comparison) -> dict[str, float]:
    slots = {difference.slot for difference in found.differences}
    entities = {mention.entity_id for mention in claim.mentions}
    both_act = bool(claim.actions and passage.actions)
    same_act = found.same_actions > 0 or "polarity" in slots
    known = names_known(claim, passage)
    comparable = claim.words and claim.language == passage.language
    return {
        "further shared entities": min(max(found.shared_entities - 1, 0), 2),
        "share of the claim's entities": found.shared_entities / len(entities) if entities else _NO_ENTITY,
        "same date": min(found.same_dates, 1),
        "same figure": min(found.same_figures, 1),
        "same action or its opposite": same_act,
        "actions of other themes": both_act and not same_act and not _kin(claim.actions, passage.actions),
        "share of the claim's words": (
            len(claim.words & passage.words) / len(claim.words) if comparable else _NO_WORDS
        ),
        "unlisted name known": known is True,
        "unlisted name unknown": known is False,
        "other date": "date" in slots,
        "other figure": "figure" in slots,
        "several differences": len(slots) > 1,
        "another action and another date, agent or name": (
            both_act and not same_act and (known is False or bool({"date", "agent"} & slots))
        ),
    }


def _kin(ours: Iterable[Action], theirs: Iterable[Action]) -> bool:
    """Whether any two actions share a theme."""
    listed = verbs()
    themes = frozenset().union(*(listed[action.verb].themes for action in ours))
    return any(themes & listed[action.verb].themes for action in theirs)


def names_known(claim: Claim, passage: Claim) -> bool | None:
    """Whether the passage knows a name that the catalogue lacks; None where the claim has none or the two
    are of different languages."""
    if not claim.names or claim.language != passage.language:
        return None
    low = passage.text.lower()
    return any(name.lower() in low for name in claim.names)
