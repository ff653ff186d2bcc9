import re
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from backend.timelines.analysis.alerts import alerts, watch_profiles
from backend.timelines.analysis.scores_over_time import model_changes
from backend.timelines.columns.run_arrays import RunArrays, select
from backend.timelines.columns.run_columns import columns_of
from backend.timelines.sample.sample_runs import sample_profiles, sample_runs
from backend.timelines.validation.run_validation import check

UNTIL = datetime(2026, 3, 20, 12, tzinfo=UTC)
NEWEST = timedelta(days=42)
"""What a listing holds of a profile: 1,024 runs of 24 cases a day."""
CASES = 24


@cache
def _table(until: datetime) -> pa.Table:
    profiles = sample_profiles()
    runs = [run for name in profiles for run in sample_runs(name, 1, until - NEWEST, until)]
    return columns_of(runs, profiles)


def _chosen(until: datetime, **how: bool) -> RunArrays:
    return select(_table(until), **how)


def _fell(chosen: RunArrays) -> set[str]:
    return {chosen.profiles[one.profile] for one in alerts(watch_profiles(chosen)) if one.fell}


@pytest.mark.parametrize("later", [0, 19])
def test_only_the_regression_raises_an_alert_on_any_day(later: int) -> None:
    chosen = _chosen(UNTIL + timedelta(days=later))
    found = alerts(watch_profiles(chosen))
    assert {chosen.profiles[one.profile] for one in found} == {"sample Harbor Small"}
    assert any(one.fell for one in found)
    sizes = [one.size.difference for one in found if one.fell and one.size is not None]
    assert sizes == pytest.approx([-0.09] * len(sizes), abs=0.035)


def test_included_infrastructure_failures_look_like_a_fall() -> None:
    assert "sample Quarry" in _fell(_chosen(UNTIL, leave_out_machinery=False))
    left_out = _chosen(UNTIL)
    assert left_out.excluded_runs[left_out.profiles.index("sample Quarry")] > 20


def test_a_model_change_is_marked() -> None:
    chosen = _chosen(UNTIL)
    changes = model_changes(chosen)
    assert {chosen.profiles[one.profile] for one in changes} == {"sample Lantern"}
    assert changes[0].before != changes[0].after


def test_every_sample_run_is_valid() -> None:
    for name in sample_profiles():
        runs = sample_runs(name, 1, UNTIL - timedelta(days=25), UNTIL)
        checked = check(runs)
        assert checked.refusals == []
        assert len(checked.prepared) == len(runs) == 25 * CASES
        for run in runs:
            lost = sum(part.points for part in run.deductions)
            won = sum(part.points for part in run.bonuses)
            assert run.total_score == run.raw_score + won - lost
            assert run.normalized_score == run.total_score / run.max_score


def test_runs_and_ids_are_the_same_for_every_span_and_differ_by_the_seed() -> None:
    whole = sample_runs("sample Quarry", 1, UNTIL - timedelta(days=3), UNTIL)
    middle = UNTIL - timedelta(days=1, hours=7, minutes=31)
    assert whole == sample_runs("sample Quarry", 1, UNTIL - timedelta(days=3), middle) + sample_runs(
        "sample Quarry", 1, middle, UNTIL
    )
    other = sample_runs("sample Quarry", 2, UNTIL - timedelta(days=3), UNTIL)
    assert [run.normalized_score for run in other] != [run.normalized_score for run in whole]


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


def test_single_runs_vary_while_passes_hardly_do() -> None:
    chosen = _chosen(UNTIL).of("sample Meadow")
    by_case = np.array([each.std() for each in chosen.trials()])
    assert by_case.min() > 0.05
    day = chosen.time // (86_400 * 1_000_000)
    means = [chosen.score[day == one].mean() for one in np.unique(day)]
    assert np.std(means) < 0.4 * by_case.mean() / np.sqrt(CASES)
