import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from backend.timelines.statistics.multiple_comparisons import benjamini_hochberg, holm
from backend.timelines.statistics.paired_comparison import MIN_CASES, all_pairs, compare, difference_interval
from backend.timelines.statistics.power import cases_needed, smallest_detectable_difference

FIRST = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
SECOND = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
"""Extra hours of sleep of ten patients with two drugs (Student 1908): the paired t is 4.0621, p 0.002833."""
PUBLISHED = (
    "0.0001 0.0004 0.0019 0.0095 0.0201 0.0278 0.0298 0.0344 0.0459 0.3240 0.4262 0.5719 0.6528 0.7590 1"
)
SCORES = st.one_of(st.floats(0, 1, allow_subnormal=False), st.just(float("nan")))
ROW = arrays(np.float64, 9, elements=SCORES)
P_VALUES = arrays(np.float64, st.integers(1, 20), elements=st.floats(0, 1))


def test_the_paired_test_matches_students_own_data() -> None:
    found = compare(FIRST, SECOND)
    assert found is not None
    assert found.error is not None
    assert found.difference == pytest.approx(1.58)
    assert found.difference / found.error == pytest.approx(4.0621, abs=1e-4)
    assert found.p == pytest.approx(0.002833, abs=1e-6)
    assert found.t_interval == pytest.approx((0.7001142, 2.4598858), abs=1e-6)
    assert (found.wins, found.ties, found.losses, found.cases) == (9, 1, 0, 10)


def test_only_shared_cases_are_compared() -> None:
    nan = np.nan
    found = compare(np.array([0.2, nan, 0.5, 0.9]), np.array([0.4, 0.7, 0.5, nan]))
    assert found is not None
    assert (found.cases, found.difference, found.wins, found.ties) == (2, pytest.approx(0.1), 1, 1)
    assert compare(np.array([0.2, nan]), np.array([nan, 0.2])) is None


def test_one_shared_case_has_a_difference_and_no_interval() -> None:
    found = compare(np.array([0.2]), np.array([0.7]))
    assert found is not None
    assert (found.difference, found.interval, found.p, found.detectable_difference) == (
        pytest.approx(0.5),
        None,
        None,
        None,
    )


def test_equal_differences_have_the_p_of_a_sign_test_and_zero_differences_p_one() -> None:
    equal_gain, no_gain = compare(np.zeros(8), np.full(8, 0.25)), compare(np.ones(8) / 3, np.ones(8) / 3)
    assert equal_gain is not None
    assert no_gain is not None
    assert (equal_gain.p, no_gain.p) == (2 * 0.5**8, 1.0)
    assert equal_gain.detectable_difference is None  # no variance is known


def test_equal_differences_have_an_interval_of_their_sign() -> None:
    gain, loss, none = (compare(np.full(8, 0.5), np.full(8, score)) for score in (0.75, 0.25, 0.5))
    assert gain is not None
    assert gain.interval is not None
    assert loss is not None
    assert loss.interval is not None
    assert none is not None
    assert none.interval is not None
    assert 0 < gain.interval.low < 0.25 < gain.interval.high < 1
    assert loss.interval == pytest.approx((-gain.interval.high, -gain.interval.low))
    assert none.interval.low == pytest.approx(-none.interval.high)
    assert none.interval.high > 0


def test_too_few_cases_have_no_p_no_interval_and_no_smallest_detectable_difference() -> None:
    found = compare(np.array([0.7, 0.6, 0.9, 0.3]), np.array([0.4, 0.3, 0.6, 0.1]))
    assert found is not None
    assert (found.cases, found.losses) == (4, 4)
    assert (found.p, found.interval, found.t_interval, found.detectable_difference) == (None,) * 4


DIFFERENCES = [(0.0, 0.1), (0.05, 0.05), (0.02, 0.1), (0.3, 0.0), (0.2, 0.2), (0.5, 0.1), (0.9, 0.0)]
"""Probabilities that B alone and that A alone passes a case."""


@pytest.mark.parametrize("cases", [5, 10, 20])
@pytest.mark.parametrize(("wins", "losses"), DIFFERENCES)
def test_the_interval_of_passes_and_failures_covers_the_true_difference_with_few_cases(
    cases: int, wins: float, losses: float
) -> None:
    rng, covered, samples = np.random.default_rng(20_250_104), 0, 500
    for _ in range(samples):
        outcome = rng.choice([1, 0, -1], cases, p=[wins, 1 - wins - losses, losses])
        both_pass = rng.random(cases) < 0.7
        a = np.where(outcome == 0, both_pass, outcome < 0).astype(float)
        found = difference_interval(a, a + outcome)
        assert found is not None
        covered += found.low <= wins - losses <= found.high
    assert covered / samples >= 0.93


def test_one_win_in_a_few_cases_does_not_exclude_losses() -> None:
    for cases, lost in ((5, 0.3), (10, 0.15), (20, 0.08)):
        a, b = np.ones(cases), np.ones(cases)
        a[0] = 0
        found = difference_interval(a, b)
        assert found is not None
        assert found.low < -lost


