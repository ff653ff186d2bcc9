"""Finds the cases that divide two sides, with a typical run of each side."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from backend.timelines.analysis.comparison import ProfileComparison, RunGroup
from backend.timelines.statistics.paired_comparison import SAME


@dataclass(frozen=True, slots=True)
class DividingCase:
    """A case (an index) with the means of both sides and the ids of their typical runs."""

    case: int
    a_mean: float
    b_mean: float
    a_run_id: str
    b_run_id: str


def find_dividing_cases(
    result: ProfileComparison, a: RunGroup, b: RunGroup, limit: int, chosen: Collection[str] = ()
) -> list[DividingCase]:
    """Find the cases with the largest differences, up to ``limit``; equal ones go by name.

    ``result`` compares the groups. Cases that ``chosen`` names are listed even if they do not differ.
    """
    sizes = np.abs(result.difference)
    names = a.runs.cases
    places = [
        place
        for place in np.lexsort((result.case, -sizes)).tolist()
        if (names[result.case[place]] in chosen if chosen else sizes[place] > SAME)
    ]
    return [
        DividingCase(
            int(result.case[place]),
            float(result.a_mean[place]),
            float(result.b_mean[place]),
            _find_typical_run(a, int(result.case[place]), float(result.a_mean[place])),
            _find_typical_run(b, int(result.case[place]), float(result.b_mean[place])),
        )
        for place in places[:limit]
    ]


def _find_typical_run(group: RunGroup, case: int, mean: float) -> str:
    """Find the run whose score is closest to the mean of the case; the newest of several."""
    runs = np.flatnonzero(group.runs.case == case)
    distances = np.abs(group.runs.score[runs] - mean)
    closest = runs[distances <= distances.min() + SAME]
    newest = closest[[int(group.runs.time[closest].argmax())]]
    return group.runs.run_ids(newest)[0]
