"""Which profiles there are to be seen, and which state of their runs a reader of this moment sees."""

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
from backend.timelines.store import CHANGED, added_profiles, fields
from backend.timelines.tables import timeline_series, timeline_versions


class Series(NamedTuple):
    """Runs of a profile that were made with the same; ``made_with`` is as it was when they were added."""

    id: int
    made_with: Profile


class Timeline(NamedTuple):
    """A profile as it is shown, and the runs that belong to it up to the change ``version``."""

    realm: Realm
    name: str
    profile: Profile
    version: int
    runs: int
    series: tuple[Series, ...]

    def made_with(self, series: Series) -> Profile:
        """What a run says of its model, or its profile said when it was added, or says by now."""
        own, now = series.made_with, self.profile
        return Profile(
            own.provider or now.provider,
            own.model or now.model,
            own.model_vendor or now.model_vendor,
            own.inference_provider or now.inference_provider,
        )


class State(NamedTuple):
    """The timelines to be seen, by name and in the order of names, as of one moment."""

    number: int
    generation: int
    realm: Realm
    timelines: Mapping[str, Timeline]
    digest: str


class StateReader:
    """Gives the state of the store at each call, at the price of one row while nothing has changed.

    Asking the store each time lets whoever has added a run see it at once, whichever process answers.
    Safe to share between threads.
    """

    def __init__(self, database: Database, profiles: Profiles) -> None:
        self._database = database
        self._profiles = profiles
        self._lock = Lock()
        self._state: State | None = None

    def read(self) -> State:
        generation = self._profiles.generation
        with self._database.read() as connection:
            number = _number(connection)
            state = self._state
            if state is not None and (state.number, state.generation) == (number, generation):
                return state
            with self._lock:
                return self._read(connection)

    def _read(self, connection: Connection) -> State:
        """The newest state. What is committed between two of its questions is in the next state too."""
        generation, number = self._profiles.generation, _number(connection)
        state = self._state
        if state is not None and (state.number, state.generation) == (number, generation):
            return state
        shown = self._profiles.shown(added_profiles(connection))
        timelines = _timelines(connection, shown.realm, shown.profiles)
        digest = hashlib.blake2b(digest_size=16)
        for each in timelines.values():
            digest.update(orjson.dumps([each.name, *fields(each.profile).values(), each.version]))
        self._state = State(number, generation, shown.realm, timelines, digest.hexdigest())
        return self._state


def _number(connection: Connection) -> int:
    found = connection.execute(_COUNTER).scalar_one_or_none()
    return 0 if found is None else int(found)


_COUNTER = sa.select(change_counters.c.n).where(change_counters.c.topic == CHANGED)


def _timelines(connection: Connection, realm: Realm, profiles: Mapping[str, Profile]) -> dict[str, Timeline]:
    table = timeline_versions.c
    look = sa.select(table.profile, table.version, table.runs).where(table.realm == realm)
    versions = {name: (version, runs) for name, version, runs in connection.execute(look)}
    series: dict[str, list[Series]] = {}
    columns = timeline_series.c
    made_with = (columns.provider, columns.model, columns.model_vendor, columns.inference_provider)
    all_series = (
        sa.select(columns.profile, columns.id, *made_with).where(columns.realm == realm).order_by(columns.id)
    )
    for name, number, *made in connection.execute(all_series):
        series.setdefault(name, []).append(Series(number, Profile(*made)))
    return {
        name: Timeline(realm, name, profiles[name], *versions.get(name, (0, 0)), tuple(series.get(name, ())))
        for name in sorted(profiles)
    }
