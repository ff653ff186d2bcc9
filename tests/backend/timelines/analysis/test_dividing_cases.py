"""Tests the cases that divide two sides, and the typical run of each side."""

from collections.abc import Collection, Sequence

from backend.timelines.analysis.comparison import build_profile_groups, compare_runs
from backend.timelines.analysis.dividing_cases import DividingCase, find_dividing_cases
from backend.timelines.model import Run
from tests.support.runs.scored_runs import arrays, run

RUNS = [
    run("A", "same", 0.5),
    run("B", "same", 0.5),
    run("A", "worse", 1.0),
    run("B", "worse", 0.25),
    run("A", "better", 0.5),
    run("B", "better", 1.0),
    run("A", "only A", 0.5),
]


def _find(limit: int = 10, chosen: Collection[str] = (), more: Sequence[Run] = ()) -> list[DividingCase]:
    selection = arrays([*RUNS, *more])
    a, b = build_profile_groups(selection, "A", "B")
    return find_dividing_cases(compare_runs(a, b), a, b, limit, chosen)


def _ids(found: list[DividingCase]) -> list[str]:
    return [case.b_run_id for case in found]


def test_cases_with_the_largest_differences_come_first_and_equal_ones_are_left_out() -> None:
    assert _ids(_find()) == ["B-worse-0", "B-better-0"]
    assert _ids(_find(1)) == ["B-worse-0"]


def test_a_named_case_is_listed_even_if_it_divides_nothing() -> None:
    assert _ids(_find(chosen=["same", "only A"])) == ["B-same-0"]


def test_the_typical_run_is_the_newest_of_those_closest_to_the_mean() -> None:
    more: list[object] = [run("B", "worse", score, hour) for hour, score in ((1, 0.0), (2, 0.25), (3, 0.5))]
    assert _ids(_find(1, more=more)) == ["B-worse-2"]
