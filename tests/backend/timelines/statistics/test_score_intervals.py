import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.timelines.statistics.distributions import t_quantile
from backend.timelines.statistics.score_intervals import score_interval, score_intervals, wilson_ends
from benchmarks.timelines.interval_coverage import CASES, DESIGNS, measure

SCORES = st.lists(st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1)), min_size=2, max_size=60)


@settings(max_examples=150)
@given(SCORES)
def test_an_interval_stays_inside_the_bounds_and_never_collapses(scores: list[float]) -> None:
    found = score_interval(np.array(scores))
    assert found is not None
    assert 0 <= found.low <= np.mean(scores) + 1e-12
    assert np.mean(scores) - 1e-12 <= found.high <= 1
    # At least the width of scores that are all equal, which shrinks as the number of cases.
    assert found.high - found.low > 0.05 / len(scores)


@settings(max_examples=60)
@given(SCORES)
def test_lost_points_have_the_mirrored_interval_of_scores(scores: list[float]) -> None:
    found, mirrored = score_interval(np.array(scores)), score_interval(1 - np.array(scores))
    assert found is not None
    assert mirrored is not None
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx(tuple(found), abs=1e-6)


@pytest.mark.parametrize("name", DESIGNS)
def test_intervals_cover_the_true_mean_and_are_not_much_wider_than_those_of_t(name: str) -> None:
    for cases in CASES:
        found = measure(DESIGNS[name], cases, samples=1_000)
        assert found.covered >= found.aim - 0.01
        assert not found.is_too_wide


def test_scores_of_zero_and_one_have_wilsons_interval_with_a_quantile_of_t() -> None:
    scores = np.repeat([1.0, 0.0], [15, 5])
    t = float(t_quantile(0.975, 19))
    low, high = wilson_ends(np.array([0.75]), np.array([19.1]), t)
    assert score_interval(scores) == pytest.approx((low[0], high[0]), abs=0.01)


def test_full_scores_leave_room_below_and_none_above() -> None:
    found = score_interval(np.ones(56))
    assert found is not None
    assert found.high == 1
    assert found.low == pytest.approx(56 / (56 + float(t_quantile(0.975, 55)) ** 2))


def test_far_from_the_bounds_the_interval_is_that_of_t() -> None:
    scores = np.random.default_rng(1).normal(0.5, 0.05, 40)
    reach = float(t_quantile(0.975, 39)) * scores.std(ddof=1) / np.sqrt(40)
    assert score_interval(scores) == pytest.approx((scores.mean() - reach, scores.mean() + reach), abs=1e-3)


def test_scores_beyond_the_bounds_extend_them() -> None:
    found = score_interval(np.array([1.2, 1.2, 0.8, 1.1]))
    assert found is not None
    assert 1 < found.high <= 1.2
    negative = score_interval(np.array([-0.5, -0.5, -0.5]))
    assert negative is not None
    assert negative.low == -0.5


def test_groups_have_the_intervals_that_they_have_alone() -> None:
    rng = np.random.default_rng(2)
    scores, groups = rng.integers(0, 5, 60) / 4, rng.integers(0, 6, 60)
    low, high = score_intervals(scores, groups, 7)
    for group in range(6):
        assert (low[group], high[group]) == pytest.approx(score_interval(scores[groups == group]), abs=1e-9)
    assert np.isnan([low[6], high[6]]).all()


def test_one_case_has_no_interval() -> None:
    assert score_interval(np.array([0.4])) is None
    assert np.isnan(score_intervals(np.array([0.4, 0.1, 0.2]), np.array([0, 1, 1]), 2)[0]).tolist() == [
        True,
        False,
    ]
    assert len(score_intervals(np.array([]), np.array([], dtype=np.int64), 0)[0]) == 0
