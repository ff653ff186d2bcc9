"""Checks the configured profiles for ``chainproof doctor``."""

from collections.abc import Iterator

from backend.runtime.check_result import CheckResult
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines.profiles.configured_profiles import Origin, Profiles
from backend.timelines.store import load_stored_profiles

ORIGIN_TEXTS: dict[Origin, str] = {
    "file": "the file that CHAINPROOF_PROFILES names",
    "settings": "chainproof.toml",
    "command": "those added by 'chainproof profiles add'",
    "sample": "the sample",
}


def check_profiles(settings: Settings, database: Database) -> Iterator[CheckResult]:
    """Report the number of profiles, errors in their files, and profiles that several files define."""
    profiles = Profiles(settings)
    for error in profiles.errors:
        yield CheckResult(
            "Profiles", "fault", f"The file is refused; a running service goes on with what it read: {error}"
        )
    with database.read() as connection:
        origins = profiles.origins(load_stored_profiles(connection))
    if origins:
        counted = "; ".join(
            f"{count} from {ORIGIN_TEXTS[origin]}"
            for origin in ("file", "settings", "command")
            if (count := sum(places[0] == origin for places in origins.values()))
        )
        yield CheckResult("Profiles", "ok", f"{len(origins)} configured: {counted}.")
    elif not profiles.errors:
        sample = "; the sample's are shown" if settings.mode == "sample" else ""
        yield CheckResult(
            "Profiles",
            "ok" if settings.mode == "sample" else "note",
            f"None configured{sample}. 'chainproof profiles add NAME' adds one.",
        )
    for name, places in origins.items():
        if len(places) > 1:
            other_places = " and ".join(ORIGIN_TEXTS[origin] for origin in places[1:])
            used = ORIGIN_TEXTS[places[0]]
            sentence = (
                f"'{name}' is taken from {used}; {other_places} define it differently. Keep one of them."
            )
            yield CheckResult("Profiles", "note", sentence)
