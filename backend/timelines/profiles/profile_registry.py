"""Adds, lists and removes profiles for the command line."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import store
from backend.timelines.model import Profile
from backend.timelines.profiles.configured_profiles import Origin, Profiles
from backend.timelines.profiles.profile_files import judge, made, read_json
from backend.timelines.store import load_stored_profiles


class ListedProfile(NamedTuple):
    """A configured profile and its origin."""

    name: str
    profile: Profile
    origin: Origin
    file: Path | None


class ProfileChanges(NamedTuple):
    added: int
    changed: int
    unchanged: int


class ProfileRegistry:
    """Manages the profiles of one store and its settings."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        self._profiles = Profiles(settings)

    @property
    def errors(self) -> list[str]:
        """The errors in the profile files."""
        return [str(error) for error in self._profiles.errors]

    def listed(self) -> list[ListedProfile]:
        """List all configured profiles by name."""
        added = self._load_added()
        visible = self._profiles.shown(added).profiles
        return [
            ListedProfile(name, visible[name], origins[0], self._profiles.file_of(origins[0]))
            for name, origins in self._profiles.origins(added).items()
        ]

    def add(self, name: str, fields: Mapping[str, str | None], *, now: datetime) -> ProfileChanges:
        """Add a profile, or change one that was added by a command. Raises ``ValueError``."""
        for _, reason in judge(name, fields):
            raise ValueError(f"{reason[:1].upper()}{reason[1:]}.")
        return self._put({name: made(fields)}, now=now)

    def add_from(self, path: Path, *, now: datetime) -> ProfileChanges:
        """Add or change the profiles of a JSON file: all, or none if there is an error.

        :raises InvalidProfilesError: with every error, its file and line.
        """
        return self._put(read_json(path), now=now)

    def remove(self, name: str) -> None:
        """Remove a profile. Raises ``ValueError`` if it was not added by a command."""
        self._raise_if_in_a_file(name, "Remove it there")
        if name not in self._load_added():
            raise ValueError(
                f"There is no profile '{name}'. 'chainproof profiles list' shows those there are."
            )
        store.delete_profile(self._database, name)

    def _put(self, profiles: Mapping[str, Profile], *, now: datetime) -> ProfileChanges:
        for name in profiles:
            self._raise_if_in_a_file(name, "Change it there")
        added = self._load_added()
        new = [name for name in profiles if name not in added]
        changed = [name for name in profiles if name in added and added[name] != profiles[name]]
        if new or changed:
            store.upsert_profiles(
                self._database, {name: profiles[name] for name in (*new, *changed)}, now=now
            )
        return ProfileChanges(len(new), len(changed), len(profiles) - len(new) - len(changed))

    def _raise_if_in_a_file(self, name: str, advice: str) -> None:
        origin = self._profiles.origins({}).get(name)
        if origin is not None:
            raise ValueError(
                f"Profile '{name}' is configured in {self._profiles.file_of(origin[0])}. {advice}."
            )

    def _load_added(self) -> dict[str, Profile]:
        with self._database.read() as connection:
            return load_stored_profiles(connection)
