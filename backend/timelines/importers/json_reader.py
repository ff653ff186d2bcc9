"""Large JSON read piece by piece: lines, and documents of which only parts are looked at.

A document is mapped into memory rather than read: the parser skips what no one asks for, and the system
keeps of the file what it has room for. A list of ``msgspec.Raw`` holds addresses, no copies.
"""

import json
import mmap
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from backend.timelines.importers.model import Refused
from backend.timelines.validation.validation_messages import told

T = TypeVar("T")
LONGEST_LINE = 256 * 1024 * 1024
"""Bytes of a line; a file without line breaks is no JSON Lines."""
_PIECE = 1024 * 1024
_TEXT_OR_NO_NUMBER = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN', re.DOTALL)
_ESCAPED = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F]..|.)", re.DOTALL)
_LONE_SURROGATE = 6
"""Bytes of one that is escaped; a pair has twice as many, other escapes begin with two."""


class Line(NamedTuple):
    """A line with its number, without its end, and the bytes read to get it; null where it is too long."""

    number: int
    text: bytes | None
    size: int


def lines(path: Path) -> Iterator[Line]:
    """The lines of a file that are not blank."""
    with path.open("rb") as file:
        number = 0
        while text := file.readline(LONGEST_LINE):
            number += 1
            size = len(text)
            if size == LONGEST_LINE and not text.endswith(b"\n"):
                while rest := file.readline(_PIECE):
                    size += len(rest)
                    if rest.endswith(b"\n"):
                        break
                yield Line(number, None, size)
                continue
            if number == 1:
                text = text.removeprefix(b"\xef\xbb\xbf")
            yield Line(number, text.strip(), size)


def strictly(text: bytes | msgspec.Raw, kind: type[T]) -> T:
    """``text`` as a ``kind``. Raises :class:`Refused` with the field that is wrong."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise refusal(error) from None


def leniently(text: bytes | msgspec.Raw, kind: type[T]) -> T:
    """The same, where NaN, infinities and lone surrogates pass, which Python's own writer lets through."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        raise refusal(error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        first = error
    try:
        return msgspec.convert(json.loads(bytes(text)), type=kind)
    except msgspec.ValidationError as error:
        raise refusal(error) from None
    except (ValueError, RecursionError):
        raise refusal(first) from None


def refusal(error: Exception) -> Refused:
    """What the parser says, as a field and a reason."""
    if isinstance(error, msgspec.ValidationError):
        fault = told(error)
        return Refused(".".join(str(part) for part in fault.place), fault.reason)
    if isinstance(error, RecursionError):
        return Refused("", "is nested too deeply")
    if isinstance(error, UnicodeDecodeError):
        return Refused("", "is not UTF-8")
    reason = str(error).removeprefix("JSON is malformed: ")
    return Refused("", f"is no JSON: {reason[:1].lower()}{reason[1:]}")


@contextmanager
def document(path: Path, kind: type[T]) -> Iterator[T]:
    """The document in ``path`` as a ``kind``, valid within the context. Raises :class:`Refused`."""
    if not path.stat().st_size:
        raise Refused("", "is empty")
    with path.open("rb") as file:
        # Closed by the last reference to it: what was found may point into it.
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        try:
            found = _decoded(mapped, kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise refusal(error) from None
        yield found


def _decoded(mapped: mmap.mmap, kind: type[T]) -> T:
    view = memoryview(mapped)
    try:
        return msgspec.json.decode(view, type=kind)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError as error:
        if "trailing" in str(error):  # lines, of which the first was right
            raise
        if all(mapped.find(part) < 0 for part in (b"NaN", b"Infinity", b"\\ud", b"\\uD")):
            raise
        _mask(mapped)
        return msgspec.json.decode(view, type=kind)


def _mask(mapped: mmap.mmap) -> None:
    """Write over what Python's own writer lets through and JSON does not know, without moving the rest:
    an empty text over each NaN and infinity, the replacement character over each lone surrogate.

    The mapping is private: the file stays as it is.
    """
    for match in _TEXT_OR_NO_NUMBER.finditer(mapped):
        start, end = match.span()
        if mapped[start] != ord('"'):
            mapped[start:end] = b'""'.ljust(end - start)
            continue
        for escape in _ESCAPED.finditer(mapped, start, end):
            if len(escape[0]) == _LONE_SURROGATE:
                mapped[escape.start() : escape.end()] = b"\\ufffd"


def names_of(path: Path) -> frozenset[str]:
    """The names of a document's outermost members; none where it is no object."""
    try:
        with document(path, dict[str, msgspec.Raw]) as found:
            return frozenset(found)
    except Refused:
        return frozenset()
