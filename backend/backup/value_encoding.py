"""Encodes column values for an archive without loss, in the same form for both databases.

Null, booleans, integers and text are JSON values. Floats have their shortest exact form; non-finite ones
are text. Timestamps and decimals are text as SQLite stores them. Bytes are base64.
"""

import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

Decoder = Callable[[Any], Any]


def encode(value: Any) -> Any:
    """Encode a value as a database driver returns it."""
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


def get_decoder(column: sa.Column[Any]) -> Decoder | None:
    """Return the function that decodes an archived value for ``column``; None if it needs no decoding.

    PostgreSQL itself reads timestamps and decimals from text.
    """
    if isinstance(column.type, sa.LargeBinary):
        return _decode_bytes
    if isinstance(column.type, sa.Float):
        return _decode_float
    return None


def _decode_bytes(value: str | None) -> bytes | None:
    return None if value is None else b64decode(value, validate=True)


def _decode_float(value: float | str | None) -> float | None:
    return None if value is None else float(value)
