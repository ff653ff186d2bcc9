"""Parses and formats dates with their precision: year, month, day or instant."""

import re
from datetime import UTC, datetime

from backend.documents.model import DatePrecision
from backend.formats.timestamps import parse_instant, write_instant

_PARTIAL = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_PRECISIONS: tuple[DatePrecision, ...] = ("year", "month", "day")


def parse_partial_date(text: str) -> tuple[datetime, DatePrecision]:
    """Parse ``text`` to an instant and its precision; a year, month or day becomes its first instant in UTC.

    Raises ``ValueError`` with a message.
    """
    parts = _PARTIAL.fullmatch(text)
    if parts is None:
        try:
            return parse_instant(text), "second"
        except ValueError:
            raise ValueError("must be 2024, 2024-04, 2024-04-20 or 2024-04-20T00:09:27Z") from None
    year, month, day = parts.groups()
    precision = _PRECISIONS[sum(part is not None for part in (month, day))]
    try:
        return datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC), precision
    except ValueError:
        raise ValueError("must be a day that there is") from None


def format_partial_date(moment: datetime | None, precision: DatePrecision | None) -> str | None:
    """Format ``moment`` with its precision, as :func:`parse_partial_date` reads it."""
    if moment is None:
        return None
    length = {"year": 4, "month": 7, "day": 10}.get(precision or "second")
    return write_instant(moment)[:length]
