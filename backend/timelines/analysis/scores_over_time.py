"""Computes scores over time (mean of case means by window, with an interval) and changes of a profile's
model."""

from dataclasses import dataclass

import numpy as np

from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.distributions import Floats, t_quantile
from backend.timelines.statistics.means import LEVEL

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


@dataclass(frozen=True, slots=True)
class Line:
    """One profile by window. ``low`` and ``high`` are NaN for windows with one case, which have no interval.

    ``time`` is the mean time of the window's runs, ``start`` the start of the window.
    """

    profile: int
    start: Ints
    time: Ints
    mean: Floats
    low: Floats
    high: Floats
    cases: Ints
    runs: Ints


@dataclass(frozen=True, slots=True)
class OverTime:
    window: int
    same_cases: bool
    lines: tuple[Line, ...]


def build_score_lines(
    chosen: RunArrays, window: int | None = None, *, same_cases: bool = False, level: float = LEVEL
) -> OverTime:
    """Build a line for each profile with runs; ``window`` in microseconds, by default :func:`fitting_window`.

    With ``same_cases`` each case is centred on its own mean and the profile's mean is added again, so that a
    window of hard cases does not look like a fall. The interval then covers the variation between windows and
    not the differences between cases.
    """
    window = window or fitting_window(chosen)
    score = _centred(chosen) if same_cases else chosen.score
    bins = (chosen.time - _MONDAY) // window
    lines = tuple(
        _line(chosen, bins, score, int(place), window, level) for place in np.unique(chosen.profile)
    )
    return OverTime(window, same_cases, lines)


def fitting_window(chosen: RunArrays) -> int:
    """Choose the shortest window that contains about one pass, with 10 to 120 windows over the span."""
    if not len(chosen):
        return DAY
    span = int(chosen.time.max() - chosen.time.min())
    runs = np.bincount(chosen.profile)
    cells = (chosen.by_cell[1] > 0).sum(axis=1)[: len(runs)]
    passes = float(np.median(runs[runs > 0] / cells[runs > 0]))
    wanted = min(MAX_WINDOWS, max(MIN_WINDOWS, passes))
    longest = WINDOWS[-1] * (1 + int(span / wanted) // WINDOWS[-1])
    return next((window for window in WINDOWS if span / window <= wanted), longest)


def _centred(chosen: RunArrays) -> Floats:
    means, counts = chosen.by_cell
    ran = (counts > 0).sum(axis=1)
    level = np.nansum(means, axis=1) / np.maximum(ran, 1)
    centred: Floats = chosen.score - means[chosen.profile, chosen.case] + level[chosen.profile]
    return centred


def _line(chosen: RunArrays, bins: Ints, score: Floats, place: int, window: int, level: float) -> Line:
    mine = chosen.profile == place
    windows, at = np.unique(bins[mine], return_inverse=True)
    cells, cell_of = np.unique(at * len(chosen.cases) + chosen.case[mine], return_inverse=True)
    means = np.bincount(cell_of, weights=score[mine]) / np.bincount(cell_of)
    window_of = cells // len(chosen.cases)
    cases, runs = np.bincount(window_of), np.bincount(at)
    mean = np.bincount(window_of, weights=means) / cases
    squares = np.bincount(window_of, weights=np.square(means - mean[window_of]))
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(squares / (cases - 1) / cases)
    reach = t_quantile(0.5 + level / 2, np.maximum(cases - 1, 1).astype(np.float64)) * error
    reach[cases < 2] = np.nan
    start = windows * window + _MONDAY
    offset = np.bincount(at, weights=(chosen.time[mine] - start[at]).astype(np.float64)) / runs
    return Line(place, start, start + offset.astype(np.int64), mean, mean - reach, mean + reach, cases, runs)


@dataclass(frozen=True, slots=True)
class ModelChange:
    """The first run of ``profile`` with model ``after``; earlier runs used model ``before``."""

    profile: int
    time: int
    before: str
    after: str


def model_changes(chosen: RunArrays, most: int = 200) -> tuple[ModelChange, ...]:
    """Find runs whose model differs from the last known one of their profile, oldest first, up to ``most``.

    Runs without a model are skipped.
    """
    codes, names = chosen.names("model")
    known = np.flatnonzero(codes >= 0)
    changed = np.flatnonzero((np.diff(codes[known]) != 0) & (np.diff(chosen.profile[known]) == 0))
    changed = changed[np.argsort(chosen.time[known[changed + 1]], kind="stable")][:most]
    return tuple(
        ModelChange(int(chosen.profile[now]), int(chosen.time[now]), names[codes[last]], names[codes[now]])
        for now, last in zip(known[changed + 1], known[changed], strict=True)
    )
