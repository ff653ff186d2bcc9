"""Parses time windows such as ``24h``, ``90m`` and ``2w``, and resolves them to a start and an end."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator, Field

from backend.errors import BadRequest, FieldError

_WINDOW_PATTERN = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)
_SECONDS_PER_UNIT = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
MAX_WINDOW = timedelta(days=36_525)
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


def parse_window(text: str) -> timedelta:
    """Parse a whole number and a unit. Raises ``ValueError`` with a sentence."""
    parts = _WINDOW_PATTERN.fullmatch(text)
    if parts is None:
        raise ValueError("must be a whole number and one of s, m, h, d, w, such as 24h")
    seconds = int(parts[1]) * _SECONDS_PER_UNIT[parts[2]]
    if seconds > MAX_WINDOW.total_seconds():
        raise ValueError("must be at most a hundred years")
    return timedelta(seconds=seconds)


def _validate(text: str) -> str:
    parse_window(text)
    return text


WindowText = Annotated[
    str, AfterValidator(_validate), Field(json_schema_extra={"pattern": r"^[0-9]{1,9}[smhdw]$"})
]
"""A window as text, so that the default of a parameter is documented as it is sent."""


def resolve_time_range(
    window: timedelta, start: datetime | None, end: datetime | None, *, now: datetime
) -> tuple[datetime, datetime]:
    """Return the start and the end. ``start`` overrides the window; ``end`` is ``now`` by default.

    Raises :class:`BadRequest` if the start is after the end.
    """
    until = now if end is None else end
    if start is None:
        return until - min(window, until - _EARLIEST), until
    if start > until:
        fault: FieldError = {
            "loc": ["query", "from"],
            "msg": "Must not be later than 'to'",
            "type": "range_backwards",
        }
        raise BadRequest("query.from: Is later than 'to'.", errors=[fault])
    return start, until
