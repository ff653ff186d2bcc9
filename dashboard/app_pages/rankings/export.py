"""What is on the screen as a file: CSV, JSON or Parquet, with source and as-of in every row. Pure.

Amounts stay exact: decimal text in CSV and JSON, a decimal column in Parquet.
"""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.app_pages.rankings.rows import Row

SAMPLE_NOTE = "Sample data from a simulator, not market prices."
STALE_NOTE = "Last known good figure, not a current one."
TEXT = ("id", "symbol", "name", "source", "rule", "reason", "flags", "note")
AMOUNTS = (
    "price_usd",
    "pct_change_1h",
    "pct_change_24h",
    "pct_change_7d",
    "pct_change_30d",
    "market_cap",
    "volume_24h",
    "spread_pct",
)
FIELDS = (
    "id", "symbol", "name", "market_cap_rank", *AMOUNTS, "source", "as_of", "rule", "reason", "flags", "note",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True, slots=True)
class Export:
    """The rows of a view, the moment they were taken, and the link that reopens the view."""

    rows: Sequence[Row]
    taken_at: datetime
    link: str


def record(row: Row) -> dict[str, Any]:
    notes = ([SAMPLE_NOTE] if row.sample else []) + ([STALE_NOTE] if row.stale else [])
    return {
        "id": row.id,
        "symbol": row.symbol,
        "name": row.name,
        "market_cap_rank": row.rank,
        "price_usd": row.price,
        "pct_change_1h": row.pct_1h,
        "pct_change_24h": row.pct_24h,
        "pct_change_7d": row.pct_7d,
        "pct_change_30d": row.pct_30d,
        "market_cap": row.market_cap,
        "volume_24h": row.volume,
        "spread_pct": row.spread,
        "source": row.source,
        "as_of": row.last_updated,
        "rule": row.rule,
        "reason": row.reason,
        "flags": " ".join(row.flags),
        "note": " ".join(notes),
    }


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


def to_csv(export: Export) -> bytes:
    rows = [{field: plain(value) for field, value in record(row).items()} for row in export.rows]
    return csv_bytes(rows, FIELDS, TEXT)


def to_json(export: Export) -> bytes:
    body = {
        "taken_at": plain(export.taken_at),
        "link": export.link,
        "notes": notes(export.rows),
        "rows": [{key: plain(value) for key, value in record(row).items()} for row in export.rows],
    }
    return json.dumps(body, ensure_ascii=False, indent=1).encode()


def to_parquet(export: Export) -> bytes:
    records = [record(row) for row in export.rows]
    columns = {field: [entry[field] for entry in records] for field in FIELDS}
    schema = [(field, _arrow_type(field, columns[field])) for field in FIELDS]
    metadata = {
        "taken_at": plain(export.taken_at),
        "link": export.link,
        "note": " ".join(notes(export.rows)),
    }
    table = pa.table(columns, schema=pa.schema(schema, metadata=metadata))
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def notes(rows: Sequence[Row]) -> list[str]:
    checks: Mapping[str, bool] = {
        SAMPLE_NOTE: any(row.sample for row in rows),
        STALE_NOTE: any(row.stale for row in rows),
    }
    return [note for note, holds in checks.items() if holds]


def _arrow_type(field: str, values: Sequence[Any]) -> pa.DataType:
    if field == "market_cap_rank":
        return pa.int32()
    if field == "as_of":
        return pa.timestamp("s", tz="UTC")
    if field not in AMOUNTS:
        return pa.string()
    parts = [value.as_tuple() for value in values if value is not None]
    scale = max((max(0, -int(part.exponent)) for part in parts), default=2)
    whole = max((len(part.digits) + int(part.exponent) for part in parts), default=1)
    digits = max(1, whole) + scale
    return pa.decimal128(digits, scale) if digits <= 38 else pa.decimal256(min(76, digits), scale)
