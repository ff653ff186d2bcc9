"""What the comparison and the cases of the Timelines page show, out of a selection of runs. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple

import numpy as np

from backend.timelines.analysis.comparison import Versus
from backend.timelines.analysis.pairwise_comparison import PairMatrix
from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.distributions import Floats, Interval, t_quantile
from backend.timelines.statistics.means import LEVEL
from backend.timelines.statistics.paired_comparison import SAME
from backend.timelines.statistics.power import ALPHA

Way = Literal["up", "down", "level"]
Standing = Literal["up", "down", "level", "none", "itself"]
"""Of a pair: the column is above the row, below it, no difference shown, no comparison, one profile."""
ELLIPSIS = "…"


def pair_of(chosen: RunArrays, wanted: Sequence[str], a: str | None, b: str | None) -> tuple[str, str] | None:
    """Whom to compare: ``a`` and ``b`` as far as they are named, else the highest that share a case.

    Null where fewer than two profiles have runs and not both are named.
    """
    known = by_mean(chosen, wanted)
    pairs = [
        (one, other)
        for one in ([a] if a is not None else known)
        for other in ([b] if b is not None else known)
        if one != other or (a is not None and b is not None)
    ]
    return next((pair for pair in pairs if _share(chosen, *pair)), pairs[0] if pairs else None)


def _share(chosen: RunArrays, a: str, b: str) -> bool:
    """Whether both ran the same case."""
    places = [place for name in (a, b) if (place := chosen.place_of(name)) is not None]
    return len(places) == 2 and bool((chosen.by_cell[1][places] > 0).all(axis=0).any())


def by_mean(chosen: RunArrays, wanted: Sequence[str] = ()) -> list[str]:
    """Profiles that have runs, the highest mean of case means first; only ``wanted`` ones, if any are."""
    means, runs = chosen.by_cell
    ran = np.flatnonzero(runs.sum(axis=1) > 0)
    level = np.nansum(means[ran], axis=1) / np.maximum((runs[ran] > 0).sum(axis=1), 1)
    ordered = [chosen.profiles[place] for place in ran[np.argsort(-level, kind="stable")]]
    return [name for name in ordered if not wanted or name in wanted]


@dataclass(frozen=True, slots=True)
class CaseDifference:
    """One case, B less A, as fractions of the score; ``interval`` only where both ran it again and varied."""

    case: str
    difference: float
    a: float
    b: float
    a_runs: int
    b_runs: int
    interval: Interval | None

    @property
    def way(self) -> Way:
        return way(self.difference)


def way(difference: float) -> Way:
    return "up" if difference > SAME else "down" if difference < -SAME else "level"


def case_differences(chosen: RunArrays, result: Versus, level: float = LEVEL) -> tuple[CaseDifference, ...]:
    """The shared cases, where B loses most first.

    Intervals are Welch's (1947) over the repeats of both, with Satterthwaite's degrees of freedom, and may
    reach beyond what can be scored.
    """
    low, high = _welch(chosen, result, level)
    return tuple(
        CaseDifference(
            chosen.cases[case],
            float(result.difference[place]),
            float(result.a_mean[place]),
            float(result.b_mean[place]),
            int(result.a_runs[place]),
            int(result.b_runs[place]),
            None if np.isnan(low[place]) else Interval(float(low[place]), float(high[place])),
        )
        for place, case in enumerate(result.case)
    )


def _welch(chosen: RunArrays, result: Versus, level: float) -> tuple[Floats, Floats]:
    shares, freedom = [], []
    for profile, runs in ((result.a.profile, result.a_runs), (result.b.profile, result.b_runs)):
        variance = _variances(chosen.of(profile), len(chosen.cases))[result.case]
        shares.append(variance / runs)
        with np.errstate(invalid="ignore", divide="ignore"):
            freedom.append(np.square(variance / runs) / (runs - 1))
    error = shares[0] + shares[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        df = np.square(error) / (freedom[0] + freedom[1])
        reach = t_quantile(0.5 + level / 2, df) * np.sqrt(error)
    reach[~(error > SAME**2)] = np.nan
    return result.difference - reach, result.difference + reach


def _variances(mine: RunArrays, cases: int) -> Floats:
    """The variance of each case's runs; NaN below two."""
    runs = np.bincount(mine.case, minlength=cases)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(mine.case, weights=mine.score, minlength=cases) / runs
        squares = np.square(mine.score - mean[mine.case])
        variance: Floats = np.bincount(mine.case, weights=squares, minlength=cases) / (runs - 1)
    variance[runs < 2] = np.nan
    return variance


