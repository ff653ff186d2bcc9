"""Computes bootstrap intervals of a mean over cases; draws whole cases, because their runs are correlated.

Sources: Efron, "Bootstrap Methods" (1979), for percentiles; Hesterberg, "What Teachers Should Know About
the Bootstrap" (2015), for expanded percentiles, because plain ones are too narrow: by the root of (n - 1) / n
and by normal instead of t quantiles; Field and Welsh (2007) for drawing clusters.
"""

import numpy as np

from backend.timelines.statistics.distributions import Floats, Interval, normal_share, t_quantile

DRAWS = 10_000
SEED = 20_250_101
"""A fixed seed: the same cases always give the same interval."""
_MAX_VALUES_PER_BATCH = 2_000_000
"""Values drawn in one batch: 8 MB of indexes and 16 MB of values."""


def bootstrap_interval(values: Floats, level: float = 0.95, draws: int = DRAWS) -> Interval | None:
    """Compute the interval of the mean of ``values`` (one value per case); None for fewer than two.

    The draws depend on the order of ``values``: pass them in the order of the case names. The interval of
    ``-values`` is the mirrored one.
    """
    count = len(values)
    if count < 2:
        return None
    rng = np.random.default_rng(SEED)
    means = np.empty(draws)
    step = max(1, _MAX_VALUES_PER_BATCH // count)
    for start in range(0, draws, step):
        end = min(draws, start + step)
        indexes = rng.integers(0, count, size=(end - start, count), dtype=np.int32)
        means[start:end] = values[indexes].mean(axis=1)
    tail = expanded_tail(count, level)
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


def expanded_tail(count: int, level: float) -> float:
    """Compute the share to cut off at each end (Hesterberg): the normal tail at t times root of n / (n -
    1)."""
    widened_t = float(t_quantile(0.5 + level / 2, count - 1)) * np.sqrt(count / (count - 1))
    return normal_share(-widened_t)
