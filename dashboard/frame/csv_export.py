"""Writes rows as CSV whose text no spreadsheet takes for a formula. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def plain(value: Any) -> Any:
    """A value as files write it: decimals in plain notation, instants in RFC 3339 ending in Z."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value


def guarded(text: str) -> str:
    """Text that no spreadsheet runs as a formula: an apostrophe goes before a leading operator."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def csv_bytes(rows: Iterable[Mapping[str, Any]], fields: Sequence[str], text: Sequence[str]) -> bytes:
    """Rows as CSV with a byte order mark, which spreadsheets need to see that it is UTF-8.

    No column of ``text`` holds a formula. The others are numbers, which may begin with a minus.
    """
    table = pd.DataFrame(rows, columns=fields, dtype=object)
    table[[*text]] = table[[*text]].fillna("").map(guarded)
    content: str = table.to_csv(index=False, lineterminator="\r\n")
    return content.encode("utf-8-sig")
