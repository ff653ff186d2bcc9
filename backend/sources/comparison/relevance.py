"""Computes the relevance of a passage to a claim."""

from math import exp

from backend.sources.claims.model import Comparison

MIDDLE, SPREAD = 9.0, 2.2
PER_ENTITY, PER_DATE, PER_FIGURE = 2.0, 2.5, 1.5


def sigmoid(value: float) -> float:
    """Compute 1 / (1 + e^-x) without overflow."""
    if value >= 0:
        return 1 / (1 + exp(-value))
    power = exp(value)
    return power / (1 + power)


def compute_relevance(bm25: float, comparison: Comparison) -> float:
    """Compute sigma((s - 9) / 2.2) with s = BM25 + 2 * shared entities + 2.5 * same date + 1.5 * same
    figures.

    BM25 is the search score (larger is better, at least 0). A date counts once, even if the passage repeats
    it. The result lies in (0, 1); it is one half at s = 9."""
    score = (
        max(bm25, 0.0)
        + PER_ENTITY * comparison.shared_entities
        + PER_DATE * min(comparison.same_dates, 1)
        + PER_FIGURE * comparison.same_figures
    )
    return sigmoid((score - MIDDLE) / SPREAD)
