"""Builds CSV, JSON and Parquet files of the rows on the screen. No I/O.

Every row has its source and time. Amounts stay exact: decimal text in CSV and JSON, decimal columns in
Parquet.
"""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.app_pages.rankings.rows import Row
from dashboard.frame.csv_export import build_csv, format_value

SAMPLE_NOTE = "Sample data from a simulator, not market prices."
STALE_NOTE = "Last known good figure, not a current one."
TEXT_FIELDS = ("id", "symbol", "name", "source", "rule", "reason", "flags", "note")
AMOUNT_FIELDS = (
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
    "id", "symbol", "name", "market_cap_rank", *AMOUNT_FIELDS,
    "source", "as_of", "rule", "reason", "flags", "note",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Export:
    """The rows of a view, the time of the export, and the link that reopens the view."""

    rows: Sequence[Row]
    taken_at: datetime
    link: str


def build_record(row: Row) -> dict[str, Any]:
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


def build_csv_file(export: Export) -> bytes:
    rows = [{field: format_value(value) for field, value in build_record(row).items()} for row in export.rows]
    return build_csv(rows, FIELDS, TEXT_FIELDS)


def build_json_file(export: Export) -> bytes:
    body = {
        "taken_at": format_value(export.taken_at),
        "link": export.link,
        "notes": list_notes(export.rows),
        "rows": [
            {key: format_value(value) for key, value in build_record(row).items()} for row in export.rows
        ],
    }
    return json.dumps(body, ensure_ascii=False, indent=1).encode()


def build_parquet_file(export: Export) -> bytes:
    records = [build_record(row) for row in export.rows]
    columns = {field: [entry[field] for entry in records] for field in FIELDS}
    schema = [(field, _find_arrow_type(field, columns[field])) for field in FIELDS]
    metadata = {
        "taken_at": format_value(export.taken_at),
        "link": export.link,
        "note": " ".join(list_notes(export.rows)),
    }
    table = pa.table(columns, schema=pa.schema(schema, metadata=metadata))
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def list_notes(rows: Sequence[Row]) -> list[str]:
    applies: Mapping[str, bool] = {
        SAMPLE_NOTE: any(row.sample for row in rows),
        STALE_NOTE: any(row.stale for row in rows),
    }
    return [note for note, is_true in applies.items() if is_true]


def _find_arrow_type(field: str, values: Sequence[Any]) -> pa.DataType:
    if field == "market_cap_rank":
        return pa.int32()
    if field == "as_of":
        return pa.timestamp("s", tz="UTC")
    if field not in AMOUNT_FIELDS:
        return pa.string()
    parts = [value.as_tuple() for value in values if value is not None]
    scale = max((max(0, -int(part.exponent)) for part in parts), default=2)
    integer_digits = max((len(part.digits) + int(part.exponent) for part in parts), default=1)
    digits = max(1, integer_digits) + scale
    return pa.decimal128(digits, scale) if digits <= 38 else pa.decimal256(min(76, digits), scale)
