"""Finds the values of settings in the environment, in files of secrets and in ``chainproof.toml``.

Each value is stored with its place, so that errors can name the variable, or the file and line.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import PydanticBaseSettingsSource

from backend.errors import BadRequest
from backend.runtime.data_folder import CONFIG_VARIABLE, find_config_file
from backend.settings.accepted_values import get_variable_name

PREFIX = "CHAINPROOF_"
SECRETS_DIR_VARIABLE, API_KEY_VARIABLE = "CHAINPROOF_SECRETS_DIR", "CHAINPROOF_API_KEY"
DOCUMENTED_VARIABLES = {
    CONFIG_VARIABLE: (
        "The configuration file. By default `chainproof.toml` in the working or the data folder."
    ),
    SECRETS_DIR_VARIABLE: "The folder of secrets, one in each file. By default `/run/secrets`, if it exists.",
    API_KEY_VARIABLE: "The API key of the dashboard. By default the local key in the data folder.",
}
"""Variables that are not settings of the service, with their documentation."""
INTERNAL_VARIABLES = {"CHAINPROOF_PARENT_PIPE"}
OTHER_KEYS = {"profiles"}
"""Keys of ``chainproof.toml`` that are not settings: timelines read their own tables."""
FOREIGN_VARIABLES = re.compile(r"CHAINPROOF_(TEST_.*|.*_SERVICE_(HOST|PORT).*|.*PORT_\d+_(TCP|UDP).*)")
"""Variables of tests, and variables that Kubernetes sets for a service named chainproof."""


class SettingsError(BadRequest):
    """Unusable settings. ``sentences`` say where, why and how to fix it; ``fields`` have refused values."""

    code = "invalid_settings"

    def __init__(self, sentences: Sequence[str], fields: Iterable[str] = ()) -> None:
        super().__init__("\n".join(sentences))
        self.sentences = list(sentences)
        self.fields = frozenset(fields)


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A value and its place, such as ``CHAINPROOF_PORT`` or ``port in chainproof.toml, line 3``."""

    value: Any
    place: str


@dataclass(slots=True)
class CollectedValues:
    """All values by field, the places of unknown names, and errors about unusable files."""

    values: dict[str, SettingValue] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


_ignored_fields: ContextVar[frozenset[str] | None] = ContextVar("ignored_fields", default=None)


@contextmanager
def ignore_fields(fields: frozenset[str]) -> Iterator[None]:
    """Within the context, new settings ignore the values of ``fields`` and unusable files."""
    token = _ignored_fields.set(fields)
    try:
        yield
    finally:
        _ignored_fields.reset(token)


class CollectedSettingsSource(PydanticBaseSettingsSource):
    """Passes the collected values to the settings; raises :class:`SettingsError`."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        raise NotImplementedError  # __call__ returns all values at once

    def __call__(self) -> dict[str, Any]:
        collected, ignored = collect_values(self.settings_cls.model_fields), _ignored_fields.get()
        if collected.errors and ignored is None:
            raise SettingsError(collected.errors)
        return {
            name: setting.value for name, setting in collected.values.items() if name not in (ignored or ())
        }


def collect_values(fields: Mapping[str, FieldInfo]) -> CollectedValues:
    """Collect all values that are set. Precedence: environment, secrets, ``chainproof.toml``."""
    variables = {get_variable_name(name, info).lower(): name for name, info in fields.items()}
    collected = CollectedValues()
    for read in (_read_environment, _read_secrets):
        read(variables, collected)
    _read_config_file({name: name for name in fields}, collected)
    return collected


def _read_environment(variables: Mapping[str, str], collected: CollectedValues) -> None:
    for variable, value in os.environ.items():
        if not variable.upper().startswith(PREFIX):
            continue
        name = variables.get(variable.lower())
        if name is not None and value:
            collected.values[name] = SettingValue(value, variable)
        elif name is None and not _is_known_variable(variable.upper()):
            collected.unknown[variable] = f"The environment variable {variable}"


def _is_known_variable(variable: str) -> bool:
    is_own = variable in DOCUMENTED_VARIABLES or variable in INTERNAL_VARIABLES
    return is_own or FOREIGN_VARIABLES.fullmatch(variable) is not None


def _read_secrets(variables: Mapping[str, str], collected: CollectedValues) -> None:
    configured_folder = os.environ.get(SECRETS_DIR_VARIABLE)
    folder = Path(configured_folder or "/run/secrets")
    if not folder.is_dir():
        if configured_folder:
            collected.errors.append(
                f"{SECRETS_DIR_VARIABLE} names {folder}, which is not a folder. "
                "Create it, or unset the variable."
            )
        return
    try:
        files = sorted(path for path in folder.iterdir() if path.name.upper().startswith(PREFIX))
        for path in files:
            _read_secret(path, variables, collected)
    except OSError as error:
        collected.errors.append(_describe_read_error(folder, error))


def _read_secret(path: Path, variables: Mapping[str, str], collected: CollectedValues) -> None:
    name = variables.get(path.name.lower())
    if name is None:
        collected.unknown[path.name] = f"The file {path}"
    elif name not in collected.values:
        try:
            value = path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            collected.errors.append(_describe_read_error(path, error))
            return
        if value:
            collected.values[name] = SettingValue(value, str(path))


def _read_config_file(fields: Mapping[str, str], collected: CollectedValues) -> None:
    configured = os.environ.get(CONFIG_VARIABLE)
    try:
        path = find_config_file()
    except PermissionError as error:
        collected.errors.append(
            f"{error.filename} cannot be read by this user. Run chainproof as the user that owns it, or "
            "choose another data folder with CHAINPROOF_HOME."
        )
        return
    if path is None:
        if configured:
            collected.errors.append(
                f"{CONFIG_VARIABLE} names {configured}, which is not a file. "
                "Create it, or unset the variable."
            )
        return
    try:
        text = path.read_text("utf-8")
        values = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        collected.errors.append(_describe_read_error(path, error))
        return
    except tomllib.TOMLDecodeError as error:
        reason = str(error).replace(" (at ", ", ").removesuffix(")")
        collected.errors.append(
            f"{path} is not valid TOML: {reason}. Write each setting as name = value, with text in quotes."
        )
        return
    for key, value in values.items():
        location = f"{key} in {path}, line {_find_line(key, text)}"
        if key in fields:
            collected.values.setdefault(fields[key], SettingValue(value, location))
        elif key not in OTHER_KEYS:
            collected.unknown[key] = f"The setting {location}"


def _find_line(key: str, text: str) -> int:
    """Find the line at which a key or a table of TOML begins."""
    match = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(key)}\b", text, re.MULTILINE)
    return text.count("\n", 0, match.start()) + 1 if match else 1


def _describe_read_error(path: Path, error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"{path} is not UTF-8 text. Save it as UTF-8."
    return f"{path} cannot be read ({error.strerror}). Let the user who runs chainproof read it."
