"""Pairs, case differences, axes and labels of the comparison and the cases."""

import numpy as np
import pytest

from backend.timelines.analysis.comparison import build_profile_groups, compare_runs
from backend.timelines.analysis.pairwise_comparison import pair_matrix
from backend.timelines.statistics.distributions import Interval
from dashboard.app_pages.timelines import comparison_data
from tests.support.runs.scored_runs import arrays, build_daily_runs

CASES = ("a", "b", "c", "d", "e", "f")
ARRAYS = arrays(
    [
        *build_daily_runs("low", {**dict.fromkeys(CASES, (0.1, 0.2)), "a": (0.1, 0.25)}),
        *build_daily_runs("mid", dict.fromkeys(CASES[:5], (0.5, 0.6))),
        *build_daily_runs(
            "high", {"a": (0.9, 0.7), "b": (0.4, 0.4), "c": (1.0, 1.0), "d": (0.8,), "e": (0.2, 0.3)}
        ),
        *build_daily_runs("apart", {"elsewhere": (0.5,)}),
    ]
)


def compute_differences(a: str, b: str) -> tuple[comparison_data.CaseDifference, ...]:
    groups = build_profile_groups(ARRAYS, a, b)
    return comparison_data.compute_case_differences(
        comparison_data.Comparison(compare_runs(*groups), *groups, (a, b))
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
def test_by_default_the_two_best_profiles_are_compared(
    a: str | None, b: str | None, pair: tuple[str, str]
) -> None:
    assert comparison_data.choose_pair(ARRAYS, ("low", "mid", "high"), a, b) == pair


def test_a_pair_with_a_shared_case_is_preferred_to_a_better_one_without() -> None:
    assert comparison_data.choose_pair(ARRAYS, ("apart", "low", "mid"), None, None) == ("mid", "low")
    assert comparison_data.choose_pair(ARRAYS, ("apart", "low"), "apart", None) == ("apart", "low")


def test_one_profile_alone_is_no_pair() -> None:
    assert comparison_data.choose_pair(ARRAYS, ("low",), None, None) is None
    assert comparison_data.choose_pair(ARRAYS, ("low",), "low", None) is None
    assert comparison_data.choose_pair(arrays([]), (), None, None) is None


def test_a_case_that_both_profiles_repeated_has_welchs_interval() -> None:
    from scipy.stats import ttest_ind

    rows = {row.case: row for row in compute_differences("mid", "high")}
    expected = ttest_ind([0.9, 0.7], [0.5, 0.6], equal_var=False).confidence_interval(0.95)
    assert rows["a"].interval == pytest.approx((expected.low, expected.high))
    assert (rows["a"].a_mean, rows["a"].b_mean, rows["a"].a_runs, rows["a"].b_runs) == (
        pytest.approx(0.55),
        pytest.approx(0.8),
        2,
        2,
    )
    assert rows["d"].interval is None  # one run
    assert rows["b"].interval is not None  # only one of both varies
    self_comparison = compute_differences("high", "high")
    assert {row.case: row.interval is None for row in self_comparison}["c"]


def test_cases_with_the_largest_loss_come_first() -> None:
    rows = compute_differences("mid", "high")
    assert [row.case for row in rows] == ["e", "b", "a", "d", "c"]
    assert [row.direction for row in rows] == ["down", "down", "up", "up", "up"]


def test_the_largest_losses_and_gains_of_many_cases_are_selected() -> None:
    rows = compute_differences("mid", "high")
    selected = comparison_data.select_largest(rows, 2)
    assert [row.case for row in selected.losses] == ["e"]
    assert [row.case for row in selected.gains] == ["c"]
    assert selected.hidden_count == 3
    assert selected.hidden_count == selected.hidden_losses + selected.hidden_ties + selected.hidden_gains
    everything = comparison_data.select_largest(rows, 5)
    assert (everything.losses, everything.gains, everything.hidden_count) == (rows, (), 0)


def test_losses_and_gains_of_equal_size_are_selected_in_turn_and_the_rest_is_counted() -> None:
    sizes = [-1.0] * 20 + [0.0] * 5 + [1.0] * 20
    rows = [comparison_data.CaseDifference(f"c{n}", size, 0, 0, 1, 1, None) for n, size in enumerate(sizes)]
    selected = comparison_data.select_largest(rows, 8)
    assert (len(selected.losses), len(selected.gains)) == (4, 4)
    assert (selected.hidden_losses, selected.hidden_ties, selected.hidden_gains) == (16, 5, 16)


def test_the_axis_is_round_and_an_interval_alone_never_extends_it_beyond_100_points() -> None:
    assert comparison_data.build_axis([0.04]).limit == 0.05
    assert comparison_data.build_axis([0.04], [Interval(-3, 3), None]).limit == 1.0
    assert comparison_data.build_axis([-2.5]).limit == 2.5
    assert comparison_data.build_axis([]).limit == 0.02
    axis = comparison_data.build_axis([0.5])
    assert [axis.to_percent(value) for value in (-0.5, 0, 0.25, 9)] == [0, 50, 75, 100]


def test_the_corrected_p_decides_a_pair_and_disjoint_pairs_are_not_comparable() -> None:
    matrix = pair_matrix(ARRAYS)
    rows = [ARRAYS.profiles[place] for place in matrix.profiles]
    at = {name: rows.index(name) for name in rows}
    lower = comparison_data.build_pair_cell(matrix, at["mid"], at["low"])
    assert lower.outcome == "down"
    assert lower.p < 0.05
    assert comparison_data.build_pair_cell(matrix, at["low"], at["mid"]).outcome == "up"
    assert comparison_data.build_pair_cell(matrix, at["mid"], at["high"]).outcome == "level"
    assert comparison_data.build_pair_cell(matrix, at["apart"], at["low"]).outcome == "none"
    assert comparison_data.build_pair_cell(matrix, at["low"], at["low"]).outcome == "itself"
    outcomes = comparison_data.build_outcomes(matrix)
    assert outcomes[at["mid"], at["low"]] == -1
    assert outcomes[at["low"], at["mid"]] == 1
    assert outcomes[at["mid"], at["high"]] == 0
    assert outcomes[at["apart"], at["low"]] == 2


def test_shortened_names_keep_both_ends_and_stay_distinct() -> None:
    long = "swe-bench/astropy-12907-separability"
    assert comparison_data.shorten(long, 16) == "swe-bench…bility"
    assert comparison_data.shorten("short", 16) == "short"
    assert comparison_data.shorten_labels(["x" * 30, "x" * 31, "<b>"], 10) == [
        "xxxxx…xxxx",
        "xxxxx…xxxx (2)",
        "&lt;b&gt;",
    ]


def test_nan_becomes_null_in_a_figure() -> None:
    assert comparison_data.round_values(np.array([0.123456, np.nan])) == [0.1235, None]
