"""Computes means of case means, with intervals over cases.

Sources: Miller, "Adding Error Bars to Evals" (2024, arXiv:2411.00640), sections 2.1 and 2.2, for standard
errors and clusters; Bowyer, Aitchison and Ivanova, "Don't Use the CLT in LLM Evals With Fewer Than a Few
Hundred Datapoints" (2025, arXiv:2503.01747), for why neither the normal nor t suffices for scores.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from backend.timelines.statistics.distributions import LEVEL, Floats, Interval, t_quantile
from backend.timelines.statistics.score_intervals import SCORE_BOUNDS, score_interval

Codes = npt.NDArray[np.int64] | npt.NDArray[np.int32]
Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of case means. ``error`` and ``interval`` are None with fewer than two cases."""

    mean: float
    error: float | None
    interval: Interval | None
    cases: int
    runs: int


def case_means(scores: Floats, cases: Codes, count: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Compute the mean score and the number of runs of each of ``count`` cases; NaN for a case without runs.

    ``cases`` holds the case index of each score, 0 to ``count`` - 1.
    """
    runs = np.bincount(cases, minlength=count)
    sums = np.bincount(cases, weights=scores, minlength=count)
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / runs, runs


def mean_of_cases(
    scores: Floats, cases: Codes, level: float = LEVEL, bounds: Bounds | None = SCORE_BOUNDS
) -> Mean | None:
    """Compute the mean of the case means with its interval; None without runs.

    The interval is that of :mod:`.score_intervals`. Values without bounds, such as costs, have a t interval.
    The standard error is the standard deviation of the case means over the root of their number: the
    cluster-robust error for equally weighted clusters. Degrees of freedom: cases minus one.
    """
    if not len(scores):
        return None
    means, runs = case_means(scores, cases, int(cases.max()) + 1)
    return mean_of(means[runs > 0], len(scores), level, bounds)


def mean_of(means: Floats, runs: int, level: float = LEVEL, bounds: Bounds | None = SCORE_BOUNDS) -> Mean:
    """Compute the mean of known case means of ``runs`` runs, as :func:`mean_of_cases` does."""
    mean, count = float(means.mean()), len(means)
    if count < 2:
        return Mean(mean, None, None, count, runs)
    error = float(means.std(ddof=1) / np.sqrt(count))
    if bounds is not None:
        return Mean(mean, error, score_interval(means, level, bounds), count, runs)
    reach = float(t_quantile(0.5 + level / 2, count - 1)) * error
    return Mean(mean, error, Interval(mean - reach, mean + reach), count, runs)


def clustered_error(scores: Floats, cases: Codes) -> float:
    """Compute the standard error of the mean over runs, clustered by case (Miller, section 2.2).

    It is the root of the sum over cases of (sum of the case's deviations from the mean) squared, over n.
    """
    deviations_by_case = np.bincount(cases, weights=scores - scores.mean())
    return float(np.sqrt(np.square(deviations_by_case).sum()) / len(scores))
