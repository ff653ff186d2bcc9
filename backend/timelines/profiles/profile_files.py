"""Reads profile files and reports every error with its line.

A file is JSON ``{name: {provider, model, model_vendor, inference_provider}}``, or TOML with tables
``[profiles."name"]`` that have the same four fields.
"""

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from backend.formats.file_errors import FileError
from backend.timelines.model import MAX_NAME_CHARS, Profile

FIELDS = Profile.__struct_fields__
LINES = Callable[[str, str | None], int]
"""Returns the line of a profile, or of one of its fields."""
_TOML_PLACE = re.compile(r" \(at line (\d+), column \d+\)")
_SURROGATE = re.compile("[\ud800-\udfff]")


class InvalidProfilesError(ValueError):
    """A profile file has errors. The message lists them all, one on each line."""

    def __init__(self, errors: Sequence[FileError]) -> None:
        super().__init__("\n".join(str(error) for error in errors))
        self.errors = list(errors)


def read_json(path: Path) -> dict[str, Profile]:
    """Read a JSON file of profiles.

    :raises InvalidProfilesError: with every error, its file and line.
    """
    text = _read_text(path)
    repeated_names: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated_names.extend(
            {name for name, _ in pairs if sum(name == other_name for other_name, _ in pairs) > 1}
        )
        return dict(pairs)

    try:
        data = json.loads(text, object_pairs_hook=members)
    except json.JSONDecodeError as error:
        raise _build_error(path, error.lineno, f"must be valid JSON: {error.msg}") from None
    except RecursionError:
        raise _build_error(path, 0, "is nested too deeply") from None
    if not isinstance(data, dict):
        raise _build_error(path, 1, "must be an object of profiles by their names")
    lines = dict(_find_json_lines(text))
    if repeated_names:
        repetition_errors = [
            FileError(path, lines.get((name, None), 0), f"'{name}' is given twice: remove one of the two")
            for name in sorted(repeated_names)
        ]
        raise InvalidProfilesError(repetition_errors)
    return _build_profiles(
        path, data, lambda name, field: lines.get((name, field)) or lines.get((name, None), 0)
    )


def read_toml(path: Path) -> dict[str, Profile]:
    """Read the table ``profiles`` of a settings file, which may have other tables.

    :raises InvalidProfilesError: with every error, its file and line.
    """
    text = _read_text(path)
    try:
        data = tomllib.loads(text).get("profiles", {})
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        location = _TOML_PLACE.search(message)
        line = int(location[1]) if location else 0
        raise _build_error(path, line, f"must be valid TOML: {_TOML_PLACE.sub('', message)}") from None
    if not isinstance(data, dict):
        raise _build_error(path, 0, 'profiles must be tables, as in [profiles."name"]')
    lines = dict(_find_toml_lines(text))
    return _build_profiles(
        path, data, lambda name, field: lines.get((name, field)) or lines.get((name, None), 0)
    )


def judge(name: str, fields: Any) -> Iterator[tuple[str | None, str]]:
    """Generate the errors of a profile: the field (None for the whole profile) and the reason."""
    if not name or len(name) > MAX_NAME_CHARS:
        yield None, f"a profile's name has 1 to {MAX_NAME_CHARS} characters"
    elif not _is_storable(name):
        yield None, "a profile's name must hold no U+0000 and no lone surrogate"
    if not isinstance(fields, Mapping):
        yield None, f"must hold the fields {', '.join(FIELDS)}"
        return
    for field, value in fields.items():
        if field not in FIELDS:
            close = difflib.get_close_matches(str(field), FIELDS, n=1)
            hint = f" (did you mean '{close[0]}'?)" if close else f"; those are {', '.join(FIELDS)}"
            yield str(field), f"'{field}' is not a field of a profile{hint}"
        elif value is not None and not isinstance(value, str):
            yield field, f"{field} must be text or null"
        elif value and (len(value) > MAX_NAME_CHARS or not _is_storable(value)):
            yield field, f"{field} has at most {MAX_NAME_CHARS} characters, no U+0000 and no lone surrogate"


def made(fields: Mapping[str, str | None]) -> Profile:
    """Build the profile of valid fields; an empty text counts as missing."""
    return Profile(**{field: value or None for field, value in fields.items()})


def _build_profiles(path: Path, data: Mapping[str, Any], line: LINES) -> dict[str, Profile]:
    errors = [
        FileError(path, line(name, field), f"profile '{_shorten(name)}': {_shorten(reason)}")
        for name, fields in data.items()
        for field, reason in judge(name, fields)
    ]
    if errors:
        raise InvalidProfilesError(sorted(errors, key=_get_line))
    return {name: made(fields) for name, fields in data.items()}


def _get_line(error: FileError) -> int:
    return error.line


def _is_storable(text: str) -> bool:
    return "\0" not in text and not _SURROGATE.search(text)


def _shorten(text: str) -> str:
    cut = text if len(text) <= MAX_NAME_CHARS else f"{text[:50]}…"
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", cut)


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise _build_error(path, 0, f"cannot be read: {error.strerror or type(error).__name__}") from None
    except UnicodeDecodeError:
        raise _build_error(path, 0, "is not UTF-8") from None


def _build_error(path: Path, line: int, reason: str) -> InvalidProfilesError:
    return InvalidProfilesError([FileError(path, line, reason)])


Places = Iterator[tuple[tuple[str, str | None], int]]
_SPACE = re.compile(r"[ \t\r\n,:]*")


def _find_json_lines(text: str) -> Places:
    """Find the line of each profile's name and of each of its fields in a valid object."""
    decoder = json.JSONDecoder()

    def members(start: int) -> Iterator[tuple[str, int, int, int]]:
        """Generate name, its position, and start and end of the value for the members of the object at
        ``start``."""
        position = _skip_space(text, start + 1)
        while text[position] != "}":
            name, end = decoder.raw_decode(text, position)
            value = _skip_space(text, end)
            _, end = decoder.raw_decode(text, value)
            yield name, position, value, end
            position = _skip_space(text, end)

    def line(position: int) -> int:
        return text.count("\n", 0, position) + 1

    for name, at, value, _ in members(_skip_space(text, 0)):
        yield (name, None), line(at)
        if text[value] == "{":
            yield from (
                ((name, field), line(position_of_field)) for field, position_of_field, _, _ in members(value)
            )


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _find_toml_lines(text: str) -> Places:
    """Find the lines of the tables' headers and fields, if each is on its own line."""
    current_table: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            read = tomllib.loads(line)
        except tomllib.TOMLDecodeError:
            continue  # a line of something longer
        if line.lstrip().startswith("["):
            tables = read.get("profiles")
            current_table = next(iter(tables), None) if isinstance(tables, dict) else None
            if current_table is not None:
                yield (current_table, None), number
        elif current_table is not None:
            yield from (((current_table, field), number) for field in read)
