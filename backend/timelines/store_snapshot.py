"""Reads a consistent snapshot of the visible profiles and the versions of their runs."""

import hashlib
from collections.abc import Mapping
from threading import Lock
from typing import NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import Database, change_counters
from backend.timelines.model import Profile, Realm
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.store import CHANGE_TOPIC, fields, load_stored_profiles
from backend.timelines.tables import timeline_series, timeline_versions


class Series(NamedTuple):
    """Runs of a profile with the same provider and model; ``run_profile`` is as of their addition."""

    id: int
    run_profile: Profile


class Timeline(NamedTuple):
    """A visible profile and its runs up to the change ``version``."""

    realm: Realm
    name: str
    profile: Profile
    version: int
    runs: int
    series: tuple[Series, ...]

    def fill_profile(self, series: Series) -> Profile:
        """Fill missing values of a series from the current profile."""
        series_profile, current = series.run_profile, self.profile
        return Profile(
            series_profile.provider or current.provider,
            series_profile.model or current.model,
            series_profile.model_vendor or current.model_vendor,
            series_profile.inference_provider or current.inference_provider,
        )


class TimelinesSnapshot(NamedTuple):
    """The visible timelines at one moment, sorted by name."""

    number: int
    generation: int
    realm: Realm
    timelines: Mapping[str, Timeline]
    digest: str


class SnapshotReader:
    """Reads the current snapshot; costs one row while nothing has changed.

    Each call queries the store, so a new run is visible at once in every process. Thread-safe.
    """

    def __init__(self, database: Database, profiles: Profiles) -> None:
        self._database = database
        self._profiles = profiles
        self._lock = Lock()
        self._state: TimelinesSnapshot | None = None

    def read(self) -> TimelinesSnapshot:
        generation = self._profiles.generation
        with self._database.read() as connection:
            number = _read_change_number(connection)
            state = self._state
            if state is not None and (state.number, state.generation) == (number, generation):
                return state
            with self._lock:
                return self._read(connection)

    def _read(self, connection: Connection) -> TimelinesSnapshot:
        """Read a new snapshot. Changes committed between its queries are in the next snapshot too."""
        generation, number = self._profiles.generation, _read_change_number(connection)
        state = self._state
        if state is not None and (state.number, state.generation) == (number, generation):
            return state
        visible = self._profiles.shown(load_stored_profiles(connection))
        timelines = _load_timelines(connection, visible.realm, visible.profiles)
        digest = hashlib.blake2b(digest_size=16)
        for timeline in timelines.values():
            digest.update(orjson.dumps([timeline.name, *fields(timeline.profile).values(), timeline.version]))
        self._state = TimelinesSnapshot(number, generation, visible.realm, timelines, digest.hexdigest())
        return self._state


def _read_change_number(connection: Connection) -> int:
    counter = connection.execute(_COUNTER).scalar_one_or_none()
    return 0 if counter is None else int(counter)


_COUNTER = sa.select(change_counters.c.n).where(change_counters.c.topic == CHANGE_TOPIC)


def _load_timelines(
    connection: Connection, realm: Realm, profiles: Mapping[str, Profile]
) -> dict[str, Timeline]:
    table = timeline_versions.c
    query = sa.select(table.profile, table.version, table.runs).where(table.realm == realm)
    versions = {name: (version, runs) for name, version, runs in connection.execute(query)}
    series: dict[str, list[Series]] = {}
    columns = timeline_series.c
    model_columns = (columns.provider, columns.model, columns.model_vendor, columns.inference_provider)
    all_series = (
        sa.select(columns.profile, columns.id, *model_columns)
        .where(columns.realm == realm)
        .order_by(columns.id)
    )
    for name, number, *profile_fields in connection.execute(all_series):
        series.setdefault(name, []).append(Series(number, Profile(*profile_fields)))
    return {
        name: Timeline(realm, name, profiles[name], *versions.get(name, (0, 0)), tuple(series.get(name, ())))
        for name in sorted(profiles)
    }
