"""Reads large JSON files piece by piece: JSON Lines, and documents of which only parts are decoded.

A document is mapped into memory instead of read: the parser skips unused members, and the system caches as
much of the file as fits. A list of ``msgspec.Raw`` holds pointers, not copies."""

import json
import mmap
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from backend.timelines.importers.model import InvalidItemError
from backend.timelines.validation.validation_messages import translate_error

T = TypeVar("T")
MAX_LINE_BYTES = 256 * 1024 * 1024
"""Maximum length of a line: a file without line breaks is not JSON Lines."""
CUT_OFF = "must be valid JSON: it is cut off before its end"
_TRUNCATED = "truncated"
"""Part of the parser's message about JSON that ends too early."""
_CHUNK_BYTES = 1024 * 1024
_TEXT_OR_NO_NUMBER = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN', re.DOTALL)
_ESCAPED = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F]..|.)", re.DOTALL)
_LONE_SURROGATE = 6
"""Bytes of an escaped lone surrogate; an escaped pair has twice as many, other escapes match two bytes."""


class Line(NamedTuple):
    """A line with its number, its text without the line break, and the bytes read; ``text`` is None if the
    line is too long."""

    number: int
    text: bytes | None
    size: int


def read_lines(path: Path) -> Iterator[Line]:
    """Generate the lines of a file."""
    with path.open("rb") as file:
        number = 0
        while text := file.readline(MAX_LINE_BYTES):
            number += 1
            size = len(text)
            if size == MAX_LINE_BYTES and not text.endswith(b"\n"):
                while rest := file.readline(_CHUNK_BYTES):
                    size += len(rest)
                    if rest.endswith(b"\n"):
                        break
                yield Line(number, None, size)
                continue
            if number == 1:
                text = text.removeprefix(b"\xef\xbb\xbf")
            yield Line(number, text.strip(), size)


def decode_strictly(text: bytes | msgspec.Raw, kind: type[T]) -> T:
    """Decode ``text`` as a ``kind``. Raises :class:`InvalidItemError` with the wrong field."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise build_item_error(error) from None


def decode_leniently(text: bytes | msgspec.Raw, kind: type[T]) -> T:
    """Decode ``text`` and accept NaN, infinities and lone surrogates, which Python's JSON encoder writes."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        raise build_item_error(error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        first = error
    try:
        return msgspec.convert(json.loads(bytes(text)), type=kind)
    except msgspec.ValidationError as error:
        raise build_item_error(error) from None
    except (ValueError, RecursionError):
        raise build_item_error(first) from None


def build_item_error(error: Exception) -> InvalidItemError:
    """Convert a parser error to a field and a reason."""
    if isinstance(error, msgspec.ValidationError):
        fault = translate_error(error)
        return InvalidItemError(".".join(str(part) for part in fault.place), fault.reason)
    if isinstance(error, RecursionError):
        return InvalidItemError("", "is nested too deeply")
    if isinstance(error, UnicodeDecodeError):
        return InvalidItemError("", "is not UTF-8")
    if _TRUNCATED in str(error):
        return InvalidItemError("", CUT_OFF)
    reason = str(error).removeprefix("JSON is malformed: ")
    return InvalidItemError("", f"must be valid JSON: {reason[:1].lower()}{reason[1:]}")


@contextmanager
def open_document(path: Path, kind: type[T]) -> Iterator[T]:
    """Decode the document at ``path`` as a ``kind``, valid within the context. Raises
    :class:`InvalidItemError`."""
    if not path.stat().st_size:
        raise InvalidItemError("", "is empty")
    with path.open("rb") as file:
        # The last reference closes the mapping, because decoded values may point into it.
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        try:
            decoded = _decode_mapped(mapped, kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise build_item_error(error) from None
        yield decoded


def _decode_mapped(mapped: mmap.mmap, kind: type[T]) -> T:
    view = memoryview(mapped)
    try:
        return msgspec.json.decode(view, type=kind)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError as error:
        if "trailing" in str(error):  # JSON Lines whose first line is valid
            raise
        if all(mapped.find(part) < 0 for part in (b"NaN", b"Infinity", b"\\ud", b"\\uD")):
            raise
        _mask(mapped)
        return msgspec.json.decode(view, type=kind)


def _mask(mapped: mmap.mmap) -> None:
    """Overwrite values that Python's JSON encoder writes and JSON does not allow, without moving the rest:
    NaN and infinities by an empty string, lone surrogates by the replacement character.

    The mapping is private, so the file does not change.
    """
    for match in _TEXT_OR_NO_NUMBER.finditer(mapped):
        start, end = match.span()
        if mapped[start] != ord('"'):
            mapped[start:end] = b'""'.ljust(end - start)
            continue
        for escape in _ESCAPED.finditer(mapped, start, end):
            if len(escape[0]) == _LONE_SURROGATE:
                mapped[escape.start() : escape.end()] = b"\\ufffd"


def is_cut_off(path: Path) -> bool:
    """True if the document ends before its JSON is complete."""
    try:
        with open_document(path, msgspec.Raw):
            return False
    except InvalidItemError as error:
        return str(error) == CUT_OFF


def read_member_names(path: Path) -> frozenset[str]:
    """Return the names of a document's top-level members; empty if it is not an object."""
    try:
        with open_document(path, dict[str, msgspec.Raw]) as members:
            return frozenset(members)
    except InvalidItemError:
        return frozenset()
