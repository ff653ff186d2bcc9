"""Adds runs and profiles to the store.

Each change first increments one counter. The counter's row stays locked until the commit, so changes of all
processes are serialised and a visible number implies that all lower ones are committed. A change that adds
nothing is rolled back together with its number.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection

from backend.store.database import Database, bump, change_counters, upsert
from backend.timelines.evaluation_store import add_evaluations
from backend.timelines.model import Profile, Realm
from backend.timelines.tables import timeline_profiles, timeline_runs, timeline_series, timeline_versions
from backend.timelines.validation.run_preparation import PreparedRun, hash_case_id

CHANGE_TOPIC = "timelines"
"""The change counter's topic."""
KEY_BATCH_SIZE = 500


class Added(NamedTuple):
    """``known`` counts runs whose id is stored or occurs earlier in the input; the first run stays."""

    added: int
    known: int


class _RunRow(NamedTuple):
    """A row of the table ``timeline_runs``, in column order."""

    series_id: int
    instant: int
    run_id: str
    realm: Realm
    case_key: int
    case_id: str
    version: int
    entry: bytes
    rest: bytes | None


class _NothingAdded(Exception):
    """Rolls back a transaction that has added nothing."""


def add(
    database: Database, realm: Realm, runs: Sequence[PreparedRun], profiles: Mapping[str, Profile]
) -> Added:
    """Store all of ``runs`` or none; they are durable when this returns.

    Missing model fields of a run are taken from its profile in ``profiles``. Raises ``KeyError`` for a
    missing profile.
    """
    first: dict[str, PreparedRun] = {}
    for run in runs:
        first.setdefault(run.run_id, run)
    by_profile: dict[str, list[PreparedRun]] = {}
    for run in first.values():
        by_profile.setdefault(run.profile, []).append(run)
    added = 0
    try:
        with database.write() as connection:
            version = _increment_version(connection)
            for name in sorted(by_profile):
                added += _add_profile_runs(connection, realm, name, by_profile[name], profiles[name], version)
            if not added:
                raise _NothingAdded
    except _NothingAdded:
        pass
    return Added(added, len(runs) - added)


def find_run_ids(connection: Connection, realm: Realm, run_ids: Collection[str]) -> set[str]:
    """Return those of ``run_ids`` that are stored."""
    columns = timeline_runs.c
    found: set[str] = set()
    for batch in _split_batches(list(run_ids), KEY_BATCH_SIZE):
        query = sa.select(columns.run_id).where(columns.realm == realm, columns.run_id.in_(batch))
        found.update(connection.execute(query).scalars())
    return found


def find_run_profiles(connection: Connection, realm: Realm, run_ids: Collection[str]) -> dict[str, str]:
    """Find the profiles of those of ``run_ids`` that are stored."""
    columns = timeline_runs.c
    found: dict[str, str] = {}
    for batch in _split_batches(list(run_ids), KEY_BATCH_SIZE):
        query = (
            sa.select(columns.run_id, timeline_series.c.profile)
            .join_from(timeline_runs, timeline_series, columns.series_id == timeline_series.c.id)
            .where(columns.realm == realm, columns.run_id.in_(batch))
        )
        found.update((run_id, profile) for run_id, profile in connection.execute(query))
    return found


def upsert_profiles(database: Database, profiles: Mapping[str, Profile], *, now: datetime) -> None:
    """Add profiles, or replace those with the same name."""
    with database.write() as connection:
        _increment_version(connection)
        upsert(
            connection,
            timeline_profiles,
            [{"name": name, **fields(profile), "added_at": now} for name, profile in profiles.items()],
            keep=("added_at",),
        )


def delete_profile(database: Database, name: str) -> bool:
    """Delete a profile; true if it existed. Its runs stay and reappear when the profile is added again."""
    with database.write() as connection:
        _increment_version(connection)
        statement = sa.delete(timeline_profiles).where(timeline_profiles.c.name == name)
        return connection.execute(statement).rowcount > 0


def load_stored_profiles(connection: Connection) -> dict[str, Profile]:
    """Load the profiles that a command added, by name."""
    columns = timeline_profiles.c
    query = sa.select(
        columns.name, columns.provider, columns.model, columns.model_vendor, columns.inference_provider
    ).order_by(columns.name)
    return {name: Profile(*values) for name, *values in connection.execute(query)}


def fields(profile: Profile) -> dict[str, str | None]:
    return {
        "provider": profile.provider,
        "model": profile.model,
        "model_vendor": profile.model_vendor,
        "inference_provider": profile.inference_provider,
    }