@settings(max_examples=60)
@given(ROW, ROW)
def test_an_interval_of_a_difference_has_a_width_and_stays_within_the_possible(
    a: np.ndarray, b: np.ndarray
) -> None:
    found = difference_interval(a, b)
    if found is not None:
        assert -1 <= found.low < found.high <= 1


@settings(max_examples=40)
@given(ROW, ROW)
def test_b_against_a_is_the_mirror_of_a_against_b(a: np.ndarray, b: np.ndarray) -> None:
    forward, backward = compare(a, b), compare(b, a)
    if forward is None or backward is None:
        assert forward is backward
        return
    assert forward.difference == pytest.approx(-backward.difference)
    assert (forward.wins, forward.ties, forward.losses) == (backward.losses, backward.ties, backward.wins)
    if forward.interval and backward.interval and forward.t_interval and forward.p is not None:
        assert forward.interval == pytest.approx((-backward.interval.high, -backward.interval.low), abs=1e-9)
        assert forward.p == pytest.approx(backward.p)
        assert forward.interval.low - 1e-9 <= forward.difference <= forward.interval.high + 1e-9
        assert forward.t_interval.low <= forward.difference <= forward.t_interval.high


@settings(max_examples=25)
@given(arrays(np.float64, (4, 9), elements=SCORES))
def test_all_pairs_equal_the_single_comparisons(means: np.ndarray) -> None:
    together = all_pairs(means)
    for i in range(4):
        for j in range(i):
            single = compare(means[i], means[j])
            if single is None or single.p is None or single.error is None:
                assert single is None or single.cases < MIN_CASES
                assert np.isnan(together.p[i, j])
                continue
            assert together.cases[i, j] == single.cases
            assert together.difference[i, j] == pytest.approx(single.difference, abs=1e-9)
            assert together.difference[j, i] == -together.difference[i, j]
            assert together.error[i, j] == pytest.approx(single.error, abs=1e-7)
            if single.error > 1e-6:
                assert together.p[i, j] == pytest.approx(single.p, abs=1e-6)


def test_benjamini_hochberg_and_holm_match_published_examples() -> None:
    # Benjamini and Hochberg (1995), section 3.2: 15 p-values, of which 4 are found, and 3 by Bonferroni.
    p = np.array([float(value) for value in PUBLISHED.split()])
    adjusted = benjamini_hochberg(p)
    assert (adjusted <= 0.05).sum() == 4
    assert adjusted[:5] == pytest.approx([0.0015, 0.003, 0.0095, 0.035625, 0.0603])
    assert (holm(p) <= 0.05).sum() == 3
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@settings(max_examples=60)
@given(P_VALUES)
@example(np.full(11, 0.76))
def test_corrections_keep_the_order_and_holm_is_stricter(p: np.ndarray) -> None:
    bh, strict = benjamini_hochberg(p), holm(p)
    order = np.argsort(p, kind="stable")
    for adjusted in (bh, strict):
        assert (np.diff(adjusted[order]) >= 0).all()
        assert ((adjusted >= p) & (adjusted <= 1)).all()
    assert (strict >= bh - 1e-12).all()


@settings(max_examples=30)
@given(P_VALUES, st.integers(0, 19))
def test_a_smaller_p_never_makes_another_larger(p: np.ndarray, place: int) -> None:
    smaller = p.copy()
    smaller[place % len(p)] /= 2
    assert (benjamini_hochberg(smaller) <= benjamini_hochberg(p) + 1e-12).all()


def test_missing_comparisons_do_not_count() -> None:
    p = np.array([0.01, np.nan, 0.04])
    assert benjamini_hochberg(p)[[0, 2]] == pytest.approx(benjamini_hochberg(p[[0, 2]]))
    assert np.isnan(benjamini_hochberg(p)[1])
    assert np.isnan(holm(np.array([np.nan]))).all()


def test_the_least_detectable_difference_uses_blooms_multiple() -> None:
    # Bloom (1995): 2.8 standard errors for a two-sided test at 5 % with 80 % power.
    found = smallest_detectable_difference(1.0, 10_000)
    assert found is not None
    assert found * 100 == pytest.approx(2.80, abs=0.005)
    assert smallest_detectable_difference(1.0, 1) is None


def test_the_number_of_cases_matches_published_tables() -> None:
    # As G*Power gives it for a paired t test, half a deviation, 5 % two-sided and 80 % power.
    assert cases_needed(1.0, 0.5) == 34
    assert cases_needed(0.0, 0.02) == 2
    assert cases_needed(1e6, 1e-9) is None


@settings(max_examples=30)
@given(st.floats(0.01, 1), st.floats(0.005, 0.5))
def test_the_needed_cases_detect_the_difference_and_one_fewer_do_not(
    deviation: float, difference: float
) -> None:
    needed = cases_needed(deviation, difference)
    assert needed is not None
    seen = smallest_detectable_difference(deviation, needed)
    assert seen is not None
    assert seen <= difference
    fewer = smallest_detectable_difference(deviation, needed - 1)
    assert fewer is None or fewer > difference
