"""Detects changes of a profile by a case-centred CUSUM per pass.

Sources: Page, "Continuous Inspection Schemes" (1954), and Montgomery, "Introduction to Statistical Quality
Control", section 9.1, for the tabular CUSUM; Hawkins, "Self-Starting CUSUM Charts for Location and Scale"
(1987), for comparing each value only with earlier ones and turning its t into a normal value; Brown, Durbin
and Evans (1975) for recursive residuals; Lucas and Crosier, "Robust CUSUM" (1982), for bounding a single
value; Wallace (1959) for the normal value of a t.

Raw scores are unsuitable: if hard cases run first, they raise an alarm. Each case is therefore compared with
its own mean so far. The value of a pass is the sum of its cases' recursive residuals.

Whole passes wobble: a loaded provider moves all cases of a pass together, so the runs of a pass are not
independent. The value of a pass is therefore divided by the deviation of the values of earlier passes. While
these are few, the variance of single runs counts as :data:`PRIOR_PASSES` passes beside them.
"""

from dataclasses import dataclass

import numpy as np

from backend.timelines.statistics.distributions import Floats, normal_value_of_t

K, H = 0.5, 5.5
"""Slack and limit, in standard deviations of a pass. An unchanged profile of normal scores then raises an
alarm of a fall or a rise in about 11 % of stretches of 100 passes."""
BOUND = 4.0
"""Limit on the value of a pass, in standard deviations, so that no single pass raises an alarm."""
REFERENCE = 5
"""Initial passes that only establish the baseline; the same number again after an alarm."""
PRIOR_PASSES = 4
"""Passes that the variance of single runs counts for."""
_PRIOR_SQUARE = 0.25
"""The largest possible variance of one run, added to the observed squares: identical scores alone do not
imply a variance of zero."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Sums of squared recursive residuals and of squared values of passes, with their numbers."""

    run_squares: float = 0.0
    runs: float = 0.0
    pass_squares: float = 0.0
    passes: float = 0.0


NO_SPREAD = Spread()


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
    for index in range(values.shape[-1]):
        low = np.maximum(0.0, low - values[..., index] - k)
        high = np.maximum(0.0, high + values[..., index] - k)
        down[..., index], up[..., index] = low, high
    return down, up


def pass_values(sums: Floats, counts: Floats, spread: Spread = NO_SPREAD) -> Floats:
    """Compute the standardised value of each pass; NaN in the baseline.

    ``sums`` and ``counts`` hold the sum and number of scores by pass and case (…, passes, cases). The j-th
    mean of a case minus its mean so far, over the root of 1 / n now + 1 / n before, has the variance of one
    run, independent of the case's level. The value of a pass is the sum of these residuals over the root of
    their number; it has the variance of one run too if runs are independent, and more if the pass wobbles.
    ``spread`` is that of passes before these.
    """
    z, _ = _standardise(sums, counts, spread)
    z[..., :REFERENCE] = np.nan
    return z


def _standardise(sums: Floats, counts: Floats, spread: Spread) -> tuple[Floats, Floats]:
    """Return the standardised values of passes and their squares, bounded like the values.

    Without the bound, one pass with an outage would hide later changes for a long time.
    """
    residuals, is_known = _compute_recursive_residuals(sums, counts)
    judged = is_known.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(judged > 0, residuals.sum(axis=-1) / np.sqrt(judged), 0.0)
    run_squares = _sum_before(np.square(residuals).sum(axis=-1)) + spread.run_squares + _PRIOR_SQUARE
    prior = PRIOR_PASSES * run_squares / (_sum_before(judged) + spread.runs + 1)
    df = PRIOR_PASSES + _sum_before((judged > 0).astype(np.float64)) + spread.passes
    squares = np.square(values)
    total = np.full(values.shape[:-1], spread.pass_squares)
    by_pass = zip(*(np.moveaxis(part, -1, 0) for part in (squares, prior, df)), strict=True)
    for index, (square, prior_of_pass, df_of_pass) in enumerate(by_pass):
        bounded = np.minimum(square, BOUND**2 * (prior_of_pass + total) / df_of_pass)
        squares[..., index] = bounded
        total = total + bounded
    variance = (prior + _sum_before(squares) + spread.pass_squares) / df
    z = np.clip(normal_value_of_t(values / np.sqrt(variance), df), -BOUND, BOUND)
    z[judged == 0] = np.nan
    return z, squares


def _sum_before(values: Floats) -> Floats:
    """Add the values of all earlier passes."""
    total: Floats = np.cumsum(values, axis=-1) - values
    return total


def _compute_recursive_residuals(sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return the residuals, zero where a case was not run now or before, and a mask of the known ones."""
    sums_before = np.cumsum(sums, axis=-2) - sums
    counts_before = np.rint(np.cumsum(counts, axis=-2) - counts)
    is_known = (counts > 0) & (counts_before > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(1 / counts + 1 / counts_before)
        residuals = (sums / counts - sums_before / counts_before) / scale
    return np.where(is_known, residuals, 0.0), is_known.astype(np.float64)


def add_spread(sums: Floats, counts: Floats, spread: Spread) -> Spread:
    """Add the spread of passes (passes, cases) to ``spread``, that of passes before them."""
    residuals, is_known = _compute_recursive_residuals(sums, counts)
    _, squares = _standardise(sums, counts, spread)
    return Spread(
        spread.run_squares + float(np.square(residuals).sum()),
        spread.runs + float(is_known.sum()),
        spread.pass_squares + float(squares.sum()),
        spread.passes + float(is_known.any(axis=-1).sum()),
    )


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
    start, spread = 0, NO_SPREAD
    while passes - start > REFERENCE:
        values = pass_values(sums[start:], counts[start:], spread)
        low, high = drift(values, k)
        crossed = np.flatnonzero((low > h) | (high > h))
        end = start + int(crossed[0]) + 1 if len(crossed) else passes
        z[start:end], down[start:end], up[start:end] = (part[: end - start] for part in (values, low, high))
        if not len(crossed):
            break
        fell = bool(low[crossed[0]] > h)
        since = _find_beginning(low if fell else high, int(crossed[0]))
        alarms.append(Alarm(fell, start + since, end - 1))
        spread = add_spread(sums[start : start + since], counts[start : start + since], spread)
        start += since
    return Watch(z, down, up, tuple(alarms))


def _find_beginning(path: Floats, at: int) -> int:
    """Return the pass after the last zero of ``path`` before ``at`` (Page's estimate)."""
    zeros = np.flatnonzero(path[:at] <= 0)
    return int(zeros[-1]) + 1 if len(zeros) else 0
