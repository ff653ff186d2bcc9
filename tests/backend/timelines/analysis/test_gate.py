"""Tests the gate on the difference of two profiles."""

import pytest

from backend.timelines.analysis.comparison import ProfileComparison, compare_profiles
from backend.timelines.analysis.gate import judge_gate
from tests.support.runs.scored_runs import arrays, run


def _compare(*gains: float) -> ProfileComparison:
    runs = [run("A", f"case {n:02}", 0.5, n) for n in range(len(gains))]
    runs += [run("B", f"case {n:02}", 0.5 + gain, n) for n, gain in enumerate(gains)]
    return compare_profiles(arrays(runs), "A", "B")


FALL = (-0.12, -0.05, -0.1, -0.08, -0.14, -0.02, -0.1, -0.07)
"""A certain fall of 8.5 points, at least 4.4."""


@pytest.mark.parametrize(
    ("gains", "points", "outcome"),
    [
        (FALL, 0, "behind"),
        (FALL, 8.5, "behind"),
        (FALL, 9, "unsure"),
        (FALL, 12, "not_behind"),
        ([-gain for gain in FALL], 0, "not_behind"),
        ((0.3, -0.3, 0.2, -0.2, 0.1, -0.1), 2, "unsure"),
        ((0.3, -0.3, 0.2, -0.2, 0.1, -0.1), 50, "not_behind"),
        ((0.0,) * 6, 0, "unsure"),
        ((0.0,) * 6, 60, "not_behind"),
        ((0.0,) * 5, 2, "unsure"),
        ((0.0,) * 250, 2, "not_behind"),
        ((0.5, 0.0, 0.0, 0.0, 0.0), 2, "unsure"),
        ((0.48, -0.015, 0.0, 0.0, 0.0), 2, "unsure"),
        ((0.0,) * 4, 0, "unsure"),
        ((-0.5,) * 4, 2, "unsure"),
        ((-0.5,), 2, "unsure"),
    ],
)
def test_a_profile_is_behind_only_if_the_verdict_and_the_limit_agree(
    gains: tuple[float, ...], points: float, outcome: str
) -> None:
    assert judge_gate(_compare(*gains), points / 100).outcome == outcome


def test_an_unsure_outcome_fails_only_on_request() -> None:
    gate = judge_gate(_compare(*FALL), 0.09)
    assert (gate.fails(if_unsure=False), gate.fails(if_unsure=True)) == (False, True)
    assert judge_gate(_compare(*FALL), 0.02).fails(if_unsure=False)


def test_the_sentence_gives_the_size_and_the_limit() -> None:
    assert judge_gate(_compare(*FALL), 0.025).text == "B is behind A by 8.5 points; the limit is 2.5."


def test_profiles_without_a_shared_case_cannot_be_judged() -> None:
    with pytest.raises(ValueError, match="no comparison"):
        judge_gate(compare_profiles(arrays([run("A", "x", 1), run("B", "y", 1)]), "A", "B"), 0.02)
