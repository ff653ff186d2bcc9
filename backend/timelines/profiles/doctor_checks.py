"""Checks the configured profiles for the doctor command."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from backend.settings import Settings
from backend.store.database import Database
from backend.timelines.profiles.configured_profiles import Origin, Profiles
from backend.timelines.store import load_stored_profiles

PLACES: dict[Origin, str] = {
    "file": "the file that CHAINPROOF_PROFILES names",
    "settings": "chainproof.toml",
    "command": "those added by 'chainproof profiles add'",
    "sample": "the sample",
}


class Noted(NamedTuple):
    subject: str
    state: Literal["ok", "note", "fault"]
    sentence: str


def checkup(settings: Settings, database: Database) -> Iterator[Noted]:
    """How many profiles there are, what is wrong with their files, and which stand in several places."""
    profiles = Profiles(settings)
    for mistake in profiles.mistakes:
        yield Noted("Profiles", "fault", f"The file is refused, and what it held before stands: {mistake}")
    with database.read() as connection:
        origins = profiles.origins(load_stored_profiles(connection))
    if origins:
        counted = "; ".join(
            f"{count} from {PLACES[place]}"
            for place in ("file", "settings", "command")
            if (count := sum(found[0] == place for found in origins.values()))
        )
        yield Noted("Profiles", "ok", f"{len(origins)} configured: {counted}.")
    elif not profiles.mistakes:
        sample = "; the sample's are shown" if settings.mode == "sample" else ""
        yield Noted(
            "Profiles",
            "ok" if settings.mode == "sample" else "note",
            f"None configured{sample}. 'chainproof profiles add NAME' adds one.",
        )
    for name, found in origins.items():
        if len(found) > 1:
            others = " and ".join(PLACES[place] for place in found[1:])
            told = (
                f"'{name}' is taken from {PLACES[found[0]]}; {others} would have another. Keep one of them."
            )
            yield Noted("Profiles", "note", told)
