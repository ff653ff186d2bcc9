"""Stores imported runs and profiles in the service's database."""

from collections.abc import Collection, Mapping, Sequence

from backend.formats.timestamps import utc_now
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import store, text_store
from backend.timelines.model import Profile, RunTexts
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.profiles.profile_files import InvalidProfilesError
from backend.timelines.store import load_stored_profiles
from backend.timelines.validation.run_preparation import PreparedRun


class DatabaseStore:
    """Stores runs and profiles of the user; the sample accepts no imports."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings, self._database = settings, database
        self._profiles: dict[str, Profile] = {}

    def profiles(self) -> Mapping[str, Profile]:
        """Load the configured profiles. Raises :class:`InvalidProfilesError` if a profile file is invalid."""
        configured = Profiles(self._settings)
        if configured.errors:
            raise InvalidProfilesError(configured.errors)
        with self._database.read() as connection:
            self._profiles = configured.own(load_stored_profiles(connection))
        return self._profiles

    def add_profiles(self, profiles: Mapping[str, Profile]) -> None:
        store.upsert_profiles(self._database, profiles, now=utc_now())
        self._profiles.update(profiles)

    def add(self, runs: Sequence[PreparedRun]) -> tuple[int, int]:
        return store.add(self._database, "own", runs, self._profiles)

    def add_texts(self, texts: Mapping[tuple[str, str], RunTexts]) -> None:
        text_store.add_texts(self._database, "own", texts)

    def find_owners(self, run_ids: Collection[str]) -> Mapping[str, str]:
        with self._database.read() as connection:
            return store.find_run_profiles(connection, "own", run_ids)

    def find_ids(self, run_ids: Collection[str]) -> set[str]:
        with self._database.read() as connection:
            return store.find_run_ids(connection, "own", run_ids)
