"""Compares profile B with profile A over their shared cases, in total and for each case."""

from dataclasses import dataclass

import numpy as np

from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.distributions import LEVEL, Floats, Interval
from backend.timelines.statistics.means import Mean, case_means, mean_of_cases
from backend.timelines.statistics.paired_comparison import Paired, compare
from backend.timelines.statistics.pass_rates import Rate, pass_rate


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two profiles, over all of its cases. ``excluded_runs`` counts infrastructure failures."""

    profile: str
    mean: Mean | None
    rate: Rate | None
    cases: int
    runs: int
    excluded_runs: int

    @property
    def interval(self) -> Interval | None:
        """The interval of the mean; None with fewer than two cases."""
        return self.mean.interval if self.mean else None


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


def compare_profiles(selection: RunArrays, a: str, b: str, level: float = LEVEL) -> ProfileComparison:
    """Compare profile ``b`` with ``a``. A profile without runs in the selection has an empty side."""
    return compare_runs(*build_profile_groups(selection, a, b), level)


def build_profile_groups(selection: RunArrays, a: str, b: str) -> tuple["RunGroup", "RunGroup"]:
    """Build the sides of a comparison of two profiles."""
    return _build_group(selection, a), _build_group(selection, b)


@dataclass(frozen=True, slots=True)
class RunGroup:
    """The runs of one side, and the name that sentences give it."""

    name: str
    runs: RunArrays
    excluded_runs: int


def compare_runs(a: RunGroup, b: RunGroup, level: float = LEVEL) -> ProfileComparison:
    """Compare the runs of ``b`` with those of ``a``, two parts of one selection."""
    (a_means, a_runs), (b_means, b_runs) = (
        case_means(group.runs.score, group.runs.case, len(group.runs.cases)) for group in (a, b)
    )
    shared = np.flatnonzero((a_runs > 0) & (b_runs > 0))
    order = shared[np.argsort((b_means - a_means)[shared], kind="stable")]
    return ProfileComparison(
        _build_side(a, level),
        _build_side(b, level),
        compare(a_means, b_means, level),
        order,
        a_means[order],
        b_means[order],
        a_runs[order],
        b_runs[order],
    )


def _build_group(selection: RunArrays, profile: str) -> RunGroup:
    profile_index = selection.place_of(profile)
    excluded_runs = 0 if profile_index is None else int(selection.excluded_runs[profile_index])
    return RunGroup(profile, selection.of(profile), excluded_runs)


def _build_side(group: RunGroup, level: float) -> Side:
    runs = group.runs
    return Side(
        group.name,
        mean_of_cases(runs.score, runs.case, level),
        pass_rate(runs.numeric_column("success"), runs.case, level),
        len(np.unique(runs.case)),
        len(runs),
        group.excluded_runs,
    )
