"""Inspects settings beyond what a start needs: names without effect, and all mistakes at once."""

import difflib
import os

from backend.settings.accepted_values import variable_of
from backend.settings.model import Settings
from backend.settings.sources import OTHER_VARIABLES, PREFIX, SettingsError, collect, without

TOGETHER = {"sample_with_keys": True, "dashboard_open_to_all": True}
"""Settings with which no combination of others is refused."""


def find_unknown() -> list[str]:
    """A sentence for each name in the environment, in the secrets and in ``chainproof.toml`` that no setting
    has, with the one that was probably meant."""
    unknown = collect(Settings.model_fields).unknown
    return [f"{place} is not known and has no effect.{_alike(name)}" for name, place in unknown.items()]


def load_leniently() -> tuple[Settings, list[str]]:
    """The settings with the default in place of each value that is not accepted, and all mistakes."""
    mistakes: list[str] = []
    try:
        return Settings(), mistakes
    except SettingsError as error:
        mistakes += error.sentences
        left_out = error.fields
    for _ in range(2):  # behind a file that cannot be used there may be values that are not accepted
        with without(left_out):
            try:
                return Settings(), mistakes
            except SettingsError as error:
                mistakes += [sentence for sentence in error.sentences if sentence not in mistakes]
                left_out |= error.fields
    with without(left_out):
        return Settings.model_validate(TOGETHER), mistakes


def _alike(name: str) -> str:
    """A question after the name that was meant, written as its place wants it."""
    variables = [variable_of(field, info) for field, info in Settings.model_fields.items()]
    if name in os.environ:
        known = {variable.removeprefix(PREFIX): variable for variable in (*variables, *OTHER_VARIABLES)}
    elif name.startswith(PREFIX.lower()):
        known = {variable.removeprefix(PREFIX): variable.lower() for variable in variables}
    else:
        known = {field.upper(): field for field in Settings.model_fields}
    close = difflib.get_close_matches(name.upper().removeprefix(PREFIX), known, n=1)
    return f" Did you mean {known[close[0]]}?" if close else " See docs/settings.md for those that are."
