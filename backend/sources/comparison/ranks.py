"""Compares ranks: the second country to do it, against the first."""

import re
from collections.abc import Mapping

from backend.entities.model import Language
from backend.sources.claims import numbers
from backend.sources.claims.cues import find_cues
from backend.sources.claims.model import ComparedValue, ParsedStatement
from backend.sources.comparison.missing_figures import list_slot_spans, read_ordinals

FIRST = "first"
_COUNTED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r" (?P<noun>[a-z]{5})"),
    "ja": re.compile("の?(?P<noun>[\u4e00-\u9fff\u30a1-\u30fc]{2})"),
    "zh": re.compile("[个個次家只款位支版代批任起]?(?P<noun>[\u4e00-\u9fff]{2})"),
}
"""The beginning of the counted noun behind an ordinal: 4回目の半減期."""


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return the claim's rank from the second on, if the passage tells only of a first, or of another rank of
    the same thing."""
    if claim.language != passage.language:
        return None
    if (other := _find_other_rank(claim, passage)) is not None:
        return other
    ranks, passage_ranks = (
        read_ordinals(statement, list_slot_spans(statement)) for statement in (claim, passage)
    )
    told = find_cues(numbers.normalize(passage.text), passage.language)
    has_first = FIRST in find_cues(numbers.normalize(claim.text), claim.language)
    if FIRST not in told or has_first or passage_ranks or not ranks:
        return None
    return ComparedValue("figure", next(iter(ranks.values())), told[FIRST])


def _find_other_rank(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Find the only rank of a claim, if the passage gives the same thing another: 3回目, 4回目の半減期."""
    claim_ranks, passage_ranks = (read_ordinals(statement, ()) for statement in (claim, passage))
    if len(claim_ranks) != 1 or len(passage_ranks) != 1 or claim_ranks.keys() == passage_ranks.keys():
        return None
    (told,) = passage_ranks.values()
    plain = numbers.normalize(passage.text).lower()
    counted = _COUNTED[passage.language].match(plain, plain.index(told) + len(told))
    if counted is None or counted["noun"] not in numbers.normalize(claim.text).lower():
        return None
    (claimed,) = claim_ranks.values()
    return ComparedValue("figure", claimed, told)
