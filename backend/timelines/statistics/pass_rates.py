"""Computes pass rates with Wilson's interval, which stays within 0 and 1 and is accurate at both ends.

Sources: Wilson, "Probable Inference" (1927); Kish, "Survey Sampling" (1965), for the design effect; Korn and
Graubard (1998) and Dean and Pagano (2015) for intervals of a rate over clusters by an effective sample size.
"""

from dataclasses import dataclass

import numpy as np

from backend.timelines.statistics.distributions import LEVEL, Floats, Interval, normal_quantile
from backend.timelines.statistics.means import Codes, clustered_error
from backend.timelines.statistics.score_intervals import wilson_ends


@dataclass(frozen=True, slots=True)
class Rate:
    """A pass rate. ``effective`` is the effective sample size: the equivalent number of independent runs."""

    rate: float
    interval: Interval
    effective: float
    cases: int
    runs: int


def wilson(rate: float, n: float, level: float = LEVEL) -> Interval:
    """Compute Wilson's score interval of ``rate`` in ``n`` independent trials; ``n`` may be a fraction."""
    low, high = wilson_ends(np.array([rate]), np.array([n]), normal_quantile(0.5 + level / 2))
    return Interval(float(low[0]), float(high[0]))


def pass_rate(successes: Floats, cases: Codes, level: float = LEVEL) -> Rate | None:
    """Compute the share of successful runs (1.0 or 0.0 each) with Wilson's interval; None without runs.

    The number of runs is divided by the design effect: the clustered variance over the independent one,
    limited to the range from 1 to runs per case. If all runs agree, they could be copies, so each case counts
    once.
    """
    runs = len(successes)
    if not runs:
        return None
    rate, count = float(successes.mean()), len(np.unique(cases))
    unclustered_variance = rate * (1 - rate) / runs
    max_effect = runs / count
    effect = (
        clustered_error(successes, cases) ** 2 / unclustered_variance
        if unclustered_variance > 0
        else max_effect
    )
    effective = runs / min(max(effect, 1.0), max_effect)
    return Rate(rate, wilson(rate, effective, level), effective, count, runs)
