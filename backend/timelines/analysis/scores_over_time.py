"""Computes scores over time (mean of case means by window, with an interval) and changes of a profile's
model."""

from dataclasses import dataclass, field, replace

import numpy as np

from backend.timelines.columns.run_arrays import Bools, Ints, RunArrays
from backend.timelines.statistics.distributions import LEVEL, Floats
from backend.timelines.statistics.score_intervals import score_intervals

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND
WINDOWS = (
    *(n * MINUTE for n in (1, 5, 15, 30)),
    *(n * HOUR for n in (1, 3, 6, 12)),
    *(n * DAY for n in (1, 2, 7, 14, 28, 91, 182, 364)),
)
"""Window lengths to choose from. Windows start at UTC midnights, those of weeks on Mondays."""
MAX_WINDOWS, MIN_WINDOWS = 120, 10
_MONDAY = 4 * DAY
"""The first Monday of the epoch, from which windows are counted."""


def _build_no_counts() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Line:
    """One profile by window. ``low`` and ``high`` are NaN for windows with one case, which have no interval.

    ``start`` is the start of the window. ``time`` is the mean start of the window's runs. A run counts
    at the start of its evaluation, so that is where the point of one evaluation stands. ``shared`` counts the
    cases that the point before also has, 0 for the first point; empty if unknown. A line by evaluation has a
    ``suite`` if the runs name one, and the id of the evaluation of each point, None for a window of runs
    without one.
    """

    profile: int
    start: Ints
    time: Ints
    mean: Floats
    low: Floats
    high: Floats
    cases: Ints
    runs: Ints
    shared: Ints = field(default_factory=_build_no_counts)
    suite: str | None = None
    evaluations: tuple[str | None, ...] = ()

    @property
    def breaks(self) -> Bools:
        """True for the points before which the line breaks: the neighbours share fewer than half of their
        cases."""
        if not len(self.shared):
            return np.zeros(len(self.cases), dtype=bool)
        larger = np.maximum(self.cases, np.roll(self.cases, 1))
        broken: Bools = 2 * self.shared < larger
        broken[:1] = False
        return broken


@dataclass(frozen=True, slots=True)
class OverTime:
    window: int
    same_cases: bool
    lines: tuple[Line, ...]


def build_score_lines(
    selection: RunArrays, window: int | None = None, *, same_cases: bool = False, level: float = LEVEL
) -> OverTime:
    """Build a line for each profile with runs; ``window`` in microseconds, by default :func:`fitting_window`.

    The start of its evaluation decides the window of a run, so that no evaluation is cut in two.

    With ``same_cases`` each case is centred on its own mean and the profile's mean is added again, so that a
    window of hard cases does not look like a fall. The interval then covers the variation between windows and
    not the differences between cases.
    """
    window = window or fitting_window(selection)
    score = _centre_scores(selection) if same_cases else selection.score
    bins = (selection.start - _MONDAY) // window
    lines = []
    for profile in np.unique(selection.profile):
        chosen = np.flatnonzero(selection.profile == profile)
        windows, window_of_run = np.unique(bins[chosen], return_inverse=True)
        start = windows * window + _MONDAY
        lines.append(_build_line(selection, chosen, window_of_run, start, score[chosen], level))
    return OverTime(window, same_cases, tuple(lines))


def build_evaluation_lines(
    selection: RunArrays, window: int | None = None, *, same_cases: bool = False, level: float = LEVEL
) -> OverTime:
    """Build a line for each profile and suite, with a point for each evaluation in the order of the starts.

    Runs without an evaluation id have a point for each window, as in :func:`build_score_lines`.
    """
    window = window or fitting_window(selection)
    score = _centre_scores(selection) if same_cases else selection.score
    codes, ids = selection.names("evaluation_id")
    suite_codes, suites = selection.names("suite")
    bins = (selection.start - _MONDAY) // window
    first_bin = int(bins.min()) if len(bins) else 0
    group = np.where(codes >= 0, codes, len(ids) + bins - first_bin)
    lines = []
    line_keys = selection.profile * (len(suites) + 1) + suite_codes
    for key in np.unique(line_keys):
        chosen = np.flatnonzero(line_keys == key)
        groups, group_of_run = np.unique(group[chosen], return_inverse=True)
        start = np.full(len(groups), np.iinfo(np.int64).max)
        np.minimum.at(start, group_of_run, selection.start[chosen])
        order = np.lexsort((groups, start))
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        line = _build_line(selection, chosen, rank[group_of_run], start[order], score[chosen], level)
        suite_code = int(suite_codes[chosen[0]])
        names = tuple(ids[code] if code < len(ids) else None for code in groups[order].tolist())
        lines.append(replace(line, suite=suites[suite_code] if suite_code >= 0 else None, evaluations=names))
    return OverTime(window, same_cases, tuple(lines))


