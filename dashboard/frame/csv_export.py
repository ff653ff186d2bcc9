"""Writes rows as CSV and escapes text that a spreadsheet would run as a formula. No I/O."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import pandas as pd

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def format_value(value: Any) -> Any:
    """Formats decimals without an exponent and timestamps as RFC 3339 ending in Z; keeps other values."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value


def escape_formula(text: str) -> str:
    """Puts an apostrophe before a leading operator, so that no spreadsheet runs the text as a formula."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text


def build_csv(rows: Iterable[Mapping[str, Any]], fields: Sequence[str], text: Sequence[str]) -> bytes:
    """Builds CSV with a byte order mark, by which spreadsheets recognise UTF-8.

    Formulas are escaped in the columns ``text``. The other columns are numbers, which may start with
    a minus.
    """
    table = pd.DataFrame(rows, columns=fields, dtype=object)
    table[[*text]] = table[[*text]].fillna("").map(escape_formula)
    content: str = table.to_csv(index=False, lineterminator="\r\n")
    return content.encode("utf-8-sig")
