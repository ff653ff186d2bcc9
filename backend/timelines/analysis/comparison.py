"""Compares profile B with profile A over their shared cases, in total and for each case."""

from dataclasses import dataclass

import numpy as np

from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.bootstrap import bootstrap_interval
from backend.timelines.statistics.distributions import Floats, Interval
from backend.timelines.statistics.means import LEVEL, Mean, mean_of_cases
from backend.timelines.statistics.paired_comparison import Paired, compare
from backend.timelines.statistics.pass_rates import Rate, pass_rate


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two profiles, over all of its cases. ``excluded_runs`` counts infrastructure failures.

    ``interval`` is that of the mean, by the case-resampled bootstrap, which stays within the observed scores.
    """

    profile: str
    mean: Mean | None
    interval: Interval | None
    rate: Rate | None
    cases: int
    runs: int
    excluded_runs: int


@dataclass(frozen=True, slots=True)
class ProfileComparison:
    """The comparison of B with A. The arrays hold the shared cases (indexes, means, runs), B's largest losses
    first."""

    a: Side
    b: Side
    paired: Paired | None
    case: Ints
    a_mean: Floats
    b_mean: Floats
    a_runs: Ints
    b_runs: Ints

    @property
    def difference(self) -> Floats:
        return self.b_mean - self.a_mean


def compare_profiles(chosen: RunArrays, a: str, b: str, level: float = LEVEL) -> ProfileComparison:
    """Compare profile ``b`` with ``a``. A profile without runs in the selection has an empty side."""
    a_means, a_runs = _cells(chosen, a)
    b_means, b_runs = _cells(chosen, b)
    shared = np.flatnonzero((a_runs > 0) & (b_runs > 0))
    order = shared[np.argsort((b_means - a_means)[shared], kind="stable")]
    return ProfileComparison(
        _side(chosen, a, level),
        _side(chosen, b, level),
        compare(a_means, b_means, level),
        order,
        a_means[order],
        b_means[order],
        a_runs[order],
        b_runs[order],
    )


def _cells(chosen: RunArrays, profile: str) -> tuple[Floats, Ints]:
    place = chosen.place_of(profile)
    if place is None:
        return np.full(len(chosen.cases), np.nan), np.zeros(len(chosen.cases), dtype=np.int64)
    means, runs = chosen.by_cell
    return means[place], runs[place]


def _side(chosen: RunArrays, profile: str, level: float) -> Side:
    mine, place = chosen.of(profile), chosen.place_of(profile)
    means, runs = _cells(chosen, profile)
    return Side(
        profile,
        mean_of_cases(mine.score, mine.case, level),
        bootstrap_interval(means[runs > 0], level),
        pass_rate(mine.number("success"), mine.case, level),
        len(np.unique(mine.case)),
        len(mine),
        0 if place is None else int(chosen.excluded_runs[place]),
    )
