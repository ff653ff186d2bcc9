import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.timelines.statistics.means import clustered_error, mean_of_cases
from backend.timelines.statistics.pass_rates import pass_rate, wilson

SLEEP = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
"""Extra hours of sleep with the second drug, of ten patients (Student 1908)."""
RUNS = st.lists(st.tuples(st.integers(0, 6), st.floats(0, 1)), min_size=2, max_size=40)


def test_the_interval_of_unbounded_values_matches_students_own_data() -> None:
    found = mean_of_cases(SLEEP, np.arange(10), bounds=None)
    assert found is not None
    assert found.interval is not None
    assert found.mean == pytest.approx(2.33)
    assert found.error == pytest.approx(0.6331666)
    assert found.interval == pytest.approx((0.8976775, 3.7623225), abs=1e-6)


def test_a_case_with_more_runs_has_no_more_weight() -> None:
    found = mean_of_cases(np.array([1.0, 1.0, 1.0, 0.0]), np.array([0, 0, 0, 1]))
    assert found is not None
    assert (found.mean, found.cases, found.runs) == (0.5, 2, 4)


def test_a_single_case_has_a_mean_and_no_interval() -> None:
    found = mean_of_cases(np.array([0.2, 0.4]), np.array([3, 3]))
    assert found is not None
    assert (found.mean, found.error, found.interval) == (pytest.approx(0.3), None, None)
    assert mean_of_cases(np.array([]), np.array([], dtype=np.int64)) is None


def test_the_clustered_error_equals_millers_double_sum() -> None:
    scores, cases = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0]), np.array([0, 0, 1, 1, 2, 2])
    # Deviations from 0.5 add up to 1, -1 and 0 in the cases: the root of 2, over 6 runs.
    assert clustered_error(scores, cases) == pytest.approx(np.sqrt(2) / 6)


def test_copies_of_runs_do_not_reduce_the_clustered_error() -> None:
    scores, cases = np.array([0.1, 0.9, 0.4, 0.6]), np.arange(4)
    assert clustered_error(np.repeat(scores, 9), np.repeat(cases, 9)) == pytest.approx(
        clustered_error(scores, cases)
    )


@settings(max_examples=40)
@given(RUNS, st.randoms(use_true_random=False))
def test_an_interval_contains_the_mean_in_any_order_of_runs(runs: list[tuple[int, float]], shuffle) -> None:
    cases, scores = (np.array(part) for part in zip(*runs, strict=True))
    found = mean_of_cases(scores, cases)
    shuffle.shuffle(runs)
    reversed_mean = mean_of_cases(*(np.array(part) for part in list(zip(*runs, strict=True))[::-1]))
    assert found is not None
    assert reversed_mean is not None
    assert reversed_mean.mean == pytest.approx(found.mean)
    if found.interval is not None and reversed_mean.interval is not None:
        assert found.interval.low <= found.mean <= found.interval.high
        assert reversed_mean.interval == pytest.approx(found.interval, abs=1e-9)


def test_wilsons_interval_matches_the_published_values() -> None:
    # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(15 / 148, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0 / 20, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(1 / 29, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)


def test_runs_that_agree_within_cases_count_once_per_case() -> None:
    cases = np.repeat(np.arange(10), 5)
    rate = pass_rate(np.repeat([1.0] * 4 + [0.0] * 6, 5), cases)
    assert rate is not None
    assert rate.effective == pytest.approx(10)
    assert rate.interval == pytest.approx(wilson(0.4, 10))
    mixed = pass_rate(np.tile([1.0, 1.0, 0.0, 0.0, 0.0], 10), cases)
    assert mixed is not None
    assert mixed.effective == 50


def test_a_rate_of_one_has_an_interval() -> None:
    found = pass_rate(np.ones(50), np.repeat(np.arange(10), 5))
    assert found is not None
    assert found.interval == pytest.approx(wilson(1.0, 10))
    assert found.interval.low < 0.75
