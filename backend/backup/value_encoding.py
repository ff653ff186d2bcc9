"""Values of columns in an archive: the same text for both databases, and nothing lost.

JSON's null, booleans, whole numbers and text stand for themselves, floats in their shortest exact form
or, where they are no finite number, as text. Instants and decimals are text as SQLite stores them, bytes
are base64.
"""

import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

Read = Callable[[Any], Any]


def written(value: Any) -> Any:
    """What stands in the archive for a value as a driver gives it."""
    match value:
        case bytes() | memoryview():
            return b64encode(value).decode("ascii")
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"
        case Decimal():
            return format(value, "f")
        case float() if not math.isfinite(value):
            return str(value)
        case _:
            return value


def reader(column: sa.Column[Any]) -> Read | None:
    """How a value of the archive is given to a column of a database; null where it is as it stands.

    PostgreSQL reads instants and decimals out of text by itself.
    """
    if isinstance(column.type, sa.LargeBinary):
        return _bytes
    if isinstance(column.type, sa.Float):
        return _float
    return None


def _bytes(value: str | None) -> bytes | None:
    return None if value is None else b64decode(value, validate=True)


def _float(value: float | str | None) -> float | None:
    return None if value is None else float(value)
