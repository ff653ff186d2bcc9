"""Computes intervals of mean scores that stay within the bounds of a score and never have zero width.

Student's t is too narrow near a bound: 56 full scores of 56 give it no width. The interval here is Wilson's
score interval (1927) for an effective number of cases, with quantiles of t, as Korn and Graubard (1998) and
Dean and Pagano (2015) give for rates over clusters. A score between the bounds varies less than a pass or
fail: the effective number is the number of cases divided by ``ratio``, the variance of the case means over
``mean * (1 - mean)``, the largest that the mean allows.

A few similar scores do not show the variance. Up to four pseudo-cases of the largest variance are therefore
added to it (four, as Agresti and Coull 1998). They count fully if all scores are equal or the mean is close
to a bound, and hardly at all elsewhere, where the interval is that of t.

``python -m benchmarks.timelines.interval_coverage`` simulates the coverage; docs/decisions/0016
compares other methods.
"""

import numpy as np
import numpy.typing as npt

from backend.timelines.statistics.distributions import LEVEL, Floats, Interval, t_quantile

SCORE_BOUNDS = (0.0, 1.0)
_PSEUDO_CASES = 4
_ROUNDING = 1e-9
"""Scores that differ by less, as a share of the range, are equal."""

Groups = npt.NDArray[np.int64]


def score_interval(
    means: Floats, level: float = LEVEL, bounds: tuple[float, float] = SCORE_BOUNDS
) -> Interval | None:
    """Compute the interval of the mean of ``means`` (one for each case); None for fewer than two.

    ``bounds`` are the lowest and highest possible score. Means beyond them, which bonuses make possible,
    extend them.
    """
    if len(means) < 2:
        return None
    low, high = score_intervals(means, np.zeros(len(means), dtype=np.int64), 1, level, bounds)
    return Interval(float(low[0]), float(high[0]))


def score_intervals(
    means: Floats,
    groups: Groups,
    count: int,
    level: float = LEVEL,
    bounds: tuple[float, float] = SCORE_BOUNDS,
) -> tuple[Floats, Floats]:
    """Compute the lower and upper ends for ``count`` groups; NaN for a group of fewer than two cases.

    ``groups`` holds the group of each of ``means``, 0 to ``count`` - 1. All groups share the bounds.
    """
    if not len(means):
        return np.full(count, np.nan), np.full(count, np.nan)
    lowest, highest = min(bounds[0], float(means.min())), max(bounds[1], float(means.max()))
    shares = (means - lowest) / (highest - lowest)
    cases: Floats = np.bincount(groups, minlength=count).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.clip(np.bincount(groups, weights=shares, minlength=count) / cases, 0.0, 1.0)
        squares = np.bincount(groups, weights=np.square(shares - mean[groups]), minlength=count)
        ties = _count_tied_pairs(shares, groups, count) / (cases * (cases - 1) / 2)
        effective = cases / _estimate_variance_ratio(mean, np.asarray(squares), cases, ties)
    distinct, index = np.unique(cases, return_inverse=True)
    t = t_quantile(0.5 + level / 2, np.maximum(distinct - 1, 1))[index]
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = wilson_ends(mean, effective, t)
    low[cases < 2] = high[cases < 2] = np.nan
    width = highest - lowest
    return lowest + width * low, lowest + width * high


def wilson_ends(mean: Floats, n: Floats, quantile: Floats | float) -> tuple[Floats, Floats]:
    """Compute Wilson's score interval of means between 0 and 1 in ``n`` independent trials."""
    weight = quantile * quantile / n
    middle = (mean + weight / 2) / (1 + weight)
    reach = quantile / (1 + weight) * np.sqrt(mean * (1 - mean) / n + weight / (4 * n))
    # Rounding must not move an end past the mean.
    low = np.clip(np.minimum(middle - reach, mean), 0.0, 1.0)
    return low, np.clip(np.maximum(middle + reach, mean), 0.0, 1.0)


def _estimate_variance_ratio(mean: Floats, squares: Floats, cases: Floats, ties: Floats) -> Floats:
    """Estimate the variance of a case mean over the largest possible one, with pseudo-cases of ratio 1."""
    largest = mean * (1 - mean)
    variance = squares / (cases - 1)
    nearness = variance / (variance + np.square(np.minimum(mean, 1 - mean)))
    weight = _PSEUDO_CASES * np.fmax(nearness**3, np.square(ties))
    ratio = (np.minimum(squares / largest, cases) + weight) / (cases - 1 + weight)
    is_at_bound = largest < _ROUNDING
    return np.where(is_at_bound, 1.0, ratio)


def _count_tied_pairs(shares: Floats, groups: Groups, count: int) -> Floats:
    """Count the pairs of equal scores in each group."""
    keys_per_group = round(1 / _ROUNDING) + 1
    keys = groups * keys_per_group + np.rint(shares / _ROUNDING).astype(np.int64)
    keys.sort()
    starts = np.flatnonzero(np.concatenate(([True], np.diff(keys) != 0)))
    sizes = np.diff(np.append(starts, len(keys))).astype(np.float64)
    pairs = np.bincount(keys[starts] // keys_per_group, weights=sizes * (sizes - 1) / 2, minlength=count)
    return np.asarray(pairs, dtype=np.float64)
