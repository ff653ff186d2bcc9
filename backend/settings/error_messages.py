"""Tells mistakes in settings: the place, the value and the accepted form."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from backend.settings.accepted_values import accepted_form, is_secret, variable_of
from backend.settings.sources import Found, SettingsError, collect

LONGEST_VALUE = 80


def explain(error: ValidationError, fields: Mapping[str, FieldInfo]) -> SettingsError:
    """One sentence for each mistake. The value of a secret is never told."""
    found, faults = collect(fields).found, error.errors(include_url=False)
    names = [str(fault["loc"][0]) for fault in faults if fault["loc"]]
    return SettingsError([_sentence(fault, fields, found) for fault in faults], names)


def _sentence(fault: Any, fields: Mapping[str, FieldInfo], found: Mapping[str, Found]) -> str:
    if not fault["loc"]:  # of several settings together, which the sentence names
        return str(fault["msg"]).removeprefix("Value error, ")
    name = str(fault["loc"][0])
    given = found.get(name)
    place = given.place if given else variable_of(name, fields[name])
    shown = "the value" if is_secret(fields[name]) else _shown(given.value if given else fault["input"])
    return f"{place}: {shown} is not accepted. It must be {accepted_form(fields[name])}."


def _shown(value: Any) -> str:
    text = repr(value)
    if "://" in text and "@" in text:  # it may hold a password
        return "the value"
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
