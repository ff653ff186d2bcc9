"""How far a passage is about a claim, as one number."""

from math import exp

from backend.sources.claims.model import Comparison

MIDDLE, SPREAD = 9.0, 2.2
PER_ENTITY, PER_DATE, PER_FIGURE = 2.0, 2.5, 1.5


def sigmoid(value: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    if value >= 0:
        return 1 / (1 + exp(-value))
    power = exp(value)
    return power / (1 + power)


def relevance(bm25: float, comparison: Comparison) -> float:
    """sigma((s - 9) / 2.2) with s = BM25 + 2 * shared entities + 2.5 * same date + 1.5 * same figures.

    BM25 is that of the search (larger is better, 0 at the least); a date counts once however often it
    stands in the passage. The answer lies in (0, 1): one half at s = 9.
    """
    score = (
        max(bm25, 0.0)
        + PER_ENTITY * comparison.shared_entities
        + PER_DATE * min(comparison.same_dates, 1)
        + PER_FIGURE * comparison.same_figures
    )
    return sigmoid((score - MIDDLE) / SPREAD)
