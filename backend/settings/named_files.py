"""Finds files and folders that settings name but that do not exist."""

from collections.abc import Iterator

from backend.settings.accepted_values import get_variable_name
from backend.settings.model import Settings
from backend.settings.sources import SettingsError, collect_values


def find_missing(settings: Settings) -> Iterator[str]:
    """Describe each named file or folder of the user's own that is missing: place, path and what to do."""
    expected = (
        ("assets_file", settings.assets_file, False),
        ("feeds_file", settings.feeds_file, False),
        ("profiles_file", settings.profiles_file, False),
        ("rules_dir", settings.rules_dir, True),
    )
    fields = Settings.model_fields
    for name, path, is_folder in expected:
        if path is None or (path.exists() and path.is_dir() == is_folder):
            continue
        value = collect_values(fields).values.get(name)
        place = value.place if value else get_variable_name(name, fields[name])
        noun = "folder" if is_folder else "file"
        yield f"{place}: {path} is not a {noun}. Create it, or remove the setting."


def require_all(settings: Settings) -> None:
    """Raise :class:`SettingsError` with all sentences of :func:`find_missing`."""
    if sentences := list(find_missing(settings)):
        raise SettingsError(sentences)
