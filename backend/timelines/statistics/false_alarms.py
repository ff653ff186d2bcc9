"""Estimates the false alarm rate of the CUSUM by resampling whole passes of unchanged profiles.

An unchanged profile is simulated from the profile's own passes, each case centred on its mean: a simulated
pass is one of them, drawn at random. Runs of one pass stay together, so passes that wobble as a whole also
wobble in the simulation. The simulated passes go through the same monitoring, including its baseline.
Deviations from a case's mean are widened by the root of n / (n - 1), because n runs vary less than their
population (Davison and Hinkley, "Bootstrap Methods and Their Application", 1997, section 2.3).
"""

from collections.abc import Iterable

import numpy as np

from backend.timelines.statistics.cusum import REFERENCE, H, K, drift, pass_values
from backend.timelines.statistics.distributions import Floats

PASSES = 100
"""Monitored passes that a rate refers to."""
SERIES = 400
"""Simulated series: a rate of 10 % then has a standard error of 1.5 %."""
_SEED = 20_250_102
_MAX_VALUES_PER_BATCH = 400_000


def centre_passes(sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Centre each case of unchanged passes (passes, cases) on its mean, and widen the deviations.

    Returns sums and counts. A case that ran in one pass has no known variation and counts as not run.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums.sum(axis=0) / counts.sum(axis=0)
        runs = (counts > 0).sum(axis=0)
        wide = np.sqrt(runs / (runs - 1))
    is_known = (counts > 0) & (runs > 1)
    with np.errstate(invalid="ignore"):
        deviations = (sums - counts * means) * wide
    return np.where(is_known, deviations, 0.0), np.where(is_known, counts, 0.0)


def unchanged_series(
    sums: Floats, counts: Floats, series: int, passes: int, seed: int = _SEED
) -> tuple[Floats, Floats]:
    """Draw ``series`` unchanged profiles (series, passes, cases), as sums and counts.

    ``sums`` and ``counts`` are centred passes (passes, cases). Raises :class:`ValueError` if no pass has a
    case.
    """
    filled = np.flatnonzero(counts.sum(axis=-1) > 0)
    if not len(filled):
        raise ValueError("No case has runs in two passes, so the variation of its scores is unknown.")
    drawn = filled[np.random.default_rng(seed).integers(0, len(filled), size=(series, passes))]
    return sums[drawn], counts[drawn]


def false_alarm_rate(
    sums: Floats, counts: Floats, *, passes: int = PASSES, series: int = SERIES, k: float = K, h: float = H
) -> float | None:
    """Compute the share of unchanged series that raise an alarm within ``passes`` monitored passes.

    ``sums`` and ``counts`` are passes of :func:`centre_passes`. None if no case ran in two passes. Alarms of
    falls and of rises both count.
    """
    ran = counts.any(axis=0)
    sums, counts = sums[:, ran], counts[:, ran]
    if not counts.any():
        return None
    step = max(1, _MAX_VALUES_PER_BATCH // ((passes + REFERENCE) * counts.shape[1]))
    alarmed = 0
    for start in range(0, series, step):
        size = min(step, series - start)
        drawn = unchanged_series(sums, counts, size, passes + REFERENCE, seed=_SEED + start)
        down, up = drift(pass_values(*drawn), k)
        alarmed += int((np.maximum(down, up).max(axis=-1) > h).sum())
    return alarmed / series


def family_rate(rates: Iterable[float]) -> float:
    """Compute the chance that any of several unchanged profiles raises a false alarm."""
    return 1.0 - float(np.prod([1.0 - rate for rate in rates]))
