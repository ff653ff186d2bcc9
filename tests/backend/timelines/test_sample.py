import re
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from backend.timelines.analysis.alerts import alerts, watch_profiles
from backend.timelines.analysis.scores_over_time import list_changes
from backend.timelines.columns.run_arrays import RunArrays, select
from backend.timelines.columns.run_columns import columns_of
from backend.timelines.sample.sample_runs import sample_profiles, sample_runs
from backend.timelines.validation.run_preparation import prepare_runs

UNTIL = datetime(2026, 3, 20, 12, tzinfo=UTC)
NEWEST = timedelta(days=42)
"""What a listing holds of a profile: 1,024 runs of 24 cases a day."""
CASES = 24


@cache
def _build_table(until: datetime) -> pa.Table:
    profiles = sample_profiles()
    runs = [run for name in profiles for run in sample_runs(name, 1, until - NEWEST, until)]
    return columns_of(runs, profiles)


def _select_runs(until: datetime, **how: bool) -> RunArrays:
    return select(_build_table(until), **how)


def _list_fallen_profiles(chosen: RunArrays) -> set[str]:
    return {chosen.profiles[alert.profile] for alert in alerts(watch_profiles(chosen)) if alert.fell}


@pytest.mark.parametrize("later", [0, 19])
def test_the_regression_raises_an_alert_on_any_day_and_chance_hardly_any(later: int) -> None:
    chosen = _select_runs(UNTIL + timedelta(days=later))
    found = alerts(watch_profiles(chosen))
    of_regression = [alert for alert in found if chosen.profiles[alert.profile] == "sample Harbor Small"]
    assert len(found) - len(of_regression) <= 1
    assert any(alert.fell for alert in of_regression)
    sizes = [alert.size.difference for alert in of_regression if alert.fell and alert.size is not None]
    assert sizes == pytest.approx([-0.09] * len(sizes), abs=0.035)


def test_included_infrastructure_failures_look_like_a_fall() -> None:
    assert "sample Quarry" in _list_fallen_profiles(
        _select_runs(UNTIL, exclude_infrastructure_failures=False)
    )
    left_out = _select_runs(UNTIL)
    assert left_out.excluded_runs[left_out.profiles.index("sample Quarry")] > 20


def test_a_model_change_is_marked() -> None:
    chosen = _select_runs(UNTIL)
    changes = list_changes(chosen)
    assert {chosen.profiles[change.profile] for change in changes} == {"sample Lantern"}
    assert changes[0].before != changes[0].after


def test_every_sample_run_is_valid() -> None:
    for name in sample_profiles():
        runs = sample_runs(name, 1, UNTIL - timedelta(days=25), UNTIL)
        checked = prepare_runs(runs)
        assert checked.errors == []
        assert len(checked.runs) == len(runs) == 25 * CASES
        for run in runs:
            lost = sum(part.points for part in run.deductions)
            bonus_points = sum(part.points for part in run.bonuses)
            assert run.total_score == run.raw_score + bonus_points - lost
            assert run.normalized_score == run.total_score / run.max_score


def test_runs_and_ids_are_the_same_for_every_span_and_differ_by_the_seed() -> None:
    all_runs = sample_runs("sample Quarry", 1, UNTIL - timedelta(days=3), UNTIL)
    middle = UNTIL - timedelta(days=1, hours=7, minutes=31)
    assert all_runs == sample_runs("sample Quarry", 1, UNTIL - timedelta(days=3), middle) + sample_runs(
        "sample Quarry", 1, middle, UNTIL
    )
    other_seed_runs = sample_runs("sample Quarry", 2, UNTIL - timedelta(days=3), UNTIL)
    assert [run.normalized_score for run in other_seed_runs] != [run.normalized_score for run in all_runs]


def test_sample_profiles_and_runs_are_labelled() -> None:
    ids = []
    for name, profile in sample_profiles().items():
        assert name.startswith("sample ")
        assert all(str(part).startswith("sample") for part in (profile.provider, profile.model))
        runs = sample_runs(name, 1, UNTIL - timedelta(days=2), UNTIL)
        ids += [run.run_id for run in runs]
        assert all(re.fullmatch(r"sample-[a-z0-9-]+", run.run_id) for run in runs)
    assert len(ids) == len(set(ids))
    with pytest.raises(KeyError):
        sample_runs("sample Nobody", 1, UNTIL, UNTIL)


def test_the_passes_of_one_profile_wobble_more_than_its_runs_explain() -> None:
    chosen = _select_runs(UNTIL)
    deviations = {}
    for name in ("sample Meadow", "sample Meadow Reader"):
        profile_runs = chosen.of(name)
        means = profile_runs.by_cell[0][chosen.profiles.index(name)]
        deviation = profile_runs.score - means[profile_runs.case]
        day = profile_runs.time // (86_400 * 1_000_000)
        by_pass = [deviation[day == day_number].mean() for day_number in np.unique(day)]
        deviations[name] = float(np.std(by_pass) / (deviation.std() / np.sqrt(CASES)))
    assert deviations["sample Meadow Reader"] == pytest.approx(1, abs=0.25)
    assert deviations["sample Meadow"] > 1.3
