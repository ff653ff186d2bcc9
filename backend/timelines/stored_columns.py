"""Loads all stored runs of some profiles as columns, without the limits of a response."""

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from backend.entities.model import Language
from backend.errors import NotFound
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import run_queries
from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.responses import arrow_stream
from backend.timelines.sample.sample_runs import sample_profiles
from backend.timelines.selection import Selection, build_query
from backend.timelines.store_snapshot import SnapshotReader, Timeline

_ALL = 2**31 - 1
MAX_RUNS_OF_A_REQUEST = 200_000
"""Newest runs that a request reads, shared by its profiles."""


def columns_of(settings: Settings, database: Database, names: Collection[str] | None = None) -> pa.Table:
    """Load the runs of the named profiles, or of all visible ones. Raises as :func:`load_columns` does."""
    return load_columns(database, read_timelines(settings, database), names)


def read_timelines(settings: Settings, database: Database) -> Mapping[str, Timeline]:
    """Read the visible timelines by name."""
    return SnapshotReader(database, Profiles(settings, sample_profiles)).read().timelines


def share_runs(timelines: Mapping[str, Timeline], names: Sequence[str]) -> dict[str, int]:
    """Share :data:`MAX_RUNS_OF_A_REQUEST` among profiles: what small ones leave goes to the larger ones."""
    limits: dict[str, int] = {}
    rest = MAX_RUNS_OF_A_REQUEST
    known = sorted({name for name in names if name in timelines}, key=lambda name: timelines[name].runs)
    for place, name in enumerate(known):
        limits[name] = min(timelines[name].runs, rest // (len(known) - place))
        rest -= limits[name]
    return limits


def list_cut_notes(
    timelines: Mapping[str, Timeline], limits: Mapping[str, int], language: Language
) -> list[str]:
    """List a sentence for each profile whose runs are not all read."""
    return [
        TEMPLATES[language]["cut"].format(name=name, limit=f"{limit:,}", count=f"{timelines[name].runs:,}")
        for name, limit in limits.items()
        if limit < timelines[name].runs
    ]


def load_columns(
    database: Database,
    timelines: Mapping[str, Timeline],
    names: Collection[str] | None = None,
    *,
    limits: Mapping[str, int] | None = None,
) -> pa.Table:
    """Load the runs of the named ones of ``timelines``, or of all of them; up to ``limits``, the newest.

    Raises :class:`NotFound` for a name that is not configured; the message lists the configured names.
    """
    requested = sorted(timelines if names is None else set(names))
    unknown = [name for name in requested if name not in timelines]
    if unknown:
        raise NotFound(f"There is no profile '{unknown[0]}'. {_list_names(list(timelines))}")
    batches = [
        _load_batch(database, timelines[name], _ALL if limits is None else limits[name]) for name in requested
    ]
    return pa.Table.from_batches([batch for batch in batches if batch is not None], SCHEMA)


def _load_batch(database: Database, timeline: Timeline, limit: int) -> "pa.RecordBatch | None":
    chosen = build_query(timeline, Selection(limit=limit))
    with database.read() as connection:
        stored = run_queries.load_rows(connection, chosen)
    return arrow_stream.batch(stored, chosen.profiles_by_series) if stored else None


def _list_names(names: Sequence[str]) -> str:
    if not names:
        return "None is configured yet."
    listed = ", ".join(f"'{name}'" for name in names[:8])
    unlisted_count = len(names) - 8
    return f"There are {listed}{f' and {unlisted_count} more' if unlisted_count > 0 else ''}."
