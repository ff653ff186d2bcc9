"""Adding runs and profiles to the store.

Each change takes the next number of one counter, first of all: its row is locked until the commit, so that
changes of all processes come one after another and a number that is seen stands for all below it. A change
that adds nothing is taken back, number and all.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection

from backend.store.database import Database, bump, change_counters, upsert
from backend.timelines.model import Profile, Realm
from backend.timelines.tables import timeline_profiles, timeline_series, timeline_versions
from backend.timelines.validation.run_validation import Prepared, case_key

CHANGED = "timelines"
"""The change counter's topic."""
KEYS_AT_ONCE = 500


class Added(NamedTuple):
    """``known``: runs whose id is stored already, or came earlier among those given; the first one stays."""

    added: int
    known: int


class _Stored(NamedTuple):
    """A row of the table of runs, in the order in which it is written."""

    series_id: int
    instant: int
    run_id: str
    realm: Realm
    case_key: int
    case_id: str
    version: int
    entry: bytes
    rest: bytes | None


class _NothingNew(Exception):
    """Ends a transaction that has changed nothing."""


def add(database: Database, realm: Realm, runs: Sequence[Prepared], profiles: Mapping[str, Profile]) -> Added:
    """Store ``runs``, all or none; they are on the disk when this returns.

    What a run does not say of its model is taken from its profile in ``profiles``. Raises ``KeyError`` for
    a profile that is not there.
    """
    first: dict[str, Prepared] = {}
    for run in runs:
        first.setdefault(run.run_id, run)
    by_profile: dict[str, list[Prepared]] = {}
    for run in first.values():
        by_profile.setdefault(run.profile, []).append(run)
    added = 0
    try:
        with database.write() as connection:
            version = _next_version(connection)
            for name in sorted(by_profile):
                added += _add_to(connection, realm, name, by_profile[name], profiles[name], version)
            if not added:
                raise _NothingNew
    except _NothingNew:
        pass
    return Added(added, len(runs) - added)


def put_profiles(database: Database, profiles: Mapping[str, Profile], *, now: datetime) -> None:
    """Add profiles, or change those of their name."""
    with database.write() as connection:
        _next_version(connection)
        upsert(
            connection,
            timeline_profiles,
            [{"name": name, **fields(profile), "added_at": now} for name, profile in profiles.items()],
            keep=("added_at",),
        )


def remove_profile(database: Database, name: str) -> bool:
    """Whether there was one; its runs stay, and are shown again when it is added again."""
    with database.write() as connection:
        _next_version(connection)
        gone = sa.delete(timeline_profiles).where(timeline_profiles.c.name == name)
        return connection.execute(gone).rowcount > 0


def added_profiles(connection: Connection) -> dict[str, Profile]:
    """Those that a command added, by name."""
    columns = timeline_profiles.c
    look = sa.select(
        columns.name, columns.provider, columns.model, columns.model_vendor, columns.inference_provider
    ).order_by(columns.name)
    return {name: Profile(*made_with) for name, *made_with in connection.execute(look)}


def fields(profile: Profile) -> dict[str, str | None]:
    return {
        "provider": profile.provider,
        "model": profile.model,
        "model_vendor": profile.model_vendor,
        "inference_provider": profile.inference_provider,
    }


def _next_version(connection: Connection) -> int:
    bump(connection, CHANGED)
    look = sa.select(change_counters.c.n).where(change_counters.c.topic == CHANGED)
    version: int = connection.execute(look).scalar_one()
    return version


def _add_to(
    connection: Connection,
    realm: Realm,
    name: str,
    runs: Sequence[Prepared],
    profile: Profile,
    version: int,
) -> int:
    made_with = {run.made_with: _resolved(run.made_with, profile) for run in runs}
    series = _series(connection, realm, name, set(made_with.values()))
    rows = [
        _Stored(
            series[made_with[run.made_with]],
            run.instant,
            run.run_id,
            realm,
            case_key(run.case_id),
            run.case_id,
            version,
            run.entry,
            run.rest,
        )
        for run in runs
    ]
    rows.sort(key=_clustered)  # beside each other in the table, and so in few of its pages
    added = _insert(connection, rows)
    if added:
        insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
        one = insert(timeline_versions).values(realm=realm, profile=name, version=version, runs=added)
        known = timeline_versions.c
        connection.execute(
            one.on_conflict_do_update(
                index_elements=["realm", "profile"],
                set_={"version": version, "runs": known.runs + one.excluded.runs},
            )
        )
    return added


def _clustered(row: _Stored) -> tuple[int, int, str]:
    return row[:3]


def _resolved(own: Profile, profile: Profile) -> Profile:
    return Profile(
        own.provider or profile.provider,
        own.model or profile.model,
        own.model_vendor or profile.model_vendor,
        own.inference_provider or profile.inference_provider,
    )


def _series(
    connection: Connection, realm: Realm, profile: str, made_with: Iterable[Profile]
) -> dict[Profile, int]:
    """The series of each, made where there is none."""
    keys = {_key(realm, profile, each): each for each in made_with}
    found = _known_series(connection, keys)
    missing = [key for key in keys if keys[key] not in found]
    if missing:
        insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
        connection.execute(
            insert(timeline_series).on_conflict_do_nothing(index_elements=["key"]),
            [{"key": key, "realm": realm, "profile": profile, **fields(keys[key])} for key in missing],
        )
        found |= _known_series(connection, {key: keys[key] for key in missing})
    return found


def _known_series(connection: Connection, keys: Mapping[str, Profile]) -> dict[Profile, int]:
    found = {}
    for part in _parts(list(keys), KEYS_AT_ONCE):
        look = sa.select(timeline_series.c.key, timeline_series.c.id).where(timeline_series.c.key.in_(part))
        found.update({keys[key]: number for key, number in connection.execute(look)})
    return found


def _key(realm: Realm, profile: str, made_with: Profile) -> str:
    return sha256(orjson.dumps([realm, profile, *fields(made_with).values()])).hexdigest()


def _parts(values: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (values[start : start + size] for start in range(0, len(values), size))


_ON_SQLITE = """
    INSERT INTO timeline_runs (series_id, instant, run_id, realm, case_key, case_id, version, entry, rest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
"""
_ON_POSTGRES = """
    INSERT INTO timeline_runs (series_id, instant, run_id, realm, case_key, case_id, version, entry, rest)
    SELECT * FROM unnest(
        %s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::bigint[], %s::text[], %s::bigint[],
        %s::bytea[], %s::bytea[]
    )
    ON CONFLICT DO NOTHING
"""


def _insert(connection: Connection, rows: Sequence[_Stored]) -> int:
    """How many were not known. By the drivers' own means: thousands of runs a statement."""
    if connection.dialect.name == "sqlite":
        return connection.exec_driver_sql(_ON_SQLITE, list(rows)).rowcount
    columns = tuple(list(column) for column in zip(*rows, strict=True))
    return connection.exec_driver_sql(_ON_POSTGRES, columns).rowcount
