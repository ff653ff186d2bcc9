"""Detects changes of a profile by a case-centred CUSUM per pass.

Sources: Page, "Continuous Inspection Schemes" (1954), and Montgomery, "Introduction to Statistical Quality
Control", section 9.1, for the tabular CUSUM with k = 0.5 and h = 5; Hawkins, "Self-Starting CUSUM Charts for
Location and Scale" (1987), for comparing each value only with earlier ones; Brown, Durbin and Evans (1975)
for recursive residuals; Lucas and Crosier, "Robust CUSUM" (1982), for bounding a single value.

Raw scores are unsuitable: if hard cases run first, they raise an alarm. Each case is therefore compared with
its own mean so far. The value of a pass is the sum of its cases' recursive residuals, divided by its standard
deviation.
"""

from dataclasses import dataclass

import numpy as np

from backend.timelines.statistics.distributions import Floats

K, H = 0.5, 5.0
"""Slack and limit, in standard deviations of a pass: tuned to a shift of one of them."""
BOUND = 4.0
"""Limit on the value of a pass, in standard deviations, so that no single pass raises an alarm."""
REFERENCE = 5
"""Initial passes that only establish the baseline; the same number again after an alarm."""
_PRIOR_SQUARE = 0.25
"""The largest possible variance of one run, added to the observed squares: identical scores alone do not
imply a variance of zero."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm. ``at`` is the pass that raised it, ``start`` the estimated first pass of the change."""

    fell: bool
    start: int
    at: int


def drift(z: Floats, k: float = K) -> tuple[Floats, Floats]:
    """Compute the tabular CUSUMs of falls and of rises along the last axis of ``z``. NaN counts as zero."""
    values = np.nan_to_num(z)
    down, up = np.empty_like(values), np.empty_like(values)
    low = high = np.zeros(values.shape[:-1])
    for place in range(values.shape[-1]):
        low = np.maximum(0.0, low - values[..., place] - k)
        high = np.maximum(0.0, high + values[..., place] - k)
        down[..., place], up[..., place] = low, high
    return down, up


def pass_values(sums: Floats, counts: Floats, spread: tuple[float, float] = (0.0, 0.0)) -> Floats:
    """Compute the standardised value of each pass; NaN in the baseline.

    ``sums`` and ``counts`` hold the sum and number of scores by pass and case (…, passes, cases). The j-th
    mean of a case minus its mean so far, over the root of 1 / n now + 1 / n before, has the variance of one
    run, independent of the case's level. The residuals of a pass are added and divided by the root of their
    number and by the pooled standard deviation of the earlier passes. ``spread`` is a sum of squared
    residuals and their number from before these passes.
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
    """Return the residuals, zero where a case was not run now or before, and a mask of the known ones."""
    sums_before = np.cumsum(sums, axis=-2) - sums
    counts_before = np.rint(np.cumsum(counts, axis=-2) - counts)
    known = (counts > 0) & (counts_before > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(1 / counts + 1 / counts_before)
        residuals = (sums / counts - sums_before / counts_before) / scale
    return np.where(known, residuals, 0.0), known.astype(np.float64)


def spread_of(sums: Floats, counts: Floats) -> tuple[float, float]:
    """Compute the sum of squared recursive residuals and their number, the ``spread`` of ``pass_values``."""
    residuals, known = _recursive_residuals(sums, counts)
    return float(np.square(residuals).sum()), float(known.sum())


@dataclass(frozen=True, slots=True)
class Watch:
    """The CUSUMs of one profile by pass (zero in the baseline), and its alarms in order of time."""

    z: Floats
    down: Floats
    up: Floats
    alarms: tuple[Alarm, ...]


def watch(sums: Floats, counts: Floats, k: float = K, h: float = H) -> Watch:
    """Monitor one profile's passes (passes, cases). After an alarm the passes from its start are the
    baseline.

    A profile with fewer than :data:`REFERENCE` + 1 passes is not monitored.
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
    """Return the pass after the last zero of ``path`` before ``at`` (Page's estimate)."""
    zeros = np.flatnonzero(path[:at] <= 0)
    return int(zeros[-1]) + 1 if len(zeros) else 0
