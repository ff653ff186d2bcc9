"""Finds the values of settings in the environment, in files of secrets and in ``chainproof.toml``.

Each value is kept with its place, so that a mistake can be told with its variable, or its file and line.
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
from backend.runtime.data_folder import config_file
from backend.settings.accepted_values import variable_of

PREFIX = "CHAINPROOF_"
CONFIG, SECRETS_DIR, API_KEY = "CHAINPROOF_CONFIG", "CHAINPROOF_SECRETS_DIR", "CHAINPROOF_API_KEY"
OTHER_VARIABLES = {
    CONFIG: "The configuration file. By default `chainproof.toml` in the working or the data folder.",
    SECRETS_DIR: "The folder of secrets, one in each file. By default `/run/secrets`, if it exists.",
    API_KEY: "The API key of the dashboard. By default the local key in the data folder.",
}
"""Variables that are not settings of the service, and what each is for."""
INTERNAL_VARIABLES = {"CHAINPROOF_PARENT_PIPE"}
OTHER_KEYS = {"profiles"}
"""Keys of ``chainproof.toml`` that are not settings: the timelines read their tables themselves."""
OTHER_PROGRAMS = re.compile(r"CHAINPROOF_(TEST_.*|.*_SERVICE_(HOST|PORT).*|.*PORT_\d+_(TCP|UDP).*)")
"""Variables that tests set, and those that Kubernetes sets for a service named chainproof."""


class SettingsError(BadRequest):
    """Settings that cannot be used. ``sentences`` say where, why and what to do; ``fields`` have a value that
    is not accepted."""

    code = "invalid_settings"

    def __init__(self, sentences: Sequence[str], fields: Iterable[str] = ()) -> None:
        super().__init__("\n".join(sentences))
        self.sentences = list(sentences)
        self.fields = frozenset(fields)


@dataclass(frozen=True, slots=True)
class Found:
    """A value and its place, as ``CHAINPROOF_PORT`` or ``port in chainproof.toml, line 3``."""

    value: Any
    place: str


@dataclass(slots=True)
class Collected:
    """All values by field, names that are no settings by their place, and files that cannot be used."""

    found: dict[str, Found] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


_left_out: ContextVar[frozenset[str] | None] = ContextVar("left_out", default=None)


@contextmanager
def without(fields: frozenset[str]) -> Iterator[None]:
    """Let settings made within ignore the values of ``fields``, and files that cannot be used."""
    token = _left_out.set(fields)
    try:
        yield
    finally:
        _left_out.reset(token)


class FoundSettings(PydanticBaseSettingsSource):
    """Gives the collected values to the settings; raises :class:`SettingsError`."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        raise NotImplementedError  # all values are given at once

    def __call__(self) -> dict[str, Any]:
        collected, left_out = collect(self.settings_cls.model_fields), _left_out.get()
        if collected.faults and left_out is None:
            raise SettingsError(collected.faults)
        return {name: found.value for name, found in collected.found.items() if name not in (left_out or ())}


def collect(fields: Mapping[str, FieldInfo]) -> Collected:
    """Every value that is set, the most important place first: environment, secrets, ``chainproof.toml``."""
    variables = {variable_of(name, info).lower(): name for name, info in fields.items()}
    collected = Collected()
    for read in (_from_environment, _from_secrets):
        read(variables, collected)
    _from_file({name: name for name in fields}, collected)
    return collected


def _from_environment(variables: Mapping[str, str], collected: Collected) -> None:
    for variable, value in os.environ.items():
        if not variable.upper().startswith(PREFIX):
            continue
        name = variables.get(variable.lower())
        if name is not None and value:
            collected.found[name] = Found(value, variable)
        elif name is None and not _is_for_others(variable.upper()):
            collected.unknown[variable] = f"The environment variable {variable}"


def _is_for_others(variable: str) -> bool:
    known = variable in OTHER_VARIABLES or variable in INTERNAL_VARIABLES
    return known or OTHER_PROGRAMS.fullmatch(variable) is not None


def _from_secrets(variables: Mapping[str, str], collected: Collected) -> None:
    named = os.environ.get(SECRETS_DIR)
    folder = Path(named or "/run/secrets")
    if not folder.is_dir():
        if named:
            collected.faults.append(
                f"{SECRETS_DIR} names {folder}, which is not a folder. Create it, or unset the variable."
            )
        return
    try:
        files = sorted(path for path in folder.iterdir() if path.name.upper().startswith(PREFIX))
        for path in files:
            _from_secret(path, variables, collected)
    except OSError as error:
        collected.faults.append(_unreadable(folder, error))


def _from_secret(path: Path, variables: Mapping[str, str], collected: Collected) -> None:
    name = variables.get(path.name.lower())
    if name is None:
        collected.unknown[path.name] = f"The file {path}"
    elif name not in collected.found:
        try:
            value = path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            collected.faults.append(_unreadable(path, error))
            return
        if value:
            collected.found[name] = Found(value, str(path))


def _from_file(fields: Mapping[str, str], collected: Collected) -> None:
    path, named = config_file(), os.environ.get(CONFIG)
    if path is None:
        if named:
            collected.faults.append(
                f"{CONFIG} names {named}, which is not a file. Create it, or unset the variable."
            )
        return
    try:
        text = path.read_text("utf-8")
        values = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        collected.faults.append(_unreadable(path, error))
        return
    except tomllib.TOMLDecodeError as error:
        reason = str(error).replace(" (at ", ", ").removesuffix(")")
        collected.faults.append(
            f"{path} is not valid TOML: {reason}. Write each setting as name = value, with text in quotes."
        )
        return
    for key, value in values.items():
        place = f"{key} in {path}, line {_line_of(key, text)}"
        if key in fields:
            collected.found.setdefault(fields[key], Found(value, place))
        elif key not in OTHER_KEYS:
            collected.unknown[key] = f"The setting {place}"


def _line_of(key: str, text: str) -> int:
    """The line at which a key or a table of TOML begins."""
    begins = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(key)}\b", text, re.MULTILINE)
    return text.count("\n", 0, begins.start()) + 1 if begins else 1


def _unreadable(path: Path, error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"{path} is not UTF-8 text. Save it as UTF-8."
    return f"{path} cannot be read ({error.strerror}). Let the user who runs chainproof read it."
