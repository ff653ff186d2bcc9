"""Computes pairs, differences and axes for the comparison and the cases. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple

import numpy as np

from backend.timelines.analysis.comparison import ProfileComparison, RunGroup
from backend.timelines.analysis.pairwise_comparison import PairMatrix
from backend.timelines.analysis.self_comparison import Split
from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.distributions import LEVEL, Floats, Interval, t_quantile
from backend.timelines.statistics.paired_comparison import SAME
from backend.timelines.statistics.power import ALPHA

Direction = Literal["up", "down", "level"]
Outcome = Literal["up", "down", "level", "none", "itself"]
"""Result of a pair: the column's profile is above or below the row's, not significantly different
(``level``), not comparable (``none``), or the same profile (``itself``)."""
ELLIPSIS = "…"


def choose_pair(
    arrays: RunArrays, profiles: Sequence[str], a: str | None, b: str | None
) -> tuple[str, str] | None:
    """Choose the pair to compare: ``a`` and ``b`` if given, else the best profiles that share a case.

    Returns None if fewer than two profiles have runs and not both are given.
    """
    ranked = rank_profiles(arrays, profiles)
    pairs = [
        (first, second)
        for first in ([a] if a is not None else ranked)
        for second in ([b] if b is not None else ranked)
        if first != second or (a is not None and b is not None)
    ]
    return next((pair for pair in pairs if _have_shared_case(arrays, *pair)), pairs[0] if pairs else None)


def _have_shared_case(arrays: RunArrays, a: str, b: str) -> bool:
    """Whether both profiles ran at least one same case."""
    indexes = [index for name in (a, b) if (index := arrays.place_of(name)) is not None]
    return len(indexes) == 2 and bool((arrays.by_cell[1][indexes] > 0).all(axis=0).any())


def rank_profiles(arrays: RunArrays, profiles: Sequence[str] = ()) -> list[str]:
    """List the profiles with runs, highest mean of case means first; only ``profiles`` if given."""
    means, runs = arrays.by_cell
    ran = np.flatnonzero(runs.sum(axis=1) > 0)
    level = np.nansum(means[ran], axis=1) / np.maximum((runs[ran] > 0).sum(axis=1), 1)
    ordered = [arrays.profiles[index] for index in ran[np.argsort(-level, kind="stable")]]
    return [name for name in ordered if not profiles or name in profiles]


@dataclass(frozen=True, slots=True)
class CaseDifference:
    """A case's difference (B − A, fractions of the score).

    ``interval`` is None unless both profiles ran the case repeatedly and at least one of them varied.
    """

    case: str
    difference: float
    a_mean: float
    b_mean: float
    a_runs: int
    b_runs: int
    interval: Interval | None

    @property
    def direction(self) -> Direction:
        return find_direction(self.difference)


class Sides(NamedTuple):
    """What is compared: two profiles, or profile ``a`` before and after ``self_split``."""

    a: str
    b: str
    self_split: Split | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two sides, and the runs of both.

    A side is a profile, or a part of the runs of one that is compared with itself. ``labels`` are short names
    of both.
    """

    result: ProfileComparison
    a: RunGroup
    b: RunGroup
    labels: tuple[str, str]


def find_direction(difference: float) -> Direction:
    return "up" if difference > SAME else "down" if difference < -SAME else "level"


def compute_case_differences(comparison: Comparison, level: float = LEVEL) -> tuple[CaseDifference, ...]:
    """Compute the differences of the shared cases, the largest loss of B first.

    Intervals are Welch's (1947) over the repeats of both profiles, with Satterthwaite's degrees of freedom.
    They may extend beyond possible scores.
    """
    result, cases = comparison.result, comparison.a.runs.cases
    low, high = _compute_welch_intervals(comparison, level)
    return tuple(
        CaseDifference(
            cases[case],
            float(result.difference[index]),
            float(result.a_mean[index]),
            float(result.b_mean[index]),
            int(result.a_runs[index]),
            int(result.b_runs[index]),
            None if np.isnan(low[index]) else Interval(float(low[index]), float(high[index])),
        )
        for index, case in enumerate(result.case)
    )


