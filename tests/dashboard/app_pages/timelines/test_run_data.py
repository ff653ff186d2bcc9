"""Runs as they are listed, their neighbours in time, and a score in steps."""

from typing import Any

import pytest

from dashboard.app_pages.timelines import run_data as reading
from dashboard.app_pages.timelines.run_data import Step
from tests.support.scored_runs import arrays, rounds, run

RUNS = [
    *rounds("one", {"a": (0.1, 0.2, 0.3), "b": (1, 1)}),
    *rounds("two", {"a": (0.5,)}),
    run("two", "b", 0, 7, model="m-2", machinery_failure=True),
]
CHOSEN = arrays(RUNS, leave_out_machinery=False)


def test_the_runs_of_a_case_come_newest_first() -> None:
    found = reading.runs_of(CHOSEN, "a")
    assert [(row.profile, row.score) for row in found.rows] == [
        ("one", 0.3),
        ("one", 0.2),
        ("one", 0.1),
        ("two", 0.5),
    ]
    assert found.hidden == 0
    assert found.rows[0].at > found.rows[1].at


def test_a_profile_narrows_them_and_the_oldest_are_left_out_first() -> None:
    found = reading.runs_of(CHOSEN, None, ("one",), most=2)
    assert {row.profile for row in found.rows} == {"one"}
    assert (len(found.rows), found.hidden) == (2, 3)
    assert reading.runs_of(CHOSEN, "no such case").rows == ()
    assert reading.runs_of(CHOSEN, None, ("nobody",)).rows == ()


def test_a_failure_of_the_machinery_is_told() -> None:
    (row,) = reading.runs_of(CHOSEN, "b", ("two",)).rows
    assert (row.machinery, row.success, row.model) == (True, False, "m-2")


def test_neighbours_are_of_the_same_case_and_profile() -> None:
    first, second, last = (one.run_id for one in RUNS[:5] if one.case_id == "a")
    assert reading.neighbours(CHOSEN, first) == (None, second, 1, 3)
    assert reading.neighbours(CHOSEN, second) == (first, last, 2, 3)
    assert reading.neighbours(CHOSEN, last) == (second, None, 3, 3)


def test_a_run_outside_of_the_selection_has_none() -> None:
    assert reading.neighbours(CHOSEN, "unknown") is None
    narrowed = CHOSEN.of("two")
    assert reading.neighbours(narrowed, RUNS[0].run_id) is None


def points(*values: float) -> list[dict[str, Any]]:
    return [{"name": f"n{value}", "points": value, "description": ""} for value in values]


def test_a_score_goes_from_raw_over_losses_and_gains_to_the_total() -> None:
    run = {"raw_score": 10, "total_score": 7.5, "deductions": points(1, 2), "bonuses": points(0.5)}
    assert reading.steps(run) == (
        Step("raw", "", 10),
        Step("lost", "n2", -2),
        Step("lost", "n1", -1),
        Step("won", "n0.5", 0.5),
        Step("total", "", 7.5),
    )


def test_small_parts_share_a_step_and_none_is_lost() -> None:
    run = {"raw_score": 100, "total_score": 79, "deductions": points(1, 2, 3, 4, 5, 6), "bonuses": []}
    steps = reading.steps(run, most=3)
    assert steps[4] == Step("lost", "", -6, 3)
    assert sum(step.amount for step in steps[:-1]) == pytest.approx(steps[-1].amount)
    assert len(reading.steps(run, most=5)) == 8  # a rest of one would be no shorter


@pytest.mark.parametrize(
    ("value", "written"),
    [(1234.5, "1,234.5"), (-0.25, "−0.25"), (0, "0"), (-0.00001, "0"), (1e20, "1e+20"), (2 / 3, "0.6667")],
)
def test_points_are_written_short(value: float, written: str) -> None:
    assert reading.number(value) == written
