"""Case-centred CUSUM per pass: has a profile become worse, or better, than it was?

Sources: Page, "Continuous Inspection Schemes" (1954), and Montgomery, "Introduction to Statistical Quality
Control", section 9.1, for the tabular CUSUM with k = 0.5 and h = 5; Hawkins, "Self-Starting CUSUM Charts for
Location and Scale" (1987), for judging each value by those before it alone; Brown, Durbin and Evans (1975)
for recursive residuals; Lucas and Crosier, "Robust CUSUM" (1982), for bounding a single value.

Raw scores will not do: where hard cases run first, they alarm at once. So each case is compared with its
own mean so far, and a pass gives one value: the sum of its cases' recursive residuals over its standard
deviation.
"""

from dataclasses import dataclass

import numpy as np

from backend.timelines.statistics.distributions import Floats

K, H = 0.5, 5.0
"""Slack and limit, in standard deviations of a pass: tuned to a shift of one of them."""
BOUND = 4.0
"""A pass counts for no more than so many standard deviations, so that no single one raises an alarm."""
REFERENCE = 5
"""Passes that only show what is usual, before any is judged; the same again after an alarm."""
_PRIOR_SQUARE = 0.25
"""One run's variance at its greatest, added to what the cases showed: no certainty out of agreement alone."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """``at`` is the pass that raised it, ``start`` the first of the passes that led to it."""

    fell: bool
    start: int
    at: int


def drift(z: Floats, k: float = K) -> tuple[Floats, Floats]:
    """The tabular CUSUMs of ``z`` along its last axis: of falls, and of rises. NaN counts as nothing seen."""
    values = np.nan_to_num(z)
    down, up = np.empty_like(values), np.empty_like(values)
    low = high = np.zeros(values.shape[:-1])
    for place in range(values.shape[-1]):
        low = np.maximum(0.0, low - values[..., place] - k)
        high = np.maximum(0.0, high + values[..., place] - k)
        down[..., place], up[..., place] = low, high
    return down, up


def pass_values(sums: Floats, counts: Floats, spread: tuple[float, float] = (0.0, 0.0)) -> Floats:
    """The standardised value of each pass, NaN while it cannot be judged.

    ``sums`` and ``counts`` hold the scores' sum and number by pass and case (…, passes, cases). The j-th mean
    of a case less its mean so far, over the root of 1 / n now + 1 / n before, has the variance of one run,
    whatever the case's level; those of a pass are added and divided by the root of their number and by the
    pooled standard deviation of the passes before. ``spread`` is a sum of such squares, and their number,
    known from elsewhere.
    """
    residuals, known = _recursive_residuals(sums, counts)
    judged = known.sum(axis=-1)
    squares = np.square(residuals).sum(axis=-1)
    before = np.cumsum(squares, axis=-1) - squares + spread[0] + _PRIOR_SQUARE
    degrees = np.cumsum(judged, axis=-1) - judged + spread[1] + 1
    with np.errstate(invalid="ignore", divide="ignore"):
        z = residuals.sum(axis=-1) / np.sqrt(judged * before / degrees)
    z[..., :REFERENCE] = np.nan
    return np.asarray(np.clip(z, -BOUND, BOUND), dtype=np.float64)


def _recursive_residuals(sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Zero where a case was not run in a pass or never before; and where they are known (1) or not (0)."""
    sums_before = np.cumsum(sums, axis=-2) - sums
    counts_before = np.rint(np.cumsum(counts, axis=-2) - counts)
    known = (counts > 0) & (counts_before > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(1 / counts + 1 / counts_before)
        residuals = (sums / counts - sums_before / counts_before) / scale
    return np.where(known, residuals, 0.0), known.astype(np.float64)


def spread_of(sums: Floats, counts: Floats) -> tuple[float, float]:
    """The sum of squared recursive residuals, and their number: what ``pass_values`` takes as ``spread``."""
    residuals, known = _recursive_residuals(sums, counts)
    return float(np.square(residuals).sum()), float(known.sum())


@dataclass(frozen=True, slots=True)
class Watch:
    """The CUSUMs of one profile by pass (zero while it could not be judged), and its alarms by time."""

    z: Floats
    down: Floats
    up: Floats
    alarms: tuple[Alarm, ...]


def watch(sums: Floats, counts: Floats, k: float = K, h: float = H) -> Watch:
    """Watch one profile's passes (passes, cases); after an alarm, what came since its start is the usual.

    A profile of fewer than :data:`REFERENCE` + 1 passes is not judged.
    """
    passes = len(sums)
    z, down, up = np.full(passes, np.nan), np.zeros(passes), np.zeros(passes)
    alarms: list[Alarm] = []
    start, spread = 0, (0.0, 0.0)
    while passes - start > REFERENCE:
        values = pass_values(sums[start:], counts[start:], spread)
        low, high = drift(values, k)
        crossed = np.flatnonzero((low > h) | (high > h))
        end = start + int(crossed[0]) + 1 if len(crossed) else passes
        z[start:end], down[start:end], up[start:end] = (part[: end - start] for part in (values, low, high))
        if not len(crossed):
            break
        fell = bool(low[crossed[0]] > h)
        since = _beginning(low if fell else high, int(crossed[0]))
        alarms.append(Alarm(fell, start + since, end - 1))
        more = spread_of(sums[start : start + since], counts[start : start + since])
        spread = (spread[0] + more[0], spread[1] + more[1])
        start += since
    return Watch(z, down, up, tuple(alarms))


def _beginning(path: Floats, at: int) -> int:
    """The pass behind the last one before ``at`` in which ``path`` stood at zero (Page's estimate)."""
    zeros = np.flatnonzero(path[:at] <= 0)
    return int(zeros[-1]) + 1 if len(zeros) else 0