def _compute_welch_intervals(comparison: Comparison, level: float) -> tuple[Floats, Floats]:
    result = comparison.result
    shares, freedom = [], []
    for group, runs in ((comparison.a, result.a_runs), (comparison.b, result.b_runs)):
        variance = _compute_variances(group.runs, len(group.runs.cases))[result.case]
        shares.append(variance / runs)
        with np.errstate(invalid="ignore", divide="ignore"):
            freedom.append(np.square(variance / runs) / (runs - 1))
    error = shares[0] + shares[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        df = np.square(error) / (freedom[0] + freedom[1])
        reach = t_quantile(0.5 + level / 2, df) * np.sqrt(error)
    reach[~(error > SAME**2)] = np.nan
    return result.difference - reach, result.difference + reach


def _compute_variances(profile_runs: RunArrays, cases: int) -> Floats:
    """Compute the variance of each case's runs; NaN for fewer than two runs."""
    runs = np.bincount(profile_runs.case, minlength=cases)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(profile_runs.case, weights=profile_runs.score, minlength=cases) / runs
        squares = np.square(profile_runs.score - mean[profile_runs.case])
        variance: Floats = np.bincount(profile_runs.case, weights=squares, minlength=cases) / (runs - 1)
    variance[runs < 2] = np.nan
    return variance


class LargestDifferences(NamedTuple):
    """The cases with the largest differences in both directions, and the numbers of cases left out."""

    losses: tuple[CaseDifference, ...]
    """All cases if none is left out."""
    gains: tuple[CaseDifference, ...]
    hidden_losses: int = 0
    hidden_ties: int = 0
    hidden_gains: int = 0

    @property
    def hidden_count(self) -> int:
        return self.hidden_losses + self.hidden_ties + self.hidden_gains


def select_largest(rows: Sequence[CaseDifference], limit: int) -> LargestDifferences:
    """Select the ``limit`` rows with the largest losses and gains of B, in the order of ``rows``.

    Of equal sizes, losses and gains are selected in turn. ``rows`` begin with the largest loss.
    """
    if len(rows) <= limit:
        return LargestDifferences(tuple(rows), ())

    def get_order(index: int) -> tuple[float, int]:
        difference = rows[index].difference
        return -round(abs(difference), 9), index if difference < 0 else len(rows) - 1 - index

    selected = set(sorted(range(len(rows)), key=get_order)[:limit])
    losses = tuple(row for index, row in enumerate(rows) if index in selected and row.difference < 0)
    gains = tuple(row for index, row in enumerate(rows) if index in selected and row.difference >= 0)
    hidden = [row.direction for index, row in enumerate(rows) if index not in selected]
    return LargestDifferences(losses, gains, hidden.count("down"), hidden.count("level"), hidden.count("up"))


class Axis(NamedTuple):
    """A symmetric axis around zero, up to ``limit`` (a fraction of the score) on both sides."""

    limit: float

    def to_percent(self, value: float) -> float:
        """Convert a value to a position in percent of the axis' width, clipped to the axis."""
        return 50 + 50 * max(-1.0, min(1.0, value / self.limit))


AXIS_LIMITS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)


def build_axis(differences: Collection[float], intervals: Collection[Interval | None] = ()) -> Axis:
    """Build the smallest round axis that holds all values.

    An interval alone never extends it beyond 100 points.
    """
    largest = max((abs(value) for value in differences), default=0.0)
    furthest = max(
        (abs(end) for interval in intervals if interval is not None for end in interval), default=0.0
    )
    largest = max(largest, min(furthest, AXIS_LIMITS[-1]))
    return Axis(next((limit for limit in AXIS_LIMITS if limit >= largest), largest))


@dataclass(frozen=True, slots=True)
class PairCell:
    """A pair's difference (column − row), its interval, and its corrected ``p``.

    ``p`` is corrected for all pairs and determines ``outcome``.
    """

    outcome: Outcome
    difference: float
    interval: Interval | None
    p: float
    cases: int


def build_pair_cell(matrix: PairMatrix, row: int, column: int) -> PairCell:
    difference, p = float(matrix.difference[row, column]), float(matrix.bh[row, column])
    outcome: Outcome = "level"
    if row == column:
        outcome = "itself"
    elif np.isnan(p):
        outcome = "none"
    elif p < ALPHA:
        outcome = find_direction(difference)
    interval = None if outcome in ("itself", "none") else matrix.interval(row, column)
    return PairCell(outcome, difference, interval, p, int(matrix.cases[row, column]))


def build_outcomes(matrix: PairMatrix) -> Ints:
    """Build a matrix of outcomes: -1 B below, 0 not significant, 1 B above, 2 not comparable."""
    outcomes = np.where(matrix.bh < ALPHA, np.sign(matrix.difference), 0).astype(np.int64)
    outcomes[np.isnan(matrix.bh)] = 2
    return outcomes


def escape_markup(name: str) -> str:
    """Escape a name for Plotly, which interprets some HTML tags in texts."""
    return escape(name, quote=False)


def shorten(name: str, max_chars: int) -> str:
    """Shorten a long name by omitting its middle, since both ends distinguish names."""
    if len(name) <= max_chars:
        return name
    head = (max_chars - 1) * 3 // 5
    return name[:head].rstrip() + ELLIPSIS + name[len(name) - (max_chars - 1 - head) :].lstrip()


def shorten_labels(names: Sequence[str], max_chars: int) -> list[str]:
    """Shorten names for an axis, numbered where two become the same, and escape them."""
    counts: dict[str, int] = {}
    labels = []
    for text in (shorten(name, max_chars) for name in names):
        counts[text] = counts.get(text, 0) + 1
        labels.append(text if counts[text] == 1 else f"{text} ({counts[text]})")
    return [escape_markup(text) for text in labels]


def round_values(values: Floats, indexes: int = 4) -> list[float | None]:
    """Round values for a figure; NaN becomes None."""
    return [None if value != value else value for value in np.round(values, indexes).tolist()]
