"""Compares all pairs of profiles and corrects for multiple comparisons."""

from dataclasses import dataclass

import numpy as np

from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.distributions import LEVEL, Floats, Interval
from backend.timelines.statistics.multiple_comparisons import benjamini_hochberg, holm
from backend.timelines.statistics.paired_comparison import all_pairs, difference_interval
from backend.timelines.statistics.power import ALPHA


@dataclass(frozen=True, slots=True)
class PairMatrix:
    """Matrices over ``profiles`` (indexes, highest mean first): column minus row, NaN without a comparison.

    ``case_means`` holds the means of each profile by case. ``bh`` and ``holm`` are p-values adjusted for all
    ``compared_pairs``; pairs with too few shared cases have none. ``found``, ``found_bh`` and ``found_holm``
    count the pairs that differ at 5 %."""

    profiles: Ints
    mean: Floats
    case_means: Floats
    level: float
    difference: Floats
    p: Floats
    bh: Floats
    holm: Floats
    cases: Ints
    compared_pairs: int
    found: int
    found_bh: int
    found_holm: int

    @property
    def pairs_with_too_few_cases(self) -> int:
        """The number of pairs that share cases, but too few for a test."""
        upper = np.triu_indices(len(self.profiles), 1)
        return int((np.isnan(self.p[upper]) & (self.cases[upper] > 0)).sum())

    def interval(self, row: int, column: int) -> Interval | None:
        """Compute the interval of a pair, the same as that of its own comparison."""
        return difference_interval(self.case_means[row], self.case_means[column], self.level)


def pair_matrix(selection: RunArrays, level: float = LEVEL, alpha: float = ALPHA) -> PairMatrix:
    """Compare all pairs of profiles that have runs."""
    means, counts = selection.by_cell
    ran = np.flatnonzero(counts.sum(axis=1) > 0)
    level_of = np.array([np.nanmean(means[profile]) for profile in ran])
    order = np.argsort(-level_of, kind="stable")
    ran = ran[order]
    pairs = all_pairs(means[ran])
    upper = np.triu_indices(len(ran), 1)
    adjusted = [
        _fill_symmetric(method(pairs.p[upper]), upper, len(ran)) for method in (benjamini_hochberg, holm)
    ]
    return PairMatrix(
        ran,
        level_of[order],
        means[ran],
        level,
        pairs.difference,
        pairs.p,
        adjusted[0],
        adjusted[1],
        pairs.cases,
        int((~np.isnan(pairs.p[upper])).sum()),
        *(int((matrix[upper] < alpha).sum()) for matrix in (pairs.p, *adjusted)),
    )


def _fill_symmetric(values: Floats, upper: tuple[Ints, Ints], size: int) -> Floats:
    matrix = np.full((size, size), np.nan)
    matrix[upper] = values
    matrix.T[upper] = values
    return matrix
