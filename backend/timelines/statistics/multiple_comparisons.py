"""Adjusts p-values for multiple comparisons.

Sources: Benjamini and Hochberg, "Controlling the False Discovery Rate" (1995); Holm, "A Simple Sequentially
Rejective Multiple Test Procedure" (1979). Paired comparisons of means are positively dependent, where
Benjamini-Hochberg still holds (Benjamini and Yekutieli 2001).
"""

import numpy as np

from backend.timelines.statistics.distributions import Floats


def benjamini_hochberg(p: Floats) -> Floats:
    """Adjust p-values: of the findings below a level, at most that share is expected to be false.

    The minimum over j >= i of p(j) m / j, in order of size. NaN means no comparison and stays NaN.
    """
    return _adjust_stepwise(p, up=True)


def holm(p: Floats) -> Floats:
    """Adjust p-values: for findings below a level, the chance of any false finding is at most that level.

    The maximum over j <= i of p(j) (m - j + 1), in order of size. NaN means no comparison and stays NaN.
    """
    return _adjust_stepwise(p, up=False)


def _adjust_stepwise(p: Floats, *, up: bool) -> Floats:
    adjusted = np.full(len(p), np.nan)
    compared = np.flatnonzero(~np.isnan(p))
    count = len(compared)
    if not count:
        return adjusted
    order = compared[np.argsort(p[compared], kind="stable")]
    rank = np.arange(1, count + 1)
    if up:
        steps = np.minimum.accumulate((p[order] * (count / rank))[::-1])[::-1]
    else:
        steps = np.maximum.accumulate(p[order] * (count - rank + 1))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
