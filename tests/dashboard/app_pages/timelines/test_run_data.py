"""The list of runs, a run's neighbours in time, and the steps of its score."""

from typing import Any

import pytest

from dashboard.app_pages.timelines import run_data
from dashboard.app_pages.timelines.run_data import Step
from tests.support.runs.scored_runs import arrays, build_daily_runs, run

RUNS = [
    *build_daily_runs("one", {"a": (0.1, 0.2, 0.3), "b": (1, 1)}),
    *build_daily_runs("two", {"a": (0.5,)}),
    run("two", "b", 0, 7, model="m-2", infrastructure_failure=True),
]
ARRAYS = arrays(RUNS, exclude_infrastructure_failures=False)


def test_the_runs_of_a_case_come_newest_first() -> None:
    found = run_data.list_runs(ARRAYS, "a")
    assert [(row.profile, row.score) for row in found.rows] == [
        ("one", 0.3),
        ("one", 0.2),
        ("one", 0.1),
        ("two", 0.5),
    ]
    assert found.hidden_count == 0
    assert found.rows[0].at > found.rows[1].at


def test_a_profile_filters_the_runs_and_the_limit_omits_the_oldest() -> None:
    found = run_data.list_runs(ARRAYS, None, ("one",), limit=2)
    assert {row.profile for row in found.rows} == {"one"}
    assert (len(found.rows), found.hidden_count) == (2, 3)
    assert run_data.list_runs(ARRAYS, "no such case").rows == ()
    assert run_data.list_runs(ARRAYS, None, ("nobody",)).rows == ()


def test_an_infrastructure_error_is_marked() -> None:
    (row,) = run_data.list_runs(ARRAYS, "b", ("two",)).rows
    assert (row.infrastructure_error, row.success, row.model) == (True, False, "m-2")


def test_neighbours_have_the_same_case_and_profile() -> None:
    first, second, last = (entry.run_id for entry in RUNS[:5] if entry.case_id == "a")
    assert run_data.find_neighbours(ARRAYS, first) == (None, second, 1, 3)
    assert run_data.find_neighbours(ARRAYS, second) == (first, last, 2, 3)
    assert run_data.find_neighbours(ARRAYS, last) == (second, None, 3, 3)


def test_a_run_outside_the_selection_has_no_neighbours() -> None:
    assert run_data.find_neighbours(ARRAYS, "unknown") is None
    narrowed = ARRAYS.of("two")
    assert run_data.find_neighbours(narrowed, RUNS[0].run_id) is None


def points(*values: float) -> list[dict[str, Any]]:
    return [{"name": f"n{value}", "points": value, "description": ""} for value in values]


def test_steps_lead_from_the_raw_score_over_losses_and_gains_to_the_total() -> None:
    run = {"raw_score": 10, "total_score": 7.5, "deductions": points(1, 2), "bonuses": points(0.5)}
    assert run_data.build_steps(run) == (
        Step("raw", "", 10),
        Step("lost", "n2", -2),
        Step("lost", "n1", -1),
        Step("won", "n0.5", 0.5),
        Step("total", "", 7.5),
    )


def test_small_parts_share_a_step_and_none_is_omitted() -> None:
    run = {"raw_score": 100, "total_score": 79, "deductions": points(1, 2, 3, 4, 5, 6), "bonuses": []}
    steps = run_data.build_steps(run, limit=3)
    assert steps[4] == Step("lost", "", -6, 3)
    assert sum(step.amount for step in steps[:-1]) == pytest.approx(steps[-1].amount)
    assert len(run_data.build_steps(run, limit=5)) == 8  # a rest of one would be no shorter


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1234.5, "1,234.5"), (-0.25, "−0.25"), (0, "0"), (-0.00001, "0"), (1e20, "1e+20"), (2 / 3, "0.6667")],
)
def test_points_have_at_most_four_decimal_places(value: float, expected: str) -> None:
    assert run_data.format_amount(value) == expected