def _increment_version(connection: Connection) -> int:
    bump(connection, CHANGE_TOPIC)
    query = sa.select(change_counters.c.n).where(change_counters.c.topic == CHANGE_TOPIC)
    version: int = connection.execute(query).scalar_one()
    return version


def _add_profile_runs(
    connection: Connection,
    realm: Realm,
    name: str,
    runs: Sequence[PreparedRun],
    profile: Profile,
    version: int,
) -> int:
    run_profiles = {run.own_profile: _fill_from_profile(run.own_profile, profile) for run in runs}
    series = _find_or_create_series(connection, realm, name, set(run_profiles.values()))
    rows = [
        _RunRow(
            series[run_profiles[run.own_profile]],
            run.started_us,
            run.run_id,
            realm,
            hash_case_id(run.case_id),
            run.case_id,
            version,
            run.response_json,
            run.additional_json,
        )
        for run in runs
    ]
    in_evaluations = [run for run in runs if run.evaluation is not None]
    stored_ids = find_run_ids(connection, realm, [run.run_id for run in in_evaluations])
    rows.sort(key=_find_primary_key)  # rows that are adjacent in the table touch few of its pages
    added = _insert_rows(connection, rows)
    add_evaluations(connection, realm, [run for run in in_evaluations if run.run_id not in stored_ids])
    if added:
        insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
        upsert = insert(timeline_versions).values(realm=realm, profile=name, version=version, runs=added)
        columns = timeline_versions.c
        connection.execute(
            upsert.on_conflict_do_update(
                index_elements=["realm", "profile"],
                set_={"version": version, "runs": columns.runs + upsert.excluded.runs},
            )
        )
    return added


def _find_primary_key(row: _RunRow) -> tuple[int, int, str]:
    return row[:3]


def _fill_from_profile(run_profile: Profile, profile: Profile) -> Profile:
    return Profile(
        run_profile.provider or profile.provider,
        run_profile.model or profile.model,
        run_profile.model_vendor or profile.model_vendor,
        run_profile.inference_provider or profile.inference_provider,
    )


def _find_or_create_series(
    connection: Connection, realm: Realm, profile: str, run_profiles: Iterable[Profile]
) -> dict[Profile, int]:
    """Find the series of each profile value, and create those that are missing."""
    keys = {_compute_series_key(realm, profile, run_profile): run_profile for run_profile in run_profiles}
    series_ids = _find_series(connection, keys)
    missing = [key for key in keys if keys[key] not in series_ids]
    if missing:
        insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
        connection.execute(
            insert(timeline_series).on_conflict_do_nothing(index_elements=["key"]),
            [{"key": key, "realm": realm, "profile": profile, **fields(keys[key])} for key in missing],
        )
        series_ids |= _find_series(connection, {key: keys[key] for key in missing})
    return series_ids


def _find_series(connection: Connection, keys: Mapping[str, Profile]) -> dict[Profile, int]:
    series_ids = {}
    for part in _split_batches(list(keys), KEY_BATCH_SIZE):
        query = sa.select(timeline_series.c.key, timeline_series.c.id).where(timeline_series.c.key.in_(part))
        series_ids.update({keys[key]: number for key, number in connection.execute(query)})
    return series_ids


def _compute_series_key(realm: Realm, profile: str, run_profile: Profile) -> str:
    return sha256(orjson.dumps([realm, profile, *fields(run_profile).values()])).hexdigest()


def _split_batches(values: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (values[start : start + size] for start in range(0, len(values), size))


_INSERT_SQLITE = """
    INSERT INTO timeline_runs (series_id, instant, run_id, realm, case_key, case_id, version, entry, rest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
"""
_INSERT_POSTGRES = """
    INSERT INTO timeline_runs (series_id, instant, run_id, realm, case_key, case_id, version, entry, rest)
    SELECT * FROM unnest(
        %s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::bigint[], %s::text[], %s::bigint[],
        %s::bytea[], %s::bytea[]
    )
    ON CONFLICT DO NOTHING
"""


def _insert_rows(connection: Connection, rows: Sequence[_RunRow]) -> int:
    """Insert rows with the drivers' bulk statements and return the number of new ones."""
    if connection.dialect.name == "sqlite":
        return connection.exec_driver_sql(_INSERT_SQLITE, list(rows)).rowcount
    columns = tuple(list(column) for column in zip(*rows, strict=True))
    return connection.exec_driver_sql(_INSERT_POSTGRES, columns).rowcount
