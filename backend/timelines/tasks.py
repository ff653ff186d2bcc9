"""Schedules the generation of sample runs. Each tick runs once across all processes."""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
import structlog

from backend.jobs.schedules import Schedule
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import store
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.sample.sample_runs import sample_profiles, sample_runs
from backend.timelines.store import load_stored_profiles
from backend.timelines.tables import timeline_runs, timeline_series
from backend.timelines.validation.run_preparation import prepare_runs

log = structlog.get_logger(__name__)

SAMPLE_RUNS = "timelines-sample"
HISTORY = timedelta(days=60)
"""Age of the oldest sample runs at the first generation."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def timeline_schedules(settings: Settings, database: Database) -> list[Schedule]:
    """Build the schedule that adds new sample runs; empty outside sample mode."""
    if settings.mode != "sample":
        return []
    profiles = Profiles(settings, sample_profiles)

    def add(now: datetime) -> None:
        profiles.refresh()
        added = add_sample_runs(database, profiles, seed=settings.sample_seed, now=now)
        if added:
            log.info("sample_runs_added", runs=added)

    return [Schedule(SAMPLE_RUNS, 300, add, "Add the sample's runs that have come to an end.")]


def add_sample_runs(database: Database, profiles: Profiles, *, seed: int, now: datetime) -> int:
    """Add the sample runs that are due by ``now`` and return their number; 0 while the sample is hidden."""
    with database.read() as connection:
        visible = profiles.shown(load_stored_profiles(connection))
        if visible.realm != "sample":
            return 0
        newest = _find_newest(connection)
    added = 0
    for name in visible.profiles:
        since = newest.get(name, now - HISTORY)
        result = prepare_runs(sample_runs(name, seed, since, now), profile=name)
        if result.errors:
            first = result.errors[0]
            raise ValueError(f"a run of the sample is wrong: {first.field} {first.reason}")
        if result.runs:
            added += store.add(database, "sample", result.runs, visible.profiles).added
    return added


def _find_newest(connection: sa.Connection) -> dict[str, datetime]:
    """Find the instant after the newest stored run of each sample profile."""
    runs, series = timeline_runs.c, timeline_series.c
    latest = (
        sa.select(sa.func.max(runs.instant)).where(runs.series_id == series.id).correlate(timeline_series)
    )
    query = sa.select(series.profile, latest.scalar_subquery()).where(series.realm == "sample")
    latest_by_profile: dict[str, int] = {}
    for name, instant in connection.execute(query):
        if instant is not None:
            latest_by_profile[name] = max(instant, latest_by_profile.get(name, instant))
    return {name: _EPOCH + timedelta(microseconds=instant + 1) for name, instant in latest_by_profile.items()}
