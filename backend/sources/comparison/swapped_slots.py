"""Finds an act to which a claim and a passage attach different dates or amounts of the same event.

*Returned 18.5 million, fined 1.2 billion* against *returned 1.2 billion, fined 18.5 million*; *renamed in
2022, ended in 2020* against *renamed in 2020, ended in 2022*.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from backend.sources.claims import dates
from backend.sources.claims.actions import load_verbs
from backend.sources.claims.model import ComparedValue, DateSpan, ParsedStatement, Quantity, Slot
from backend.sources.comparison import contrasts, figure_agreement

MAX_GAP_CHARS = 24
"""Maximum characters between an act and the date or amount that belongs to it."""
_CLAUSE_END = re.compile(r"[,.;](?=\s|$)|[、。，；\n]|\band\b")
_CHANGE_ROLES = frozenset({"from", "to"})
"""Amounts of one change, which are compared by these roles."""
S = TypeVar("S", DateSpan, Quantity)


class _Span(Protocol):
    """What has a place in a text; offsets count code points, end exclusive."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


N = TypeVar("N", bound=_Span)


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return the slot of the claim's act and that of the same act in the passage, if the claim has both."""
    for unit in {quantity.unit for quantity in claim.quantities} - {None}:
        claim_figures, passage_figures = (
            [
                quantity
                for quantity in text.quantities
                if figure_agreement.is_same_unit(unit, quantity.unit) and quantity.role not in _CHANGE_ROLES
            ]
            for text in (claim, passage)
        )
        swapped = _find_swapped(
            "figure", claim, passage, claim_figures, passage_figures, figure_agreement.agree
        )
        if swapped is not None:
            return swapped
    return _find_swapped("date", claim, passage, claim.dates, passage.dates, dates.can_agree)


@dataclass(frozen=True, slots=True)
class _Anchor:
    """An act, a property or a party to which dates and amounts belong."""

    group: str
    key: str
    start: int
    end: int


def _find_swapped(
    slot: Slot,
    claim: ParsedStatement,
    passage: ParsedStatement,
    claim_slots: Sequence[S],
    passage_slots: Sequence[S],
    agree: Callable[[S, S], bool],
) -> ComparedValue | None:
    claim_anchors, passage_anchors = _find_anchors(claim), _find_anchors(passage)
    keys = {anchor.key for anchor in claim_anchors}
    for anchor in claim_anchors:
        claim_slot = _find_nearest(claim, anchor, claim_slots)
        matching_slot = next(
            (
                candidate
                for candidate in passage_slots
                if claim_slot is not None and agree(claim_slot, candidate)
            ),
            None,
        )
        if claim_slot is None or matching_slot is None:
            continue
        nearest = [
            _find_nearest(passage, candidate, passage_slots)
            for candidate in passage_anchors
            if candidate.key == anchor.key
        ]
        passage_candidates = [candidate for candidate in nearest if candidate is not None]
        if (
            not passage_candidates
            or len(passage_candidates) < len(nearest)
            or any(agree(claim_slot, candidate) for candidate in passage_candidates)
        ):
            continue
        is_swapped = any(
            agree(candidate, passage_candidates[0])
            for candidate in claim_slots
            if candidate is not claim_slot
        )
        same_group = [candidate for candidate in passage_anchors if candidate.group == anchor.group]
        matching_anchor = _find_nearest(passage, matching_slot, same_group)
        if is_swapped or (matching_anchor is not None and matching_anchor.key not in keys):
            return ComparedValue(slot, claim_slot.text, passage_candidates[0].text)
    return None


def _find_anchors(statement: ParsedStatement) -> list[_Anchor]:
    verbs_by_name = load_verbs()
    acts = [
        _Anchor("act", action.verb, action.start, action.end)
        for action in statement.actions
        if not verbs_by_name[action.verb].generic
    ]
    properties = [
        _Anchor(group, f"{group} {value}", *span)
        for group, value, span in contrasts.locate_properties(statement)
    ]
    parties = [
        _Anchor("party", mention.entity_id, mention.start, mention.end) for mention in statement.mentions
    ]
    return acts + properties + parties


def _find_nearest(statement: ParsedStatement, target: _Span, slots: Sequence[N]) -> N | None:
    """Return the nearest of ``slots`` in the clause of ``target``; None if two are equally near."""
    gaps = []
    for slot in slots:
        first, last = sorted(((target.start, target.end), (slot.start, slot.end)))
        between = statement.text[first[1] : last[0]]
        if len(between) <= MAX_GAP_CHARS and not _CLAUSE_END.search(between):
            gaps.append((len(between), slot))
    gaps.sort(key=lambda gap: gap[0])
    if not gaps or (len(gaps) > 1 and gaps[0][0] == gaps[1][0]):
        return None
    return gaps[0][1]
