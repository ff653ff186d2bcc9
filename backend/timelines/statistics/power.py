"""Computes the smallest detectable difference of a comparison, and the cases needed for a difference.

Source: Bloom, "Minimum Detectable Effects" (1995): the multiple of the standard error is the sum of the
quantiles of t for the test and for the power. Miller (2024), section 5, gives the same for evaluations.
"""

import math

from backend.timelines.statistics.distributions import t_quantile

ALPHA, POWER = 0.05, 0.8
_MAX_CASES = 10_000_000


def smallest_detectable_difference(
    deviation: float, cases: int, alpha: float = ALPHA, power: float = POWER
) -> float | None:
    """Compute the smallest true difference that a test at ``alpha`` detects with ``power``; None below two
    cases.

    ``deviation`` is the standard deviation of the differences of case means, in the unit of the result.
    """
    if cases < 2:
        return None
    return _compute_error_multiple(cases, alpha, power) * deviation / math.sqrt(cases)


def cases_needed(
    deviation: float, difference: float, alpha: float = ALPHA, power: float = POWER
) -> int | None:
    """Compute how many shared cases are needed to detect ``difference`` (above 0).

    None if ten million cases are not enough.
    """
    low, high = 2, _MAX_CASES
    if _compute_error_multiple(high, alpha, power) * deviation / math.sqrt(high) > difference:
        return None
    while low < high:
        middle = (low + high) // 2
        if _compute_error_multiple(middle, alpha, power) * deviation / math.sqrt(middle) <= difference:
            high = middle
        else:
            low = middle + 1
    return low


def _compute_error_multiple(cases: int, alpha: float, power: float) -> float:
    df = cases - 1
    return float(t_quantile(1 - alpha / 2, df) + t_quantile(power, df))
