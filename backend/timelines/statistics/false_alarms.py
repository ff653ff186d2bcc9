"""Estimates the false alarm rate of the CUSUM by resampling unchanged profiles.

An unchanged profile is simulated from the profile's own trials: each pass draws, for every case, one of the
case's runs. The simulated passes go through the same monitoring, including its baseline. Deviations from
the case's mean are widened by the root of n / (n - 1), because n trials vary less than their population
(Davison and Hinkley, "Bootstrap Methods and Their Application", 1997, section 2.3).
"""

from collections.abc import Sequence

import numpy as np

from backend.timelines.statistics.cusum import REFERENCE, H, K, drift, pass_values
from backend.timelines.statistics.distributions import Floats

PASSES = 100
"""Monitored passes that a rate refers to."""
SERIES = 400
"""Simulated series: a rate of 10 % then has a standard error of 1.5 %."""
_SEED = 20_250_102
_MAX_VALUES_PER_BATCH = 400_000


def unchanged_series(
    trials: Sequence[Floats], series: int, passes: int, *, widened: bool = True, seed: int = _SEED
) -> Floats:
    """Simulate ``series`` unchanged profiles (series, passes, cases) from the trials of each case.

    Cases with one trial have no known variation and are left out. Raises :class:`ValueError` if no case has
    two trials.
    """
    varying = [case for case in trials if len(case) > 1]
    if not varying:
        raise ValueError("No case has two runs, so the variation of its scores is unknown.")
    chance = np.random.default_rng(seed)
    drawn = np.empty((series, passes, len(varying)))
    for place, case in enumerate(varying):
        mean = case.mean()
        wide = np.sqrt(len(case) / (len(case) - 1)) if widened else 1.0
        pool = mean + (np.sort(case) - mean) * wide
        drawn[:, :, place] = pool[chance.integers(0, len(pool), size=(series, passes))]
    return drawn


def false_alarm_rate(
    trials: Sequence[Floats], *, passes: int = PASSES, series: int = SERIES, k: float = K, h: float = H
) -> float | None:
    """Compute the share of unchanged series that raise an alarm of a fall within ``passes`` monitored passes.

    None if no case has two trials. Alarms of a rise are equally frequent.
    """
    cases = sum(len(case) > 1 for case in trials)
    if not cases:
        return None
    step = max(1, _MAX_VALUES_PER_BATCH // ((passes + REFERENCE) * cases))
    alarmed = 0
    for start in range(0, series, step):
        size = min(step, series - start)
        scores = unchanged_series(trials, size, passes + REFERENCE, seed=_SEED + start)
        down, _ = drift(pass_values(scores, np.ones_like(scores)), k)
        alarmed += int((down.max(axis=-1) > h).sum())
    return alarmed / series
