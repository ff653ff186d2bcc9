"""The sample's runs: added by the clock, shown in sample mode alone, and never among one's own."""

from datetime import timedelta
from pathlib import Path

from backend.settings import Settings
from backend.timelines import store
from backend.timelines.model import Profile
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.sample.sample_runs import sample_profiles
from backend.timelines.service import TimelineService
from backend.timelines.tasks import SAMPLE_RUNS, add_sample_runs, timeline_schedules
from tests.support.http.problems import assert_problem
from tests.support.runs.timeline_app import NOW, TimelinesApp, build_run, build_run_json, store_runs


def of_the_sample(service: TimelinesApp) -> Profiles:
    return Profiles(Settings(home=service.running.inner.state.settings.home), sample_profiles)


def test_each_tick_adds_new_sample_runs_once(service: TimelinesApp) -> None:
    for name in ("one", "two"):
        store.delete_profile(service.database, name)
    profiles = of_the_sample(service)
    first = add_sample_runs(service.database, profiles, seed=1, now=NOW - timedelta(days=58))
    assert first > 0
    assert add_sample_runs(service.database, profiles, seed=1, now=NOW - timedelta(days=58)) == 0
    more = add_sample_runs(service.database, profiles, seed=1, now=NOW - timedelta(days=57))
    assert 0 < more < first
    listed = service.json("/v1/timelines")["profiles"]
    assert set(listed) == set(sample_profiles())
    assert all(name.startswith("sample") and profile["entries"] for name, profile in listed.items())
    name, entry = next((name, profile["entries"][0]) for name, profile in listed.items())
    assert service.json(f"/v1/runs/{entry['run_id']}")["profile"] == name
    assert_problem(service.post(name.replace(" ", "%20"), build_run_json()), 409, "sample_profile")
    service.configure(mine=Profile())
    assert add_sample_runs(service.database, profiles, seed=1, now=NOW) == 0
    assert list(service.json("/v1/timelines")["profiles"]) == ["mine"]
    assert_problem(service.get(f"/v1/runs/{entry['run_id']}"), 404, "not_found")
    assert store_runs(service.database, "mine", build_run(entry["run_id"])).added == 1


def test_live_mode_has_no_sample(tmp_path: Path, sqlite_service: TimelinesApp) -> None:
    live = Settings(home=tmp_path, mode="live")
    assert timeline_schedules(live, sqlite_service.database) == []
    (schedule,) = timeline_schedules(Settings(home=tmp_path), sqlite_service.database)
    assert schedule.name == SAMPLE_RUNS
    schedule.run(NOW)  # nothing is made while there are profiles of one's own
    assert TimelineService(live, sqlite_service.database).states.read().realm == "own"
