"""A JSON body, read strictly: what is wrong with one is said in words, with its place.

Refused with 400 are, beside what is no JSON at all (RFC 8259): text that is not UTF-8, lone surrogates,
integers beyond 64 bits (the parser would make floats of them), numbers too large for a float, NaN,
a thousand levels of nesting. Where a name comes twice in an object, the last one counts.

Good bodies are parsed once, in C. Only what may be wrong is looked at again, by slower means that know
the place, in a thread: nobody else waits for it.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NoReturn

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from backend.errors import BadRequest, FieldError

Place = list[str | int]

MOST_FAULTS = 100
"""Faults of one kind that are listed; a body may hold millions."""
SMALLEST, LARGEST = -(2**63), 2**63 - 1
_LONG_NUMBER = b"0" * len(str(LARGEST))
_DIGITS_ALIKE = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))
_DIGITS = re.compile(rb"0+")
_TOO_DEEP = "The body is nested too deeply"
_SURROGATE = re.compile("[\ud800-\udfff]")
_WIDE_ENCODINGS = (
    (b"\xff\xfe\0\0", "UTF-32"),  # before the mark that it begins with
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


class JsonRequest(Request):
    """A request whose body is parsed by :meth:`read` before the framework asks for it."""

    _parsed: Any = None

    async def read(self) -> None:
        """Raises :class:`BadRequest`, and whatever stops a body that is too long."""
        try:
            body = await self.body()
        except ClientDisconnect:
            raise BadRequest("The connection ended before the body was complete.") from None
        if body:  # without one, the endpoint says what is missing
            self._parsed = await parse(body)

    async def json(self) -> Any:
        return self._parsed


async def parse(body: bytes) -> Any:
    """The value of ``body``. Raises :class:`BadRequest` with every fault and its place."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        await run_in_threadpool(_explain, body, error)
    if may_hold_huge_integers(body):
        await run_in_threadpool(_refuse_huge_integers, body)
    return value


def value(body: bytes) -> Any:
    """What :func:`parse` gives, for callers in a thread of their own."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        _explain(body, error)
    if may_hold_huge_integers(body):
        _refuse_huge_integers(body)
    return found


def may_hold_huge_integers(body: bytes) -> bool:
    """Whether as many digits follow each other as in integers beyond 64 bits, other than behind a point."""
    alike = body.translate(_DIGITS_ALIKE)
    start = alike.find(_LONG_NUMBER)
    while start >= 0:
        if body[start - 1 : start] != b".":
            return True
        end = _DIGITS.match(alike, start)
        start = alike.find(_LONG_NUMBER, end.end() if end else start + 1)
    return False


def _explain(body: bytes, error: orjson.JSONDecodeError) -> NoReturn:
    """Say what is wrong with a body that the parser refused."""
    for mark, encoding in _WIDE_ENCODINGS:
        if body.startswith(mark):
            raise _fault(f"The body is in {encoding}; send JSON in UTF-8", "json_encoding")
    if body.startswith(b"\xef\xbb\xbf"):
        raise _fault("The body begins with a byte order mark; send it without", "json_encoding")
    if b"\0" in body[:2]:
        raise _fault("The body is in UTF-16 or UTF-32; send JSON in UTF-8", "json_encoding")
    try:
        text = body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as broken:
        raise _not_utf8(body, broken.start) from None
    _refuse_surrogates(text)
    try:
        body.decode()
    except UnicodeDecodeError as broken:
        raise _not_utf8(body, broken.start) from None
    if "depth" in error.msg or "memory" in error.msg:
        raise _fault(_TOO_DEEP, "json_depth")
    line, column = _line_and_column(text[: error.pos])
    raise _fault(f"The body is not valid JSON at line {line}, column {column}: {error.msg}", "json_invalid")


def _refuse_surrogates(text: str) -> None:
    """By a parser that lets them pass, to find their places; broken JSON has none to name."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    lone = (place for place, found in _walk(value) if isinstance(found, str) and _SURROGATE.search(found))
    _refuse(lone, "Holds a lone surrogate (half of a UTF-16 pair), which is no character", "string_unicode")


def _refuse_huge_integers(body: bytes) -> None:
    try:
        value = json.loads(body, parse_int=_integer)
    except RecursionError:  # a little earlier than the quick parser's own limit
        raise _fault(_TOO_DEEP, "json_depth") from None
    huge = (place for place, found in _walk(value) if found is _HUGE)
    _refuse(huge, "Is an integer beyond 64 bits", "int_too_large")


class _Huge:
    """Stands where an integer is too large."""


_HUGE = _Huge()


def _integer(digits: str) -> int | _Huge:
    if len(digits) > 20:  # more than 64 bits have, sign included; and Python refuses thousands of digits
        return _HUGE
    number = int(digits)
    return number if SMALLEST <= number <= LARGEST else _HUGE


def _walk(value: Any) -> Iterator[tuple[Place, Any]]:
    """Every value in the body's order, and every name of a member, with its place, which is valid until
    the next one.

    Without recursion, since a body may be deeper than Python's stack, and without a copy, since it may
    hold millions of values.
    """
    place: Place = ["body"]
    yield place, value
    stack = [_members(value)]
    while stack:
        member = next(stack[-1], None)
        if member is None:
            stack.pop()
            place.pop()
            continue
        name, found = member
        place.append(name)
        if isinstance(name, str):
            yield place, name
        yield place, found
        if isinstance(found, dict | list):
            stack.append(_members(found))
        else:
            place.pop()


def _members(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return iter(value.items())
    return iter(enumerate(value) if isinstance(value, list) else ())


def _refuse(places: Iterator[Place], message: str, kind: str) -> None:
    faults: list[FieldError] = [
        {"loc": _clean(place), "msg": message, "type": kind} for place in islice(places, MOST_FAULTS)
    ]
    if not faults:
        return
    more = f" {len(faults) - 1} more in errors." if len(faults) > 1 else ""
    where = ".".join(str(part) for part in faults[0]["loc"])
    raise BadRequest(f"{where}: {message}.{more}", errors=faults)


def _clean(place: Place) -> Place:
    """A copy of the place, whose names can be sent."""
    return [
        _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", part) if isinstance(part, str) else part for part in place
    ]


def _not_utf8(body: bytes, position: int) -> BadRequest:
    line, column = _line_and_column(body[:position].decode("utf-8", "surrogatepass"))
    return _fault(
        f"The body is not UTF-8: the byte 0x{body[position]:02x} at line {line}, column {column} "
        "belongs to no character",
        "json_encoding",
    )


def _fault(sentence: str, kind: str) -> BadRequest:
    return BadRequest(f"{sentence}.", errors=[{"loc": ["body"], "msg": sentence, "type": kind}])


def _line_and_column(before: str) -> tuple[int, int]:
    """Both from one on, in characters."""
    return before.count("\n") + 1, len(before) - before.rfind("\n")
