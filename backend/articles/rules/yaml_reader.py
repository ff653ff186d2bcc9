"""YAML read in one pass, with the line of every value, and every slip told at once.

What comes out is plain data: text, whole numbers, truth values, nothing, lists and mappings with text as
keys. Plain words are read as YAML 1.2 does (``ON`` and ``no`` are text, so that tickers need no quotes),
days and times stay text. Nothing is built recursively and aliases are refused, so that neither deep
nesting nor an alias that doubles itself can exhaust the reader.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from backend.articles.rules.errors import MAX_LISTED_ERRORS, InvalidRulesError
from backend.formats.file_errors import FileError
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
    """Where a value begins, and where what is in it does."""

    line: int
    keys: dict[str, int] = field(default_factory=dict)
    """Of a mapping: the line of each key."""
    parts: dict[str | int, "Place"] = field(default_factory=dict)

    def at(self, path: Sequence[str | int]) -> int:
        """The line of what ``path`` leads to; where it leads nowhere, of the nearest thing around it."""
        place = self
        for part in path:
            known = place.parts.get(part)
            if known is None:
                return place.keys.get(str(part), place.line)
            place = known
        return place.line


@dataclass(frozen=True, slots=True)
class Document:
    """A file's data, and where each of its values stands."""

    path: Path
    text: str
    data: Any
    place: Place

    @property
    def lines(self) -> list[str]:
        """The text's lines, as they are counted."""
        return self.text.split("\n")

    def line(self, *path: str | int) -> int:
        return self.place.at(path)

    def build_error(self, path: Sequence[str | int], reason: str) -> FileError:
        return FileError(self.path, self.place.at(path), reason)


def read_document(path: Path) -> Document:
    """The data of the YAML file ``path``.

    :raises InvalidRulesError: where it cannot be read, or with every slip that its YAML holds.
    """
    return parse_document(read_text(path), path)


def read_text(path: Path) -> str:
    """The text of ``path``, of at most :data:`MAX_BYTES` bytes of UTF-8.

    :raises InvalidRulesError: where it cannot be read.
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
    raise InvalidRulesError([FileError(path, 0, reason)])


def parse_document(text: str, path: Path) -> Document:
    """The data of ``text``; ``path`` is what its errors name.

    :raises InvalidRulesError: with every slip that the YAML holds.
    """
    builder = _Builder(path)
    try:
        for event in _events(text):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "cannot be read"
        last = len(text.splitlines())  # the end of the text counts as a line of its own otherwise
        builder.refuse(min(mark.line + 1, last) if mark else 0, f"must be valid YAML: {problem}")
    except yaml.reader.ReaderError as error:
        at = error.position if isinstance(error.position, int) else 0
        line = text.count("\n", 0, at) + 1
        builder.refuse(line, f"a character that YAML does not allow (U+{ord(text[at : at + 1] or ' '):04X})")
    except _TooMuch:
        pass  # its error is noted
    if builder.errors:
        raise InvalidRulesError(builder.errors)
    return Document(path, text, builder.data, builder.place)


def _events(text: str) -> Iterator[Any]:
    parser = SafeLoader(text)
    while parser.check_event():
        yield parser.get_event()


class _TooMuch(Exception):
    """The file is beyond a bound; reading on is of no use."""


@dataclass(slots=True)
class _Open:
    """A list or a mapping that is being read."""

    value: list[Any] | dict[str, Any]
    place: Place
    key: str | None = None
    expects_key: bool = True


class _Builder:
    """Puts values together from the parser's events."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data: Any = None
        self.place = Place(1)
        self.errors: list[FileError] = []
        self._open: list[_Open] = []
        self._values = 0
        self._documents = 0

    def refuse(self, line: int, reason: str) -> None:
        self.errors.append(FileError(self.path, line, reason))
        if len(self.errors) > MAX_LISTED_ERRORS * 10:
            raise _TooMuch

    def take(self, event: Any) -> None:
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
                self.refuse(line, f"the alias '*{event.anchor}' is not read: write out what it stands for")
                self._add(None, Place(line))
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    self.refuse(line, "a second document begins here: put it into a file of its own")
                    raise _TooMuch

    def _begin(self, event: Any, value: list[Any] | dict[str, Any], line: int) -> None:
        self._tag(event, line, ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq", "!"))
        if self._open and isinstance(self._open[-1].value, dict) and self._open[-1].expects_key:
            self.refuse(line, "a list or mapping cannot stand before a colon: put the text in quotes")
            raise _TooMuch
        place = Place(line)
        self._add(value, place)
        self._open.append(_Open(value, place))
        if len(self._open) > MAX_DEPTH:
            self.refuse(line, f"this is nested more than {MAX_DEPTH} deep")
            raise _TooMuch

    def _scalar(self, event: Any, line: int) -> None:
        self._tag(event, line, (_TEXT_TAG, "!"))
        inside = self._open[-1] if self._open else None
        if inside is not None and isinstance(inside.value, dict) and inside.expects_key:
            self._key(inside, event.value, line)
        elif not event.style and event.tag is None:
            self._add(_plain(event.value), Place(line))
        else:
            self._add(event.value, Place(line))

    def _key(self, inside: _Open, key: str, line: int) -> None:
        if key in inside.place.keys:
            first = inside.place.keys[key]
            self.refuse(line, f"'{key}' is given twice, first in line {first}: keep one of them")
        inside.place.keys.setdefault(key, line)
        inside.key, inside.expects_key = key, False

    def _add(self, value: Any, place: Place) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            self.refuse(place.line, f"more than {MAX_VALUES} values: split the file")
            raise _TooMuch
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
            self.refuse(line, f"the tag '{event.tag}' is not read: remove it")


def _plain(text: str) -> Any:
    """What a word without quotes stands for."""
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
