"""Reads RFC 3339 timestamps of any time zone and writes them in UTC."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator

Clock = Callable[[], datetime]
"""Returns the current time; tests pass another one."""

_RFC3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_MAX_CHARS = 64
_EXPECTED = "an RFC 3339 instant such as 2026-11-21T09:30:00Z"


def utc_now() -> datetime:
    return datetime.now(UTC)


def parse_instant(text: str) -> datetime:
    """Parse ``text`` to an instant in UTC, cut to the microsecond.

    Raises ``ValueError`` with a sentence. A leap second is the first instant of the next minute.
    """
    parts = _RFC3339.fullmatch(text) if len(text) <= _MAX_CHARS else None
    if parts is None:
        hint = " (in a query, + is written %2B)" if re.search(r":\d\d \d\d:\d\d$", text[-20:]) else ""
        raise ValueError(f"must be {_EXPECTED}{hint}")
    day, minute, second, fraction, zone = parts.groups()
    leap = timedelta(seconds=1) if second == "60" else timedelta()
    timestamp = f"{day}T{minute}:{'59' if leap else second}.{(fraction or '')[:6]:0<6}{zone.upper()}"
    try:
        moment = datetime.fromisoformat(timestamp).astimezone(UTC)
        return moment.replace(microsecond=0) + leap if leap else moment
    except (ValueError, OverflowError):
        raise ValueError(f"must be {_EXPECTED}; there is no such day or time") from None


def write_instant(moment: datetime) -> str:
    """Format ``moment`` in UTC, with microseconds unless they are 0, ending in ``Z``."""
    if moment.tzinfo is None:
        raise ValueError("an instant without a time zone cannot be written")
    return moment.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


def _parse(value: Any) -> Any:
    return parse_instant(value) if isinstance(value, str) else value


Instant = Annotated[datetime, BeforeValidator(_parse)]
"""A query parameter or field that accepts only an RFC 3339 instant."""
