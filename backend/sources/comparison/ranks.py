"""Compares ranks: the second country to do it, against the first."""

from backend.sources.claims import numbers
from backend.sources.claims.cues import find_cues
from backend.sources.claims.model import ComparedValue, ParsedStatement
from backend.sources.comparison.missing_figures import list_slot_spans, read_ordinals

FIRST = "first"


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return the claim's rank from the second on, if the passage tells only of a first."""
    if claim.language != passage.language:
        return None
    ranks, passage_ranks = (
        read_ordinals(statement, list_slot_spans(statement)) for statement in (claim, passage)
    )
    told = find_cues(numbers.normalize(passage.text), passage.language)
    has_first = FIRST in find_cues(numbers.normalize(claim.text), claim.language)
    if FIRST not in told or has_first or passage_ranks or not ranks:
        return None
    return ComparedValue("figure", next(iter(ranks.values())), told[FIRST])
