"""Prepares scores over time for the chart: windows, bands and marks. Pure."""

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
    ColumnChange,
    Line,
    OverTime,
    build_score_lines,
)
from backend.timelines.columns.run_arrays import RunArrays

MAX_POINTS = 300
"""Maximum number of windows of a line, limited by the screen."""
WINDOW_UNITS = ((7 * DAY, "week"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))


def list_windows(arrays: RunArrays) -> tuple[int, ...]:
    """List the windows, in seconds, that divide the span of the runs into 2 to :data:`MAX_POINTS`."""
    if not len(arrays):
        return ()
    span = int(arrays.time.max() - arrays.time.min())
    fitting = [window for window in WINDOWS if window <= span <= window * MAX_POINTS]
    return tuple(window // SECOND for window in fitting)


def build_lines(arrays: RunArrays, window: int | None, *, same_cases: bool) -> OverTime:
    """Build the score lines. A ``window`` (in seconds) with too few or too many points is ignored."""
    usable = window if window in list_windows(arrays) else None
    return build_score_lines(arrays, None if usable is None else usable * SECOND, same_cases=same_cases)


def find_unit(window: int) -> tuple[str, int]:
    """Find the largest unit that divides a window (in microseconds), and the number of units."""
    return next(
        ((unit, window // size) for size, unit in WINDOW_UNITS if window % size == 0),
        ("second", window // SECOND),
    )


@dataclass(frozen=True, slots=True)
class Band:
    """Consecutive windows of a line that have a band: the index range [``first``, ``end``)."""

    first: int
    end: int


def find_bands(line: Line) -> list[Band]:
    """Find the ranges of windows with a band. A window with one case has no band."""
    has_band = ~np.isnan(line.low)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], has_band, [False]]).astype(np.int8)))
    return [Band(int(first), int(end)) for first, end in zip(edges[::2], edges[1::2], strict=True)]


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a profile's line at ``time`` (microseconds); ``height`` is the mean score (a fraction)."""

    profile: int
    time: int
    height: float


def place_marks(lines: Sequence[Line], positions: Sequence[tuple[int, int]]) -> list[Mark | None]:
    """Place a mark on its line for each profile and time; None for a line that is not drawn."""
    by_profile = {line.profile: line for line in lines}
    return [_place_mark(by_profile.get(profile), profile, time) for profile, time in positions]


def _place_mark(line: Line | None, profile: int, time: int) -> Mark | None:
    if line is None:
        return None
    return Mark(profile, time, float(np.interp(time, line.time, line.mean)))


def list_positions(
    alerts: Sequence[Alert], changes: Sequence[ColumnChange]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """List the profiles and times of alerts and of changes, for :func:`place_marks`."""
    return [(alert.profile, alert.since) for alert in alerts], [
        (change.profile, change.time) for change in changes
    ]
