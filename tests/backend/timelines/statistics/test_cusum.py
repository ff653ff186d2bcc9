import numpy as np
import pytest

from backend.timelines.statistics.cusum import BOUND, REFERENCE, Alarm, drift, pass_values, watch
from backend.timelines.statistics.false_alarms import (
    false_alarm_rate,
    unchanged_series,
)
from backend.timelines.statistics.passes import pass_numbers

OBSERVED = (
    "9.45 7.99 9.29 11.66 12.16 10.18 8.04 11.46 9.20 10.34 9.03 11.47 10.51 9.40 10.08 "
    "9.37 10.62 10.31 8.52 10.84 10.90 9.33 12.29 11.50 10.60 11.08 10.38 11.62 11.31 10.52"
)
MONTGOMERY = [float(one) for one in OBSERVED.split()]
"""His table of 20 values about 10 with deviation 1, then 10 about 11."""


def _scores(passes: int, cases: int, seed: int = 1) -> np.ndarray:
    chance = np.random.default_rng(seed)
    return np.clip(chance.uniform(0.2, 0.9, cases) + chance.normal(0, 0.1, (passes, cases)), 0, 1)


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
    assert np.median(found, axis=0).tolist() == [0, 1]
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
    seen = watch(scores, np.ones_like(scores))
    assert seen.z[20] == -BOUND
    assert not any(alarm.at == 20 for alarm in seen.alarms)


def test_identical_scores_do_not_imply_certainty() -> None:
    scores = np.ones((30, 20))
    scores[15, 3] = 0.0
    assert watch(scores, np.ones_like(scores)).alarms == ()


def test_too_few_passes_are_not_monitored() -> None:
    scores = _scores(REFERENCE, 10)
    seen = watch(scores, np.ones_like(scores))
    assert np.isnan(seen.z).all()
    assert seen.alarms == ()


def test_values_of_unchanged_passes_are_standardised() -> None:
    chance = np.random.default_rng(3)
    scores = chance.uniform(0, 1, (200, 40, 20))
    z = pass_values(scores, np.ones_like(scores))[:, REFERENCE:]
    assert z.mean() == pytest.approx(0, abs=0.03)
    assert z.std() == pytest.approx(1, abs=0.05)
    assert abs(np.corrcoef(z[:, :-1].ravel(), z[:, 1:].ravel())[0, 1]) < 0.05


def test_the_false_alarm_rate_matches_the_average_run_length() -> None:
    # k 0.5, h 5 alarm on one side after 930 passes in the mean (Montgomery: 465 on two), so that
    # 1 - exp(-100 / 930), or 10 %, of series do within 100.
    trials = list(np.random.default_rng(4).normal(0.5, 0.1, (20, 60)))
    assert false_alarm_rate(trials) == pytest.approx(0.10, abs=0.04)
    assert false_alarm_rate(trials) == false_alarm_rate(trials)
    assert false_alarm_rate([np.array([1.0])]) is None


def test_without_widening_the_false_alarm_rate_is_too_low() -> None:
    trials = list(np.random.default_rng(4).normal(0.5, 0.1, (20, 5)))
    means = np.array([case.mean() for case in trials])
    deviation = np.sqrt(np.mean([case.var(ddof=1) for case in trials]) / 20)

    def rate(*, widened: bool) -> float:
        scores = unchanged_series(trials, 400, 100, widened=widened)
        down, _ = drift(np.clip((scores - means).mean(axis=-1) / deviation, -BOUND, BOUND))
        return float((down.max(axis=-1) > 5).mean())

    assert rate(widened=False) < 0.05 < rate(widened=True)


def test_a_larger_fall_is_detected_sooner() -> None:
    trials = list(np.random.default_rng(4).normal(0.5, 0.1, (20, 30)))

    def passes(drop: float) -> float:
        scores = unchanged_series(trials, 100, 120)
        scores[:, 20:] -= drop
        down, _ = drift(pass_values(scores, np.ones_like(scores)))
        return float(np.median((down[:, 20:] > 5).argmax(axis=-1)))

    assert passes(0.08) < passes(0.03)


def test_a_simulation_needs_a_case_with_two_runs() -> None:
    with pytest.raises(ValueError, match="No case has two runs"):
        unchanged_series([np.array([1.0])], 1, 1)


def test_a_pass_ends_before_a_repeated_case() -> None:
    assert pass_numbers(np.array([0, 1, 2, 2, 0, 1, 1, 0, 2])).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_case_retried_at_once_stays_in_its_pass() -> None:
    assert pass_numbers(np.array([0, 0, 0, 1, 2, 3, 0, 1, 2, 3])).tolist() == [0] * 6 + [1] * 4
    assert pass_numbers(np.array([], dtype=np.int64)).tolist() == []


def test_an_alarm_has_the_pass_in_which_the_change_began() -> None:
    scores = np.full((20, 10), 0.5) + np.tile([0.05, -0.05], (10, 10)).reshape(20, 10)
    scores[12:] -= 0.3
    assert watch(scores, np.ones_like(scores)).alarms[0] == Alarm(True, 12, 13)
