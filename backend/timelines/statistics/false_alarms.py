"""Estimates the false alarm rate of the CUSUM by resampling unchanged profiles.

A profile that never changes is made of the profile's own trials: each pass draws, for every case, one of the
case's runs. What is drawn passes through the very same watch, its reference passes included. Deviations from
the case's mean are widened by the root of n / (n - 1), without which n trials vary less than what they came
from (Davison and Hinkley, "Bootstrap Methods and Their Application", 1997, section 2.3).
"""

from collections.abc import Sequence

import numpy as np

from backend.timelines.statistics.cusum import REFERENCE, H, K, drift, pass_values
from backend.timelines.statistics.distributions import Floats

PASSES = 100
"""Judged passes that a rate is stated for."""
SERIES = 400
"""Unchanged series drawn: a rate of 10 % is then known within 1.5 %."""
_SEED = 20_250_102
_AT_ONCE = 400_000


def unchanged_series(
    trials: Sequence[Floats], series: int, passes: int, *, widened: bool = True, seed: int = _SEED
) -> Floats:
    """Scores of ``series`` profiles that do not change (series, passes, cases), out of each case's trials.

    Cases with one trial tell nothing of how they vary and are left out. Raises :class:`ValueError` if no
    case has two.
    """
    told = [case for case in trials if len(case) > 1]
    if not told:
        raise ValueError("no case has two runs, so nothing tells how its scores vary")
    chance = np.random.default_rng(seed)
    drawn = np.empty((series, passes, len(told)))
    for place, case in enumerate(told):
        mean = case.mean()
        wide = np.sqrt(len(case) / (len(case) - 1)) if widened else 1.0
        pool = mean + (np.sort(case) - mean) * wide
        drawn[:, :, place] = pool[chance.integers(0, len(pool), size=(series, passes))]
    return drawn


def false_alarm_rate(
    trials: Sequence[Floats], *, passes: int = PASSES, series: int = SERIES, k: float = K, h: float = H
) -> float | None:
    """The share of unchanged series that raise an alarm of a fall within ``passes`` judged passes.

    Null where no case has two trials. Rises are as frequent again.
    """
    cases = sum(len(case) > 1 for case in trials)
    if not cases:
        return None
    step = max(1, _AT_ONCE // ((passes + REFERENCE) * cases))
    alarmed = 0
    for start in range(0, series, step):
        size = min(step, series - start)
        scores = unchanged_series(trials, size, passes + REFERENCE, seed=_SEED + start)
        down, _ = drift(pass_values(scores, np.ones_like(scores)), k)
        alarmed += int((down.max(axis=-1) > h).sum())
    return alarmed / series