def fitting_window(selection: RunArrays) -> int:
    """Choose the shortest window that contains about one pass, with 10 to 120 windows over the span."""
    if not len(selection):
        return DAY
    span = int(selection.time.max() - selection.time.min())
    runs = np.bincount(selection.profile)
    cells = (selection.by_cell[1] > 0).sum(axis=1)[: len(runs)]
    passes = float(np.median(runs[runs > 0] / cells[runs > 0]))
    target_count = min(MAX_WINDOWS, max(MIN_WINDOWS, passes))
    longest = WINDOWS[-1] * (1 + int(span / target_count) // WINDOWS[-1])
    return next((window for window in WINDOWS if span / window <= target_count), longest)


def _centre_scores(selection: RunArrays) -> Floats:
    means, counts = selection.by_cell
    ran = (counts > 0).sum(axis=1)
    level = np.nansum(means, axis=1) / np.maximum(ran, 1)
    centred: Floats = selection.score - means[selection.profile, selection.case] + level[selection.profile]
    return centred


def _build_line(
    selection: RunArrays, chosen: Ints, point_of_run: Ints, start: Ints, score: Floats, level: float
) -> Line:
    """Build the line of the runs ``chosen`` (indexes), which have one profile.

    ``point_of_run`` and ``score`` hold the point and the score of each of them, ``start`` that of each point.
    """
    count = len(selection.cases)
    cells, cell_of = np.unique(point_of_run * count + selection.case[chosen], return_inverse=True)
    means = np.bincount(cell_of, weights=score) / np.bincount(cell_of)
    point_of = cells // count
    cases, runs = np.bincount(point_of), np.bincount(point_of_run)
    mean = np.bincount(point_of, weights=means) / cases
    low, high = score_intervals(means, point_of, len(start), level)
    since_start = (selection.start[chosen] - start[point_of_run]).astype(np.float64)
    offset = np.bincount(point_of_run, weights=since_start) / runs
    was_before = np.isin(cells - count, cells)
    shared = np.bincount(point_of, weights=was_before).astype(np.int64)
    return Line(
        int(selection.profile[chosen[0]]),
        start,
        start + offset.astype(np.int64),
        mean,
        low,
        high,
        cases,
        runs,
        shared,
    )


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """The first run of ``profile`` with the value ``after`` in a column; earlier runs had ``before``."""

    profile: int
    time: int
    before: str
    after: str
    column: str = "model"


def list_changes(selection: RunArrays, column: str = "model", limit: int = 200) -> tuple[ColumnChange, ...]:
    """Find runs whose value differs from the last known one of their profile, oldest first, up to ``limit``.

    Runs without a value are skipped.
    """
    codes, names = selection.names(column)
    known_rows = np.flatnonzero(codes >= 0)
    changed = np.flatnonzero(
        (np.diff(codes[known_rows]) != 0) & (np.diff(selection.profile[known_rows]) == 0)
    )
    changed = changed[np.argsort(selection.time[known_rows[changed + 1]], kind="stable")][:limit]
    return tuple(
        ColumnChange(
            int(selection.profile[row]),
            int(selection.time[row]),
            names[codes[previous_row]],
            names[codes[row]],
            column,
        )
        for row, previous_row in zip(known_rows[changed + 1], known_rows[changed], strict=True)
    )
