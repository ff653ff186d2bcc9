"""Compares A and B on their shared cases.

Sources: Miller (2024, arXiv:2411.00640), section 4, for pairing: hard cases are hard for both, so the
differences vary less than the scores; Student (1908) for the test on the differences of case means.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from backend.timelines.statistics.bootstrap import bootstrap_interval
from backend.timelines.statistics.distributions import LEVEL, Floats, Interval, t_quantile, two_sided
from backend.timelines.statistics.power import smallest_detectable_difference
from backend.timelines.statistics.score_intervals import score_interval

SAME = 1e-9
"""Case means that differ by less are a tie; the difference is rounding."""


@dataclass(frozen=True, slots=True)
class Paired:
    """B minus A over ``cases`` shared cases, in scores (fractions).

    ``wins`` counts the cases in which B is higher. ``interval`` is the case-resampled bootstrap interval, or
    that of :mod:`.score_intervals` if all differences are equal and the bootstrap has no width;
    ``t_interval`` and ``p`` belong to the paired t test. All are None below two cases. ``deviation`` is the
    standard deviation of the differences; a true ``detectable_difference`` is found with 80 % power.
    """

    difference: float
    interval: Interval | None
    t_interval: Interval | None
    p: float | None
    error: float | None
    deviation: float | None
    detectable_difference: float | None
    cases: int
    wins: int
    ties: int
    losses: int


def compare(a: Floats, b: Floats, level: float = LEVEL) -> Paired | None:
    """Compare B with A by case means in the same order, NaN where not run; None without a shared case."""
    differences = (b - a)[~np.isnan(a) & ~np.isnan(b)]
    count = len(differences)
    if not count:
        return None
    difference = float(differences.mean())
    wins, losses = int((differences > SAME).sum()), int((differences < -SAME).sum())
    tally = {"cases": count, "wins": wins, "ties": count - wins - losses, "losses": losses}
    if count < 2:
        return Paired(difference, None, None, None, None, None, None, **tally)
    deviation = _round_tiny_to_zero(float(differences.std(ddof=1)))
    error = deviation / float(np.sqrt(count))
    reach = float(t_quantile(0.5 + level / 2, count - 1)) * error
    return Paired(
        difference,
        bootstrap_interval(differences, level) if deviation else _bound_interval(differences, level),
        Interval(difference - reach, difference + reach),
        float(p_values(np.array([difference]), np.array([error]), np.array([count]))[0]),
        error,
        deviation,
        smallest_detectable_difference(deviation, count),
        **tally,
    )


def _bound_interval(differences: Floats, level: float) -> Interval | None:
    """Compute the interval of equal differences: their sign is certain, their size is not."""
    difference = float(differences.mean())
    if abs(difference) <= SAME:
        return score_interval(differences, level, (-1.0, 1.0))
    return score_interval(differences, level, (0.0, 1.0) if difference > 0 else (-1.0, 0.0))


def _round_tiny_to_zero(deviation: float) -> float:
    return deviation if deviation > SAME else 0.0


def p_values(difference: Floats, error: Floats, count: npt.NDArray[np.int64]) -> Floats:
    """Compute the p of the paired t test. If all differences are equal, it is 1 for zero and 0 otherwise."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(error > 0, difference / error, np.where(np.abs(difference) > SAME, np.inf, 0.0))
    return np.where(count > 1, two_sided(t, np.maximum(count - 1, 1)), np.nan)


@dataclass(frozen=True, slots=True)
class AllPairs:
    """Comparisons of all pairs of rows: ``difference[i, j]`` is j minus i; NaN means no comparison."""

    difference: Floats
    error: Floats
    p: Floats
    cases: npt.NDArray[np.int64]


def all_pairs(means: Floats) -> AllPairs:
    """Compare all pairs of rows of case means (rows: profiles, columns: cases, NaN where not run).

    The sums of d and of d squared over shared cases come from a few products of the masked matrix, so 4,950
    pairs take milliseconds. Each case is centred first, which keeps the differences and their precision.
    """
    ran = (~np.isnan(means)).astype(np.float64)
    counted = ran.sum(axis=0)
    middle = np.where(counted > 0, np.nansum(means, axis=0) / np.maximum(counted, 1), 0.0)
    x = np.where(ran > 0, means - middle, 0.0)
    shared = ran @ ran.T
    one_sided, squares = x @ ran.T, np.square(x) @ ran.T
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = (one_sided.T - one_sided) / shared
        spread = squares + squares.T - 2 * (x @ x.T) - shared * np.square(difference)
        variance = np.maximum(spread, 0.0) / (shared - 1)
        error = np.sqrt(np.where(variance > SAME**2, variance, 0.0) / shared)
    error[shared < 2] = np.nan
    difference[shared < 1] = np.nan
    np.fill_diagonal(error, np.nan)
    np.fill_diagonal(difference, 0.0)
    cases = np.rint(shared).astype(np.int64)
    p = p_values(difference, error, cases)
    p[np.isnan(error)] = np.nan
    return AllPairs(difference, error, p, cases)
