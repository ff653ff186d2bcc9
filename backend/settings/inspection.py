"""Finds unknown setting names, and loads settings despite mistakes, for the doctor and for warnings."""

import difflib

from backend.settings.accepted_values import get_variable_name
from backend.settings.model import Settings
from backend.settings.sources import (
    DOCUMENTED_VARIABLES,
    PREFIX,
    SettingsError,
    collect_values,
    ignore_fields,
)

CONFLICT_FREE_VALUES = {"mode": "sample", "sample_with_keys": True, "dashboard_open_to_all": True}
"""With these values no combination of other settings is refused."""


def find_unknown_names() -> list[str]:
    """Describe each unknown name in the environment, the secrets and ``chainproof.toml``.

    Each sentence suggests the name that was probably meant.
    """
    unknown = collect_values(Settings.model_fields).unknown
    return [
        f"{location} is not known and has no effect.{_suggest_name(name, location)}"
        for name, location in unknown.items()
    ]


def load_with_defaults() -> tuple[Settings, list[str]]:
    """Load the settings with defaults for values that are not accepted, and return all mistakes."""
    mistakes: list[str] = []
    try:
        return Settings(), mistakes
    except SettingsError as error:
        mistakes += error.sentences
        ignored = error.fields
    for _ in range(2):  # an unusable file may hide values that are not accepted
        with ignore_fields(ignored):
            try:
                return Settings(), mistakes
            except SettingsError as error:
                mistakes += [sentence for sentence in error.sentences if sentence not in mistakes]
                ignored |= error.fields
    with ignore_fields(ignored):
        return Settings.model_validate(CONFLICT_FREE_VALUES), mistakes


def _suggest_name(name: str, location: str) -> str:
    """Ask whether a similar name was meant, written as in its place (variable, file or key)."""
    variables = [get_variable_name(field, info) for field, info in Settings.model_fields.items()]
    if location.startswith("The environment variable"):
        candidates = {
            variable.removeprefix(PREFIX): variable for variable in (*variables, *DOCUMENTED_VARIABLES)
        }
    elif location.startswith("The file"):
        candidates = {variable.removeprefix(PREFIX): variable.lower() for variable in variables}
    else:
        candidates = {field.upper(): field for field in Settings.model_fields}
    close = difflib.get_close_matches(name.upper().removeprefix(PREFIX), candidates, n=1)
    return f" Did you mean {candidates[close[0]]}?" if close else " docs/settings.md lists all settings."
