"""A stretch of time up to an instant: ``24h``, ``90m``, ``2w``."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from backend.errors import BadRequest, FieldError

_WINDOW = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
LONGEST = timedelta(days=36_525)
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


def parse_window(text: str) -> timedelta:
    """Raises ``ValueError`` with a sentence."""
    parts = _WINDOW.fullmatch(text)
    if parts is None:
        raise ValueError("must be a whole number and one of s, m, h, d, w, such as 24h")
    seconds = int(parts[1]) * _SECONDS[parts[2]]
    if seconds > LONGEST.total_seconds():
        raise ValueError("must be a hundred years at the most")
    return timedelta(seconds=seconds)


def _read(value: Any) -> Any:
    return parse_window(value) if isinstance(value, str) else value


Window = Annotated[
    timedelta,
    BeforeValidator(_read),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9]{1,9}[smhdw]$", "examples": ["24h"]}),
]


def between(
    window: timedelta, start: datetime | None, end: datetime | None, *, now: datetime
) -> tuple[datetime, datetime]:
    """From and to: ``start`` overrides the window, and ``end`` is the present where it is not given.

    Raises :class:`BadRequest` when they are the wrong way round.
    """
    until = now if end is None else end
    if start is None:
        return until - min(window, until - _EARLIEST), until
    if start > until:
        fault: FieldError = {"loc": ["query", "from"], "msg": "Is later than 'to'", "type": "range_backwards"}
        raise BadRequest("query.from: Is later than 'to'.", errors=[fault])
    return start, until
