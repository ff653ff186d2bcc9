"""Parses JSON bodies strictly and reports errors with line and column.

The parser refuses what RFC 8259 does not allow, lone surrogates, numbers too large for a float, NaN, and over
a thousand levels of nesting. Integers beyond 64 bits, of which it would make floats, are refused here. If a
name occurs twice in an object, the last one counts.
"""

import re
from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from backend.errors import BadRequest

MIN_INTEGER, MAX_INTEGER = -(2**63), 2**63 - 1
_LONG_NUMBER = b"0" * len(str(MAX_INTEGER))
_DIGITS_AS_ZEROS = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))
_STRING_OR_NUMBER = re.compile(rb'"(?:[^"\\]++|\\.)*+"|(-?\d++)(?:[.eE][\d.eE+-]*+)?', re.DOTALL)


class JsonRequest(Request):
    """A request whose body is parsed by :meth:`read` before the framework asks for it."""

    _parsed: Any = None

    async def read(self) -> None:
        """Read and parse the body. Raises :class:`BadRequest`, and the errors of the body limits."""
        try:
            body = await self.body()
        except ClientDisconnect:
            raise BadRequest("The connection ended before the body was complete.") from None
        if body:  # the endpoint reports a missing body
            self._parsed = _load(body)
            if _has_long_number(body):  # a search takes long, so it runs in a thread
                await run_in_threadpool(reject_huge_integers, body)

    async def json(self) -> Any:
        return self._parsed


def parse(body: bytes) -> Any:
    """Parse ``body``. Raises :class:`BadRequest`."""
    value = _load(body)
    reject_huge_integers(body)
    return value


def reject_huge_integers(body: bytes) -> None:
    """Raise :class:`BadRequest` at the first integer of a valid body that is beyond 64 bits."""
    if not _has_long_number(body):
        return
    for token in _STRING_OR_NUMBER.finditer(body):
        is_integer = token.end(1) == token.end()
        # The length first: Python refuses to convert thousands of digits.
        if is_integer and (
            len(token[1]) > len(str(MIN_INTEGER)) or not MIN_INTEGER <= int(token[1]) <= MAX_INTEGER
        ):
            position_text = _locate(body[: token.start()].decode(errors="replace"))
            raise _build_error(f"The body has an integer beyond 64 bits at {position_text}", "int_too_large")


def _load(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        reason, location = error.msg, f"line {error.lineno}, column {error.colno}"
    try:
        body.decode()
    except UnicodeDecodeError as error:  # the parser gives no position for this error
        position_text = _locate(body[: error.start].decode())
        raise _build_error(
            f"The body is not UTF-8 at {position_text}; send JSON in UTF-8", "json_encoding"
        ) from None
    raise _build_error(f"The body is not valid JSON at {location}: {reason}", "json_invalid")


def _has_long_number(body: bytes) -> bool:
    return _LONG_NUMBER in body.translate(_DIGITS_AS_ZEROS)


def _locate(before: str) -> str:
    """Return line and column, both from 1, in characters."""
    return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"


def _build_error(sentence: str, kind: str) -> BadRequest:
    return BadRequest(f"{sentence}.", errors=[{"loc": ["body"], "msg": sentence, "type": kind}])
