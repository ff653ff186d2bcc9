"""Loads all stored runs of some profiles as columns, without the limits of a response."""

from collections.abc import Collection, Sequence

import pyarrow as pa

from backend.errors import NotFound
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import run_queries
from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.responses import arrow_stream
from backend.timelines.sample.sample_runs import sample_profiles
from backend.timelines.selection import Selection, build_query
from backend.timelines.store_snapshot import SnapshotReader, Timeline

_ALL = 2**31 - 1


def columns_of(settings: Settings, database: Database, names: Collection[str] | None = None) -> pa.Table:
    """Load the runs of the named profiles, or of all visible ones.

    Raises :class:`NotFound` for a name that is not configured; the message lists the configured names.
    """
    timelines = SnapshotReader(database, Profiles(settings, sample_profiles)).read().timelines
    asked = sorted(timelines if names is None else set(names))
    unknown = [name for name in asked if name not in timelines]
    if unknown:
        raise NotFound(f"There is no profile '{unknown[0]}'. {_there_are(list(timelines))}")
    found = [_batch(database, timelines[name]) for name in asked]
    return pa.Table.from_batches([batch for batch in found if batch is not None], SCHEMA)


def _batch(database: Database, timeline: Timeline) -> "pa.RecordBatch | None":
    chosen = build_query(timeline, Selection(limit=_ALL))
    with database.read() as connection:
        stored = run_queries.load_rows(connection, chosen)
    return arrow_stream.batch(stored, chosen.made_with) if stored else None


def _there_are(names: Sequence[str]) -> str:
    if not names:
        return "None is configured yet."
    shown = ", ".join(f"'{name}'" for name in names[:8])
    more = len(names) - 8
    return f"There are {shown}{f' and {more} more' if more > 0 else ''}."
