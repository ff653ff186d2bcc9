"""Loads the configured profiles from three places.

In order of precedence: the JSON file that ``CHAINPROOF_PROFILES`` names, the tables ``[profiles."name"]`` of
``chainproof.toml``, and the profiles that ``chainproof profiles add`` stored. The first place that has a
profile provides all four of its fields. Changed files are read again; while a file has errors, its previous
profiles stay in effect.

In sample mode without configured profiles, the sample's profiles are visible.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from backend.formats.file_errors import FileError
from backend.runtime.data_folder import find_config_file
from backend.settings import Settings
from backend.timelines.model import Profile, Realm
from backend.timelines.profiles.profile_files import InvalidProfilesError, read_json, read_toml

Origin = Literal["file", "settings", "command", "sample"]
Stamp = tuple[Path, int, int] | None
SampleProfiles = Callable[[], Mapping[str, Profile]]


class Shown(NamedTuple):
    """The visible profiles and the realm of their runs."""

    realm: Realm
    profiles: Mapping[str, Profile]


class _File:
    """The profiles of one file, as of its last version without errors."""

    def __init__(self, read: Callable[[Path], dict[str, Profile]]) -> None:
        self._read = read
        self._read_stamp: Stamp | Literal["never"] = "never"
        self.profiles: dict[str, Profile] = {}
        self.errors: list[FileError] = []

    def refresh(self, path: Path | None) -> bool:
        """Read the file if it has changed; returns True if its profiles have changed."""
        stamp = _read_stamp(path)
        if stamp == self._read_stamp:
            return False
        before, self._read_stamp = self.profiles, stamp
        try:
            self.profiles = {} if path is None else self._read(path)
            self.errors = []
        except InvalidProfilesError as refused:
            self.errors = refused.errors
        return before != self.profiles


class Profiles:
    """Loads the profiles in files; :meth:`refresh` keeps them current."""

    def __init__(self, settings: Settings, sample: SampleProfiles | None = None) -> None:
        """``sample`` returns the sample's profiles; without it there are none."""
        self._settings = settings
        self._sample = dict(sample()) if sample is not None and settings.mode == "sample" else {}
        self._json = _File(read_json)
        self._toml = _File(read_toml)
        self.generation = 0
        """Incremented whenever the profiles in the files change."""
        self.refresh()

    @property
    def errors(self) -> list[FileError]:
        """The errors in the current files."""
        return [*self._json.errors, *self._toml.errors]

    def refresh(self) -> None:
        """Read the files that have changed."""
        changed = [self._json.refresh(self._settings.profiles_file), self._toml.refresh(find_config_file())]
        if any(changed):
            self.generation += 1

    def own(self, added: Mapping[str, Profile]) -> dict[str, Profile]:
        """Return the configured profiles; ``added`` are those added by commands."""
        return {**added, **self._toml.profiles, **self._json.profiles}

    def shown(self, added: Mapping[str, Profile]) -> Shown:
        """Return the visible profiles: the configured ones, or else the sample's."""
        configured = self.own(added)
        return Shown("own", configured) if configured or not self._sample else Shown("sample", self._sample)

    def origins(self, added: Mapping[str, Profile]) -> dict[str, list[Origin]]:
        """Return the places of each configured profile, the one in effect first."""
        profiles_by_origin: tuple[tuple[Origin, Mapping[str, Profile]], ...] = (
            ("file", self._json.profiles),
            ("settings", self._toml.profiles),
            ("command", added),
        )
        names = sorted({name for _, profiles in profiles_by_origin for name in profiles})
        return {
            name: [origin for origin, profiles in profiles_by_origin if name in profiles] for name in names
        }

    def file_of(self, origin: Origin) -> Path | None:
        """Return the file with profiles of this origin."""
        return {"file": self._settings.profiles_file, "settings": find_config_file()}.get(origin)


def _read_stamp(path: Path | None) -> Stamp:
    if path is None:
        return None
    try:
        file_status = path.stat()
    except OSError:
        return path, 0, 0
    return path, file_status.st_mtime_ns, file_status.st_size
