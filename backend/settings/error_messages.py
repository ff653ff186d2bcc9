"""Describes mistakes in settings: the place, the value and the accepted form."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from backend.settings.accepted_values import describe_accepted_values, get_variable_name, is_secret
from backend.settings.sources import SettingsError, SettingValue, collect_values

MAX_SHOWN_CHARS = 80


def build_error(error: ValidationError, fields: Mapping[str, FieldInfo]) -> SettingsError:
    """Build an error with one sentence for each mistake. The value of a secret is never shown."""
    values, details = collect_values(fields).values, error.errors(include_url=False)
    names = [str(detail["loc"][0]) for detail in details if detail["loc"]]
    return SettingsError([_describe(detail, fields, values) for detail in details], names)


def _describe(detail: Any, fields: Mapping[str, FieldInfo], values: Mapping[str, SettingValue]) -> str:
    if not detail["loc"]:  # a combination of settings, which the sentence names
        return str(detail["msg"]).removeprefix("Value error, ")
    name = str(detail["loc"][0])
    setting = values.get(name)
    location = setting.place if setting else get_variable_name(name, fields[name])
    value_text = (
        "the value" if is_secret(fields[name]) else _shorten(setting.value if setting else detail["input"])
    )
    return f"{location}: {value_text} is not accepted. It must be {describe_accepted_values(fields[name])}."


def _shorten(value: Any) -> str:
    text = repr(value)
    if "://" in text and "@" in text:  # may contain a password
        return "the value"
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
