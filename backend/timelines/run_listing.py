"""Lists run counts by profile, and the newest runs of one profile, for the command line."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import orjson

from backend.errors import NotFound
from backend.formats.timestamps import write_instant
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import run_queries
from backend.timelines.model import Realm
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.sample.sample_runs import sample_profiles
from backend.timelines.selection import Selection, build_query
from backend.timelines.store_snapshot import SnapshotReader

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Counted(NamedTuple):
    """A profile's number of runs; ``newest`` is the instant of its last run, or null."""

    profile: str
    realm: Realm
    runs: int
    newest: str | None


def counted(settings: Settings, database: Database) -> list[Counted]:
    """Count the runs of every visible profile, by name."""
    state = SnapshotReader(database, Profiles(settings, sample_profiles)).read()
    counts = []
    with database.read() as connection:
        for timeline in state.timelines.values():
            last = run_queries.load_rows(connection, build_query(timeline, Selection(limit=1)))
            newest = write_instant(_EPOCH + timedelta(microseconds=last[0].started_us)) if last else None
            counts.append(Counted(timeline.name, timeline.realm, timeline.runs, newest))
    return counts


def newest_runs(settings: Settings, database: Database, profile: str, *, limit: int) -> list[dict[str, Any]]:
    """List the last ``limit`` runs of ``profile`` as in responses, newest first. Raises :class:`NotFound`."""
    state = SnapshotReader(database, Profiles(settings, sample_profiles)).read()
    timeline = state.timelines.get(profile)
    if timeline is None:
        raise NotFound(f"There is no profile '{profile}'. 'chainproof profiles list' shows those there are.")
    with database.read() as connection:
        responses = run_queries.load_run_responses(connection, build_query(timeline, Selection(limit=limit)))
    return [orjson.loads(response) for response in reversed(responses)]
