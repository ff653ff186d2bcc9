import numpy as np
import pytest

from backend.timelines.analysis.alerts import add_false_alarm_rates, alerts, watch_profiles
from backend.timelines.analysis.behaviour import relate_cost_to_score, relate_metric_to_score
from backend.timelines.analysis.comparison import compare_profiles
from backend.timelines.analysis.deductions import rank_deductions
from backend.timelines.analysis.heatmap import heatmap
from backend.timelines.analysis.pairwise_comparison import pair_matrix
from backend.timelines.analysis.scores_over_time import (
    DAY,
    HOUR,
    build_score_lines,
    fitting_window,
    list_changes,
)
from backend.timelines.model import Metrics, ScoreAdjustment
from backend.timelines.statistics.means import mean_of_cases
from tests.support.runs.scored_runs import arrays, build_daily_runs, run

CASES = [f"case {n:02}" for n in range(12)]


def build_noisy_runs(profile: str, level: float, days: int = 30, seed: int = 1, fall: float = 0.0) -> list:
    noise = np.random.default_rng(seed).uniform(-0.1, 0.1, (len(CASES), days))
    noise[:, days // 2 :] -= fall
    own = np.linspace(-0.2, 0.2, len(CASES))
    return build_daily_runs(profile, {case: level + own[n] + noise[n] for n, case in enumerate(CASES)})


def test_a_line_is_the_mean_of_case_means_of_each_window() -> None:
    chosen = arrays(
        [run("a", "x", 0.2, 1), run("a", "x", 0.4, 2), run("a", "y", 0.9, 3), run("a", "x", 1, 30)]
    )
    line = build_score_lines(chosen, DAY).lines[0]
    assert line.mean == pytest.approx([0.6, 1.0])
    assert (line.cases.tolist(), line.runs.tolist()) == ([2, 1], [3, 1])
    window_mean = mean_of_cases(np.array([0.3, 0.9]), np.array([0, 1]))
    assert window_mean is not None
    assert window_mean.interval is not None
    assert (line.low[0], line.high[0]) == pytest.approx(tuple(window_mean.interval))
    assert np.isnan(line.low[1])
    assert line.time[0] - line.start[0] == 2 * HOUR


def test_with_same_cases_windows_of_hard_cases_show_no_fall() -> None:
    runs = [
        run("a", "easy", 0.9, 1),
        run("a", "easy", 0.9, 2),
        run("a", "hard", 0.1, 25),
        run("a", "hard", 0.1, 26),
    ]
    plain_means, same_case_means = (
        build_score_lines(arrays(runs), DAY, same_cases=same_cases).lines[0].mean
        for same_cases in (False, True)
    )
    assert plain_means == pytest.approx([0.9, 0.1])
    assert same_case_means == pytest.approx([0.5, 0.5])


def test_the_window_depends_on_the_span_and_the_passes() -> None:
    assert fitting_window(arrays(build_noisy_runs("a", 0.5))) == DAY
    assert fitting_window(arrays([])) == DAY
    assert fitting_window(arrays([run("a", "x", 1, n / 2) for n in range(240)])) == HOUR
    long_span = build_score_lines(arrays([run("a", "x", 1, n) for n in range(2000)]))
    assert len(long_span.lines[0].mean) <= 121


def test_a_model_change_is_dated_to_the_first_run_with_the_new_model() -> None:
    runs = [run("a", "x", 1, n, model=model) for n, model in enumerate(["m1", "m1", None, "m2", "m2"])]
    found = list_changes(arrays([*runs, run("b", "x", 1, 9, model="m3")]))
    assert [(change.profile, change.before, change.after) for change in found] == [(0, "m1", "m2")]
    assert found[0].time == arrays(runs).time[3]


def test_a_fall_raises_an_alert_with_size_and_false_alarm_rate() -> None:
    chosen = arrays([*build_noisy_runs("falls", 0.6, fall=0.12), *build_noisy_runs("stays", 0.6, seed=2)])
    watched = watch_profiles(chosen)
    found = add_false_alarm_rates(chosen, watched, alerts(watched))
    assert [(chosen.profiles[alert.profile], alert.fell, alert.standing) for alert in found] == [
        ("falls", True, True)
    ]
    assert found[0].start == pytest.approx(16, abs=1)
    assert found[0].size is not None
    assert found[0].size.difference == pytest.approx(-0.12, abs=0.02)
    assert found[0].rate == pytest.approx(0.1, abs=0.06)
    assert found[0].family == 2
    assert found[0].family_rate == pytest.approx(1 - (1 - found[0].rate) ** 2)
    assert found[0].at <= 18


def test_profiles_with_few_passes_are_not_monitored() -> None:
    watched = watch_profiles(arrays([run("a", "x", 0.5, n) for n in range(3)]))[0]
    assert (watched.passes, watched.judged, watched.alerts) == (3, 0, ())


def test_a_comparison_lists_the_largest_losses_of_b_first() -> None:
    runs = [run("a", "x", 0.9), run("a", "y", 0.5), run("a", "only a", 0.1)]
    runs += [run("b", "x", 0.4), run("b", "y", 0.7)]
    found = compare_profiles(arrays(runs), "a", "b")
    assert found.paired is not None
    assert (found.paired.cases, found.paired.difference) == (2, pytest.approx(-0.15))
    assert found.difference == pytest.approx([-0.5, 0.2])
    assert (found.a.cases, found.b.cases, found.a.runs) == (3, 2, 3)
    assert compare_profiles(arrays(runs), "a", "nobody").b.mean is None
    perfect = compare_profiles(arrays([run("a", f"case {n}", float(n > 0)) for n in range(6)]), "a", "b").a
    assert perfect.mean is not None
    assert perfect.mean.interval is not None
    assert perfect.mean.mean < perfect.mean.interval.high <= 1
    assert perfect.interval == perfect.mean.interval


def test_pairs_with_too_few_cases_stay_out_of_the_family_and_have_no_interval() -> None:
    few = [run(name, f"few {n}", score) for name, score in (("x", 0.3), ("y", 0.6)) for n in range(3)]
    many = [run(name, f"case {n}", (n % 3) / 3, n) for name in ("a", "b") for n in range(6)]
    found = pair_matrix(arrays([*few, *many]))
    assert (found.compared_pairs, found.found, found.found_holm) == (1, 0, 0)
    assert found.pairs_with_too_few_cases == 1
    row, column = (found.profiles.tolist().index(place) for place in (2, 3))
    assert np.isnan(found.p[row, column])
    assert found.interval(row, column) is None


def test_the_point_of_an_evaluation_stands_at_its_start() -> None:
    runs = [run("a", f"case {n}", 0.5, n, evaluation_id="e1") for n in range(4)]
    line = build_score_lines(arrays(runs), 12 * HOUR).lines[0]
    assert line.time.tolist() == [arrays(runs).time.min()]


def test_all_pairs_are_corrected_together() -> None:
    levels = {"best": 0.7, "middle": 0.6, "as good": 0.6}
    runs = [
        noisy_run
        for n, (name, level) in enumerate(levels.items())
        for noisy_run in build_noisy_runs(name, level, 4, seed=n)
    ]
    chosen = arrays(runs)
    found = pair_matrix(chosen)
    assert chosen.profiles[found.profiles[0]] == "best"
    assert (found.compared_pairs, found.found_bh, found.found_holm) == (3, 2, 2)
    assert found.difference == pytest.approx(-found.difference.T)
    single_pair = compare_profiles(chosen, "best", "middle").paired
    assert single_pair is not None
    row, column = (found.profiles.tolist().index(chosen.profiles.index(name)) for name in ("best", "middle"))
    assert found.difference[row, column] == pytest.approx(single_pair.difference)
    assert found.interval(row, column) == single_pair.interval
    assert found.bh[row, column] >= found.p[row, column]
    assert (found.holm >= found.bh)[row, column]


def test_the_heatmap_starts_with_the_best_profile_and_the_most_disputed_case() -> None:
    runs = [run("a", "same", 0.5), run("a", "apart", 0.1), run("b", "same", 0.5), run("b", "apart", 0.9)]
    found = heatmap(arrays([*runs, run("b", "alone", 0.3)]))
    assert found.profiles.tolist() == [1, 0]
    assert found.cases.tolist() == [1, 2, 0]
    assert np.allclose(found.mean, [[0.9, 0.5, 0.3], [0.1, 0.5, np.nan]], equal_nan=True)
    assert found.disagreement[0] == pytest.approx(np.std([0.1, 0.9], ddof=1))
    assert heatmap(arrays(runs), max_cases=1).hidden_count == 1


def test_lost_shares_add_up_to_the_missing_part_of_the_mean() -> None:
    lost = (ScoreAdjustment("slow", 0.1), ScoreAdjustment("wrong", 0.3))
    runs = [run("a", "x", 0.6, 0, deductions=lost), run("a", "x", 1.0, 1), run("a", "y", 0.8, 2)]
    runs += [run("b", "x", 0.5, 3), run("b", "z", 0.0, 4)]
    one_sided = rank_deductions(arrays(runs), "a")
    assert dict(zip(one_sided.names, one_sided.a, strict=True)) == pytest.approx(
        {"wrong": 0.075, "slow": 0.025, "check": 0.1}
    )
    assert one_sided.a.sum() == pytest.approx(1 - (0.8 + 0.8) / 2)
    ranking = rank_deductions(arrays(runs), "a", "b", max_names=1)
    assert (ranking.names, ranking.cases, ranking.rest) == (("check",), 1, 2)
    assert (ranking.b[0], ranking.rest_a) == pytest.approx((0.5, 0.2))
    assert rank_deductions(arrays(runs), "nobody").names == ()


def test_a_metric_is_related_to_the_score_of_runs_that_have_it() -> None:
    runs = [
        run(profile, case, score + gain, n, metrics=Metrics(pre_write_read_coverage=score))
        for profile, gain in (("a", 0.0), ("b", 0.1))
        for case, n, score in (("x", 0, 0.2), ("x", 1, 0.4), ("y", 2, 0.8), ("y", 3, 0.6))
    ]
    found = relate_metric_to_score(arrays([*runs, run("a", "x", 0.5, 9)]), "pre_write_read_coverage")
    assert (found.known, found.runs, found.correlation) == (8, 9, pytest.approx(1.0))
    assert len(relate_metric_to_score(arrays(runs), "pre_write_read_coverage", max_points=3).x) == 3
    assert relate_metric_to_score(arrays(runs), "read_write_ratio").correlation is None
    with pytest.raises(ValueError, match="mood is not a metric"):
        relate_metric_to_score(arrays(runs), "mood")


def test_the_frontier_has_profiles_that_score_more_than_all_cheaper_ones() -> None:
    runs = [
        run(name, "x", score, 0, cost_usd=cost)
        for name, score, cost in (("a", 0.5, 1), ("b", 0.4, 2), ("c", 0.9, 3))
    ]
    chosen = arrays([*runs, run("unknown", "x", 1.0)])
    found = [
        (chosen.profiles[cost.profile], cost.cost.mean, cost.frontier)
        for cost in relate_cost_to_score(chosen)
    ]
    assert found == [("a", 1.0, True), ("b", 2.0, False), ("c", 3.0, True)]


@pytest.mark.parametrize("runs", [[], [run("a", "x", 0.5)], [run("a", "x", 0.5), run("b", "y", 0.2)]])
def test_empty_and_tiny_selections_have_results(runs: list) -> None:
    chosen = arrays(runs)
    names = {timeline_run.profile for timeline_run in runs}
    assert len(build_score_lines(chosen).lines) == len(watch_profiles(chosen)) == len(names)
    assert heatmap(chosen).mean.shape == (len(names), len(runs))
    assert pair_matrix(chosen).compared_pairs == 0
    assert list_changes(chosen) == alerts(watch_profiles(chosen)) == relate_cost_to_score(chosen) == ()
    assert relate_metric_to_score(chosen, "read_write_ratio").known == 0
    assert rank_deductions(chosen, "a", "b").cases == 0
    assert compare_profiles(chosen, "a", "b").paired is None


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_huge_and_tiny_numbers_and_ends_of_time_stay_finite() -> None:
    tiny = {
        "max_score": 1e-300,
        "normalized_score": 1e300,
        "deductions": (ScoreAdjustment("check", 1e300),),
        "cost_usd": 1e308,
    }
    runs = [run(name, case, 0.5, at, **tiny) for name in "ab" for case in "xy" for at in (0, 1)]
    runs += [
        run("a", "x", 0.5, run_id=timestamp, timestamp=timestamp)
        for timestamp in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
    ]
    chosen = arrays(runs)
    found = compare_profiles(chosen, "a", "b").paired
    assert found is not None
    assert np.isfinite(found.difference)
    assert np.isfinite(pair_matrix(chosen).difference).all()
    assert np.isfinite(rank_deductions(chosen, "a", "b").a).all()
    drawn = build_score_lines(chosen)
    assert max(len(line.mean) for line in drawn.lines) <= 121
    assert len(watch_profiles(chosen)) == 2
    assert np.isfinite([cost.cost.mean for cost in relate_cost_to_score(chosen)]).all()
