"""Compares A and B on their shared cases.

Sources: Miller (2024, arXiv:2411.00640), section 4, for pairing: hard cases are hard for both, so the
differences vary less than the scores; Student (1908) for the test on the differences of case means; Dixon and
Mood, "The Statistical Sign Test" (1946), for equal differences, of which t knows no variance.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from backend.timelines.statistics.distributions import LEVEL, Floats, Interval, t_quantile, two_sided
from backend.timelines.statistics.power import smallest_detectable_difference
from backend.timelines.statistics.score_intervals import score_interval

SAME = 1e-9
"""Case means that differ by less are a tie; the difference is rounding."""
MIN_CASES = 5
"""Minimum shared cases for an interval and a test: fewer do not show how differences vary."""


@dataclass(frozen=True, slots=True)
class Paired:
    """B minus A over ``cases`` shared cases, in scores (fractions).

    ``wins`` counts the cases in which B is higher. ``interval`` is that of :func:`difference_interval`;
    ``t_interval`` and ``p`` belong to the paired t test. All are None below :data:`MIN_CASES`.
    ``deviation`` is the standard deviation of the differences. A true ``detectable_difference`` is found with
    80 % power; it is None if all differences are equal, because such cases do not show how they vary.
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
    if count < MIN_CASES:
        return Paired(difference, None, None, None, None, None, None, **tally)
    deviation = _round_tiny_to_zero(float(differences.std(ddof=1)))
    error = deviation / float(np.sqrt(count))
    reach = float(t_quantile(0.5 + level / 2, count - 1)) * error
    return Paired(
        difference,
        difference_interval(a, b, level),
        Interval(difference - reach, difference + reach),
        float(p_values(np.array([difference]), np.array([error]), np.array([count]))[0]),
        error,
        deviation,
        smallest_detectable_difference(deviation, count) if deviation else None,
        **tally,
    )


def difference_interval(a: Floats, b: Floats, level: float = LEVEL) -> Interval | None:
    """Compute the interval of the mean of B minus A over shared cases; None below :data:`MIN_CASES`.

    It is that of :mod:`.score_intervals` between the largest loss and the largest gain that the range of the
    scores allows. A few cases without a loss thus do not exclude losses. Equal scores show no range, so any
    difference is possible then. Equal gains show a sign and no size, so the upper end is that of any gain.
    """
    is_shared = ~np.isnan(a) & ~np.isnan(b)
    first, second = a[is_shared], b[is_shared]
    if len(first) < MIN_CASES:
        return None
    differences = second - first
    width = float(max(first.max(), second.max()) - min(first.min(), second.min()))
    if np.ptp(differences) > SAME:
        return score_interval(differences, level, (-width, width))
    mean = float(differences.mean())
    widest = score_interval(differences, level, (-1.0, 1.0))
    if abs(mean) <= SAME or widest is None:
        return widest
    closest = score_interval(differences, level, (-width, width)) or widest
    return Interval(closest.low, widest.high) if mean > 0 else Interval(widest.low, closest.high)


def _round_tiny_to_zero(deviation: float) -> float:
    return deviation if deviation > SAME else 0.0


def p_values(difference: Floats, error: Floats, count: npt.NDArray[np.int64]) -> Floats:
    """Compute the p of the paired t test; NaN below :data:`MIN_CASES`.

    If all differences are equal, t has no variance, and p is that of the sign test; 1 for no difference.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        t = difference / error
    sign_test = np.where(np.abs(difference) > SAME, np.exp2(1.0 - np.maximum(count, 1)), 1.0)
    p = np.where(error > 0, two_sided(t, np.maximum(count - 1, 1)), sign_test)
    return np.where(count >= MIN_CASES, p, np.nan)


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
    error[shared < MIN_CASES] = np.nan
    difference[shared < 1] = np.nan
    np.fill_diagonal(error, np.nan)
    np.fill_diagonal(difference, 0.0)
    cases = np.rint(shared).astype(np.int64)
    p = p_values(difference, error, cases)
    p[np.isnan(error)] = np.nan
    return AllPairs(difference, error, p, cases)
