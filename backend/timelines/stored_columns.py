"""All stored runs of some profiles as columns: what a command compares, without the limits of an answer."""

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
from backend.timelines.selection import Selection, wanted
from backend.timelines.store_snapshot import StateReader, Timeline

_ALL = 2**31 - 1


def columns_of(settings: Settings, database: Database, names: Collection[str] | None = None) -> pa.Table:
    """The runs of the profiles called so, or of all that are shown.

    Raises :class:`NotFound` for a name that is not configured, with the names there are.
    """
    timelines = StateReader(database, Profiles(settings, sample_profiles)).read().timelines
    asked = sorted(timelines if names is None else set(names))
    unknown = [name for name in asked if name not in timelines]
    if unknown:
        raise NotFound(f"There is no profile '{unknown[0]}'. {_there_are(list(timelines))}")
    found = [_batch(database, timelines[name]) for name in asked]
    return pa.Table.from_batches([batch for batch in found if batch is not None], SCHEMA)


def _batch(database: Database, timeline: Timeline) -> "pa.RecordBatch | None":
    chosen = wanted(timeline, Selection(limit=_ALL))
    with database.read() as connection:
        stored = run_queries.whole_rows(connection, chosen)
    return arrow_stream.batch(stored, chosen.made_with) if stored else None


def _there_are(names: Sequence[str]) -> str:
    if not names:
        return "None is configured yet."
    shown = ", ".join(f"'{name}'" for name in names[:8])
    more = len(names) - 8
    return f"There are {shown}{f' and {more} more' if more > 0 else ''}."
