"""Reads YAML with the line of every value, and reports all errors at once.

The result is plain data: strings, numbers, booleans, null, lists and mappings with string keys. Plain words
are read as in YAML 1.2: ``ON`` and ``no`` are strings, so tickers need no quotes. Dates and times stay
strings. The reader is not recursive and rejects aliases, so neither deep nesting nor exponential aliases can
exhaust it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from backend.articles.rules.errors import MAX_LISTED_ERRORS, InvalidRulesError
from backend.formats.file_errors import WHOLE_FILE, FileError
from backend.formats.yaml_loader import SafeLoader

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 64
MAX_VALUES = 1_000_000

_TRUE, _FALSE = frozenset({"true", "True", "TRUE"}), frozenset({"false", "False", "FALSE"})
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_REAL = re.compile(
    r"[-+]?(?:[0-9]{19,}|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)"
)
_TEXT_TAG = "tag:yaml.org,2002:str"


@dataclass(slots=True)
class Place:
    """The line of a value, and the places of its inner values."""

    line: int
    keys: dict[str, int] = field(default_factory=dict)
    """The line of each key of a mapping."""
    parts: dict[str | int, "Place"] = field(default_factory=dict)

    def at(self, path: Sequence[str | int]) -> int:
        """Return the line of the value at ``path``, or of its nearest existing parent."""
        place = self
        for part in path:
            known = place.parts.get(part)
            if known is None:
                return place.keys.get(str(part), place.line)
            place = known
        return place.line


@dataclass(frozen=True, slots=True)
class Document:
    """The data of a file, with the place of each value."""

    path: Path
    text: str
    data: Any
    place: Place

    @property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")

    def line(self, *path: str | int) -> int:
        return self.place.at(path)

    def build_error(self, path: Sequence[str | int], reason: str) -> FileError:
        return FileError(self.path, self.place.at(path), reason)


def read_document(path: Path) -> Document:
    """Read the YAML file ``path``.

    :raises InvalidRulesError: if it cannot be read, or with every error in its YAML.
    """
    return parse_document(read_text(path), path)


def read_text(path: Path) -> str:
    """Read the text of ``path``, at most :data:`MAX_BYTES` bytes of UTF-8.

    :raises InvalidRulesError: if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) <= MAX_BYTES:
            return raw.decode("utf-8-sig")
        reason = f"is larger than {MAX_BYTES // 1024 // 1024} MiB: split it into several files"
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InvalidRulesError(
            [FileError(path, line, "is not UTF-8: save the file in that encoding")]
        ) from None
    except OSError as error:
        reason = f"cannot be read: {error.strerror or type(error).__name__}"
    raise InvalidRulesError([FileError(path, WHOLE_FILE, reason)])


def parse_document(text: str, path: Path) -> Document:
    """Parse ``text``. Errors name ``path``.

    :raises InvalidRulesError: with every error in the YAML.
    """
    builder = _Builder(path)
    try:
        for event in _events(text):
            builder.handle(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "cannot be read"
        last = len(text.splitlines())  # otherwise the end of the text counts as a separate line
        builder.add_error(min(mark.line + 1, last) if mark else 0, f"must be valid YAML: {problem}")
    except yaml.reader.ReaderError as error:
        at = error.position if isinstance(error.position, int) else 0
        line = text.count("\n", 0, at) + 1
        builder.add_error(
            line, f"a character that YAML does not allow (U+{ord(text[at : at + 1] or ' '):04X})"
        )
    except _LimitExceededError:
        pass  # its error is recorded
    if builder.errors:
        raise InvalidRulesError(builder.errors)
    return Document(path, text, builder.data, builder.place)


def _events(text: str) -> Iterator[Any]:
    parser = SafeLoader(text)
    while parser.check_event():
        yield parser.get_event()


class _LimitExceededError(Exception):
    """The file exceeds a limit, so reading stops."""


@dataclass(slots=True)
class _Open:
    """A list or a mapping that is being read."""

    value: list[Any] | dict[str, Any]
    place: Place
    key: str | None = None
    expects_key: bool = True


class _Builder:
    """Builds values from the parser's events."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data: Any = None
        self.place = Place(1)
        self.errors: list[FileError] = []
        self._open: list[_Open] = []
        self._values = 0
        self._documents = 0

    def add_error(self, line: int, reason: str) -> None:
        self.errors.append(FileError(self.path, line, reason))
        if len(self.errors) > MAX_LISTED_ERRORS * 10:
            raise _LimitExceededError

    def handle(self, event: Any) -> None:
        line = event.start_mark.line + 1
        match event:
            case yaml.ScalarEvent():
                self._scalar(event, line)
            case yaml.MappingStartEvent():
                self._begin(event, {}, line)
            case yaml.SequenceStartEvent():
                self._begin(event, [], line)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._open.pop()
            case yaml.AliasEvent():
                self.add_error(line, f"the alias '*{event.anchor}' is not supported: write out its value")
                self._add(None, Place(line))
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    self.add_error(line, "a second document starts here: put it into a separate file")
                    raise _LimitExceededError

    def _begin(self, event: Any, value: list[Any] | dict[str, Any], line: int) -> None:
        self._tag(event, line, ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq", "!"))
        if self._open and isinstance(self._open[-1].value, dict) and self._open[-1].expects_key:
            self.add_error(line, "a list or mapping cannot be a key: put the text in quotes")
            raise _LimitExceededError
        place = Place(line)
        self._add(value, place)
        self._open.append(_Open(value, place))
        if len(self._open) > MAX_DEPTH:
            self.add_error(line, f"must not be nested more than {MAX_DEPTH} levels deep")
            raise _LimitExceededError

    def _scalar(self, event: Any, line: int) -> None:
        self._tag(event, line, (_TEXT_TAG, "!"))
        inside = self._open[-1] if self._open else None
        if inside is not None and isinstance(inside.value, dict) and inside.expects_key:
            self._key(inside, event.value, line)
        elif not event.style and event.tag is None:
            self._add(_convert_plain(event.value), Place(line))
        else:
            self._add(event.value, Place(line))

    def _key(self, inside: _Open, key: str, line: int) -> None:
        if key in inside.place.keys:
            first = inside.place.keys[key]
            self.add_error(line, f"'{key}' occurs twice, first in line {first}: keep one of them")
        inside.place.keys.setdefault(key, line)
        inside.key, inside.expects_key = key, False

    def _add(self, value: Any, place: Place) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            self.add_error(place.line, f"must not have more than {MAX_VALUES} values: split the file")
            raise _LimitExceededError
        if not self._open:
            self.data, self.place = value, place
            return
        inside = self._open[-1]
        if isinstance(inside.value, list):
            inside.place.parts[len(inside.value)] = place
            inside.value.append(value)
        else:
            key = inside.key or ""
            inside.place.parts[key] = place
            inside.value[key] = value
            inside.expects_key = True

    def _tag(self, event: Any, line: int, allowed: tuple[str, ...]) -> None:
        if event.tag is not None and event.tag not in allowed:
            self.add_error(line, f"the tag '{event.tag}' is not supported: remove it")


def _convert_plain(text: str) -> Any:
    """Convert a plain scalar."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if text[0] in "+-.0123456789":
        if _WHOLE.fullmatch(text):
            return int(text)
        if _REAL.fullmatch(text):
            return float(text)
    return text
