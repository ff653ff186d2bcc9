"""What the comparison and the cases show is worked out of the runs alone."""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from backend.timelines.analysis.comparison import compare_profiles
from backend.timelines.analysis.pairwise_comparison import pair_matrix
from backend.timelines.statistics.distributions import Interval
from dashboard.app_pages.timelines import comparison_data as parts
from tests.support.scored_runs import arrays, rounds

CASES = ("a", "b", "c", "d", "e", "f")
CHOSEN = arrays(
    [
        *rounds("low", dict.fromkeys(CASES, (0.1, 0.2))),
        *rounds("mid", dict.fromkeys(CASES[:5], (0.5, 0.6))),
        *rounds("high", {"a": (0.9, 0.7), "b": (0.4, 0.4), "c": (1.0, 1.0), "d": (0.8,), "e": (0.2, 0.3)}),
        *rounds("apart", {"elsewhere": (0.5,)}),
    ]
)


@pytest.mark.parametrize(
    ("a", "b", "pair"),
    [
        (None, None, ("high", "mid")),
        ("low", None, ("low", "high")),
        (None, "high", ("mid", "high")),
        ("nobody", "low", ("nobody", "low")),
    ],
)
def test_without_a_choice_the_two_highest_are_compared(
    a: str | None, b: str | None, pair: tuple[str, str]
) -> None:
    assert parts.pair_of(CHOSEN, ("low", "mid", "high"), a, b) == pair


def test_a_pair_that_shares_a_case_comes_before_a_higher_one_that_does_not() -> None:
    assert parts.pair_of(CHOSEN, ("apart", "low", "mid"), None, None) == ("mid", "low")
    assert parts.pair_of(CHOSEN, ("apart", "low"), "apart", None) == ("apart", "low")


def test_one_profile_alone_makes_no_pair() -> None:
    assert parts.pair_of(CHOSEN, ("low",), None, None) is None
    assert parts.pair_of(CHOSEN, ("low",), "low", None) is None
    assert parts.pair_of(arrays([]), (), None, None) is None


def test_a_case_has_welchs_interval_where_both_ran_it_again() -> None:
    rows = {row.case: row for row in parts.case_differences(CHOSEN, compare_profiles(CHOSEN, "mid", "high"))}
    expected = ttest_ind([0.9, 0.7], [0.5, 0.6], equal_var=False).confidence_interval(0.95)
    assert rows["a"].interval == pytest.approx((expected.low, expected.high))
    assert (rows["a"].a, rows["a"].b, rows["a"].a_runs, rows["a"].b_runs) == (
        pytest.approx(0.55),
        pytest.approx(0.8),
        2,
        2,
    )
    assert rows["d"].interval is None  # one run
    assert rows["b"].interval is not None  # only one of both varies
    same = parts.case_differences(CHOSEN, compare_profiles(CHOSEN, "high", "high"))
    assert {row.case: row.interval is None for row in same}["c"]


def test_cases_come_with_the_greatest_loss_first() -> None:
    rows = parts.case_differences(CHOSEN, compare_profiles(CHOSEN, "mid", "high"))
    assert [row.case for row in rows] == ["e", "b", "a", "d", "c"]
    assert [row.way for row in rows] == ["down", "down", "up", "up", "up"]


def test_of_many_cases_both_ends_are_shown() -> None:
    rows = parts.case_differences(CHOSEN, compare_profiles(CHOSEN, "mid", "high"))
    some = parts.ends(rows, 2)
    assert [row.case for row in some.first] == ["e"]
    assert [row.case for row in some.last] == ["c"]
    assert some.hidden == 3
    whole = parts.ends(rows, 5)
    assert (whole.first, whole.last, whole.hidden) == (rows, (), 0)


def test_the_axis_is_round_and_an_interval_alone_never_takes_it_beyond_100_points() -> None:
    assert parts.scale([0.04]).limit == 0.05
    assert parts.scale([0.04], [Interval(-3, 3), None]).limit == 1.0
    assert parts.scale([-2.5]).limit == 2.5
    assert parts.scale([]).limit == 0.02
    axis = parts.scale([0.5])
    assert [axis.place(value) for value in (-0.5, 0, 0.25, 9)] == [0, 50, 75, 100]


def test_a_pair_stands_only_by_its_corrected_p_and_disjoint_ones_are_no_comparison() -> None:
    matrix = pair_matrix(CHOSEN)
    rows = [CHOSEN.profiles[place] for place in matrix.profiles]
    at = {name: rows.index(name) for name in rows}
    stands = parts.pair_cell(matrix, at["mid"], at["low"])
    assert stands.standing == "down"
    assert stands.p < 0.05
    assert parts.pair_cell(matrix, at["low"], at["mid"]).standing == "up"
    assert parts.pair_cell(matrix, at["mid"], at["high"]).standing == "level"
    assert parts.pair_cell(matrix, at["apart"], at["low"]).standing == "none"
    assert parts.pair_cell(matrix, at["low"], at["low"]).standing == "itself"
    told = parts.standings(matrix)
    assert told[at["mid"], at["low"]] == -1
    assert told[at["low"], at["mid"]] == 1
    assert told[at["mid"], at["high"]] == 0
    assert told[at["apart"], at["low"]] == 2


def test_long_names_keep_both_ends_and_stay_apart() -> None:
    long = "swe-bench/astropy-12907-separability"
    assert parts.short(long, 16) == "swe-bench…bility"
    assert parts.short("short", 16) == "short"
    assert parts.shorts(["x" * 30, "x" * 31, "<b>"], 10) == ["xxxxx…xxxx", "xxxxx…xxxx (2)", "&lt;b&gt;"]


def test_what_is_not_known_is_null_in_a_drawing() -> None:
    assert parts.compact(np.array([0.123456, np.nan])) == [0.1235, None]
