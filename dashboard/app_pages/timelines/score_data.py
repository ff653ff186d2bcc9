"""Prepares scores over time for the chart: windows, clipped bands and marks. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backend.timelines.analysis.alerts import Alert
from backend.timelines.analysis.scores_over_time import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    WINDOWS,
    Line,
    ModelChange,
    OverTime,
    build_score_lines,
)
from backend.timelines.columns.run_arrays import RunArrays
from backend.timelines.statistics.distributions import Floats

MAX_POINTS = 300
"""Maximum number of windows of a line, limited by the screen."""
UNITS = ((7 * DAY, "week"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))


def windows(arrays: RunArrays) -> tuple[int, ...]:
    """The windows to choose from, in seconds: those that part the span into 2 to :data:`MAX_POINTS`."""
    if not len(arrays):
        return ()
    span = int(arrays.time.max() - arrays.time.min())
    fit = [window for window in WINDOWS if window <= span <= window * MAX_POINTS]
    return tuple(window // SECOND for window in fit)


def drawn(arrays: RunArrays, window: int | None, *, same_cases: bool) -> OverTime:
    """The lines; a ``window`` (in seconds) that would draw too many points counts as none chosen."""
    usable = window if window in windows(arrays) else None
    return build_score_lines(arrays, None if usable is None else usable * SECOND, same_cases=same_cases)


def unit_of(window: int) -> tuple[str, int]:
    """A window in microseconds as its largest whole unit and how many."""
    return next(
        ((unit, window // size) for size, unit in UNITS if window % size == 0), ("second", window // SECOND)
    )


@dataclass(frozen=True, slots=True)
class Band:
    """One stretch of a line whose windows have a band, from ``first`` to before ``end``."""

    first: int
    end: int


def clipped(line: Line) -> tuple[Floats, Floats]:
    """The band within 0 to 1, or to its line where bonuses carry that beyond: no score can be there."""
    low = np.minimum(np.maximum(line.low, 0.0), line.mean)
    high = np.maximum(np.minimum(line.high, 1.0), line.mean)
    return low, high


def bands(line: Line) -> list[Band]:
    """The stretches with a band: a window of one case has none."""
    known = ~np.isnan(line.low)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(np.int8)))
    return [Band(int(first), int(end)) for first, end in zip(edges[::2], edges[1::2], strict=True)]


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign on a profile's line at ``time`` (microseconds); ``height`` is the line's (a fraction)."""

    profile: int
    time: int
    height: float


def marks(lines: Sequence[Line], at: Sequence[tuple[int, int]]) -> list[Mark | None]:
    """Where the signs of ``at`` (a profile and a time each) stand; null for a line that is not drawn."""
    by_profile = {line.profile: line for line in lines}
    return [_mark(by_profile.get(profile), profile, time) for profile, time in at]


def _mark(line: Line | None, profile: int, time: int) -> Mark | None:
    if line is None:
        return None
    return Mark(profile, time, float(np.interp(time, line.time, line.mean)))


def happened(
    alerts: Sequence[Alert], changes: Sequence[ModelChange]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Profiles and times of both, for :func:`marks`."""
    return [(one.profile, one.since) for one in alerts], [(one.profile, one.time) for one in changes]
