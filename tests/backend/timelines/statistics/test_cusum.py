import numpy as np
import pytest

from backend.timelines.statistics.cusum import BOUND, REFERENCE, Alarm, H, drift, pass_values, watch
from backend.timelines.statistics.distributions import normal_share, normal_value_of_t, two_sided
from backend.timelines.statistics.false_alarms import (
    centre_passes,
    false_alarm_rate,
    family_rate,
    unchanged_series,
)
from backend.timelines.statistics.passes import pass_numbers
from benchmarks.timelines import alarm_rates

OBSERVED = (
    "9.45 7.99 9.29 11.66 12.16 10.18 8.04 11.46 9.20 10.34 9.03 11.47 10.51 9.40 10.08 "
    "9.37 10.62 10.31 8.52 10.84 10.90 9.33 12.29 11.50 10.60 11.08 10.38 11.62 11.31 10.52"
)
MONTGOMERY = [float(value) for value in OBSERVED.split()]
"""His table of 20 values about 10 with deviation 1, then 10 about 11."""


def _scores(passes: int, cases: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.clip(rng.uniform(0.2, 0.9, cases) + rng.normal(0, 0.1, (passes, cases)), 0, 1)


def test_the_tabular_cusum_matches_montgomerys_example() -> None:
    # The upper sum passes 5 at period 29, where it is 5.28; it left zero at period 23.
    _, up = drift(np.array(MONTGOMERY) - 10)
    assert up[21] == 0
    assert up[28] == pytest.approx(5.28, abs=1e-9)
    assert int(np.argmax(up > 5)) == 28


def test_a_fall_is_detected_soon_and_dated_to_its_first_pass() -> None:
    found = []
    for seed in range(20):
        scores = _scores(40, 30, seed)
        scores[25:] -= 0.06
        falls = [alarm for alarm in watch(scores, np.ones_like(scores)).alarms if alarm.at >= 25]
        assert falls[0].fell
        found.append((abs(falls[0].start - 25), falls[0].at - 25))
    assert np.median([start for start, _ in found]) == 0
    assert np.median([late for _, late in found]) <= 2
    assert max(late for _, late in found) <= 4


def test_a_fall_and_a_recovery_raise_one_alarm_each() -> None:
    # Without chance, since a watch of 60 passes has some: the same two values in turn.
    scores = 0.5 + np.resize([0.05, -0.05], (60, 31))
    scores[20:40] -= 0.1
    assert [alarm.fell for alarm in watch(scores, np.ones_like(scores)).alarms] == [True, False]


def test_hard_cases_run_first_raise_no_alarm() -> None:
    centred = raw = 0
    for seed in range(20):
        scores = _scores(40, 30, seed)
        halves = np.zeros_like(scores)
        hard = np.argsort(np.argsort(scores.mean(axis=0))) < 15
        halves[:20], halves[20:] = hard, ~hard
        centred += len(watch(scores * halves, halves).alarms)
        means = (scores * halves).sum(axis=1) / halves.sum(axis=1)
        raw += int(drift((means - means[:20].mean()) / means[:20].std())[1].max() > 5)
    assert raw == 20
    assert centred <= 4


def test_one_bad_pass_alone_raises_no_alarm() -> None:
    scores = _scores(30, 30)
    scores[20] = 0.0
    watch_result = watch(scores, np.ones_like(scores))
    assert watch_result.z[20] == -BOUND
    assert not any(alarm.at == 20 for alarm in watch_result.alarms)


def test_identical_scores_do_not_imply_certainty() -> None:
    scores = np.ones((30, 20))
    scores[15, 3] = 0.0
    assert watch(scores, np.ones_like(scores)).alarms == ()


def test_too_few_passes_are_not_monitored() -> None:
    scores = _scores(REFERENCE, 10)
    watch_result = watch(scores, np.ones_like(scores))
    assert np.isnan(watch_result.z).all()
    assert watch_result.alarms == ()


def test_values_of_unchanged_passes_are_standardised() -> None:
    rng = np.random.default_rng(3)
    scores = rng.uniform(0, 1, (200, 40, 20))
    z = pass_values(scores, np.ones_like(scores))[:, REFERENCE:]
    assert z.mean() == pytest.approx(0, abs=0.03)
    assert z.std() == pytest.approx(1, abs=0.05)
    assert abs(np.corrcoef(z[:, :-1].ravel(), z[:, 1:].ravel())[0, 1]) < 0.05


def test_the_rate_of_normal_passes_matches_the_average_run_length() -> None:
    # Montgomery: k 0.5 and h 5 alarm after 465 passes in the mean; by Siegmund's formula h 5.5 after 778, so
    # that 1 - exp(-100 / 778), or 12 %, of series do within 100.
    scores = np.random.default_rng(4).normal(0.5, 0.1, (60, 20))
    passes = centre_passes(scores, np.ones_like(scores))
    assert false_alarm_rate(*passes) == pytest.approx(0.12, abs=0.04)
    assert false_alarm_rate(*passes) == false_alarm_rate(*passes)


@pytest.mark.parametrize("name", ["independent runs", "passes wobble by 3 points", "pass or fail, p = .97"])
def test_the_stated_rate_is_the_true_one_within_a_factor(name: str) -> None:
    size = (300, 100 + REFERENCE, alarm_rates.CASES)
    scores = alarm_rates.DESIGNS[name](np.random.default_rng(6), size, alarm_rates.NO_FALLS)
    true = alarm_rates.raise_alarm(scores).mean()
    stated = np.mean([alarm_rates.state_rate(profile[:42]) for profile in scores[:6]])
    assert 1 / 1.5 < stated / true < 1.5


def test_wobbling_passes_raise_no_more_alarms_than_independent_runs_do_twice() -> None:
    size = (300, 100 + REFERENCE, alarm_rates.CASES)
    rates = [
        alarm_rates.raise_alarm(draw(np.random.default_rng(6), size, alarm_rates.NO_FALLS)).mean()
        for draw in (alarm_rates.wobbling(0.11, 0), alarm_rates.wobbling(0.11, 3))
    ]
    assert rates[0] < rates[1] < 2 * rates[0]


def test_a_fall_of_ten_points_is_found_within_five_passes_although_passes_wobble() -> None:
    draw = alarm_rates.wobbling(0.11, 3)
    assert alarm_rates.find_falls(draw, np.random.default_rng(6), 200) > 0.85


def test_runs_of_one_pass_stay_together_in_the_simulation() -> None:
    # The pass moves all cases; drawn run by run, the means of the passes would hardly vary.
    scores = 0.5 + np.tile([[0.1], [-0.1]], (10, 24))
    drawn, counts = unchanged_series(*centre_passes(scores, np.ones_like(scores)), 50, 40)
    assert np.abs(drawn.sum(axis=-1) / counts.sum(axis=-1)) == pytest.approx(0.1 * np.sqrt(20 / 19))


def test_a_case_that_ran_in_one_pass_counts_as_not_run() -> None:
    sums, counts = np.array([[0.2, 0.9], [0.4, 0.0]]), np.array([[1.0, 1.0], [1.0, 0.0]])
    centred, ran = centre_passes(sums, counts)
    assert centred == pytest.approx(np.array([[-0.1, 0.0], [0.1, 0.0]]) * np.sqrt(2))
    assert ran.tolist() == [[1, 0], [1, 0]]
    assert false_alarm_rate(*centre_passes(sums[:1], counts[:1])) is None
    with pytest.raises(ValueError, match="No case has runs in two passes"):
        unchanged_series(*centre_passes(sums[:1], counts[:1]), 1, 1)


def test_the_rate_of_a_family_grows_with_its_profiles() -> None:
    assert family_rate([0.1]) == pytest.approx(0.1)
    assert family_rate([0.1, 0.1, 0.2]) == pytest.approx(1 - 0.9 * 0.9 * 0.8)
    assert family_rate([]) == 0


def test_a_larger_fall_is_detected_sooner() -> None:
    def passes(drop: float) -> float:
        scores = np.random.default_rng(4).normal(0.5, 0.1, (100, 120, 20))
        scores[:, 20:] -= drop
        down, _ = drift(pass_values(scores, np.ones_like(scores)))
        return float(np.median((down[:, 20:] > H).argmax(axis=-1)))

    assert passes(0.08) < passes(0.03)


def test_the_normal_value_of_a_t_has_its_tail() -> None:
    t, df = np.meshgrid([-6.0, -2.0, 0.5, 3.0], [4.0, 10.0, 100.0])
    tails = np.array([normal_share(-abs(z)) for z in normal_value_of_t(t, df).ravel()])
    assert 2 * tails == pytest.approx(two_sided(t, df).ravel(), rel=0.1)
    assert np.array_equal(np.sign(normal_value_of_t(t, df)), np.sign(t))


def test_a_pass_ends_before_a_repeated_case() -> None:
    assert pass_numbers(np.array([0, 1, 2, 2, 0, 1, 1, 0, 2])).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_case_retried_at_once_stays_in_its_pass() -> None:
    assert pass_numbers(np.array([0, 0, 0, 1, 2, 3, 0, 1, 2, 3])).tolist() == [0] * 6 + [1] * 4
    assert pass_numbers(np.array([], dtype=np.int64)).tolist() == []


def test_an_alarm_has_the_pass_in_which_the_change_began() -> None:
    scores = np.full((20, 10), 0.5) + np.tile([0.05, -0.05], (10, 10)).reshape(20, 10)
    scores[12:] -= 0.3
    assert watch(scores, np.ones_like(scores)).alarms[0] == Alarm(True, 12, 13)