class Ends(NamedTuple):
    """The cases that differ most, to both sides, and how many between them are not shown."""

    first: tuple[CaseDifference, ...]
    last: tuple[CaseDifference, ...]
    hidden: int


def ends(rows: Sequence[CaseDifference], most: int) -> Ends:
    """``rows`` in their order, at most ``most`` of them: those in which B loses or gains the most."""
    if len(rows) <= most:
        return Ends(tuple(rows), (), 0)
    far = sorted(range(len(rows)), key=lambda place: -abs(rows[place].difference))[:most]
    kept = set(far)
    first = tuple(row for place, row in enumerate(rows) if place in kept and row.difference < 0)
    last = tuple(row for place, row in enumerate(rows) if place in kept and row.difference >= 0)
    return Ends(first, last, len(rows) - most)


class Scale(NamedTuple):
    """A symmetric axis around nothing, to ``limit`` (a fraction of the score) on both sides."""

    limit: float

    def place(self, value: float) -> float:
        """Percent of the axis' width, held within it."""
        return 50 + 50 * max(-1.0, min(1.0, value / self.limit))


STEPS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)


def scale(differences: Collection[float], intervals: Collection[Interval | None] = ()) -> Scale:
    """The least round axis that holds all of these. An interval alone never takes it beyond 100 points."""
    most = max((abs(value) for value in differences), default=0.0)
    reach = max((abs(end) for one in intervals if one is not None for end in one), default=0.0)
    most = max(most, min(reach, STEPS[-1]))
    return Scale(next((step for step in STEPS if step >= most), most))


@dataclass(frozen=True, slots=True)
class PairCell:
    """Column less row. ``p`` is corrected for all pairs, and decides of ``standing``."""

    standing: Standing
    difference: float
    reach: float
    p: float
    cases: int


def pair_cell(matrix: PairMatrix, row: int, column: int) -> PairCell:
    difference, p = float(matrix.difference[row, column]), float(matrix.bh[row, column])
    standing: Standing = "level"
    if row == column:
        standing = "itself"
    elif np.isnan(p):
        standing = "none"
    elif p < ALPHA:
        standing = way(difference)
    return PairCell(standing, difference, float(matrix.reach[row, column]), p, int(matrix.cases[row, column]))


def standings(matrix: PairMatrix) -> Ints:
    """For every pair -1, 0 or 1: B stands below, is not told apart, stands above; 2 is no comparison."""
    told = np.where(matrix.bh < ALPHA, np.sign(matrix.difference), 0).astype(np.int64)
    told[np.isnan(matrix.bh)] = 2
    return told


def plain(name: str) -> str:
    """A name as drawings take it, which read a few tags in texts: none is left that they could."""
    return escape(name, quote=False)


def short(name: str, most: int) -> str:
    """A long name with its middle left out: both its ends tell names apart."""
    if len(name) <= most:
        return name
    head = (most - 1) * 3 // 5
    return name[:head].rstrip() + ELLIPSIS + name[len(name) - (most - 1 - head) :].lstrip()


def shorts(names: Sequence[str], most: int) -> list[str]:
    """Each of ``names`` cut to ``most`` for a drawing's axis, numbered where the cut makes two the same."""
    cut = [short(name, most) for name in names]
    seen: dict[str, int] = {}
    found = []
    for text in cut:
        seen[text] = seen.get(text, 0) + 1
        found.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return [plain(text) for text in found]


def compact(values: Floats, places: int = 4) -> list[float | None]:
    """Numbers as a drawing needs them: rounded, and null for not known."""
    return [None if value != value else value for value in np.round(values, places).tolist()]
