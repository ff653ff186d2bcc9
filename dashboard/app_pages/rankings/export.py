"""Builds CSV, JSON and Parquet files of the rows on the screen. No I/O.

Every row has its source and time. Amounts stay exact: decimal text in CSV and JSON, decimal columns in
Parquet. A display currency adds its own columns, such as ``price_jpy`` beside ``price_usd``, and its rate.
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
from dashboard.frame.display_currency import US_DOLLARS, DisplayCurrency

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
CONVERTED_FIELDS = {"price_usd": "price", "market_cap": "market_cap", "volume_24h": "volume_24h"}
"""Fields in US dollars, and the beginning of the name of each one's column in another currency."""


@dataclass(frozen=True, slots=True)
class Export:
    """The rows of a view, the time of the export, the link that reopens the view, and its currency."""

    rows: Sequence[Row]
    taken_at: datetime
    link: str
    currency: DisplayCurrency = US_DOLLARS


def list_fields(currency: DisplayCurrency) -> tuple[str, ...]:
    """Lists the columns of a file: a converted amount beside each one in US dollars, the rate at the end."""
    if not currency.is_converted:
        return FIELDS
    fields = []
    for field in FIELDS:
        fields.append(field)
        if field in CONVERTED_FIELDS:
            fields.append(_name_converted_field(field, currency))
    return (*fields, *_build_rate_record(currency))


def _name_converted_field(field: str, currency: DisplayCurrency) -> str:
    return f"{CONVERTED_FIELDS[field]}_{currency.code.lower()}"


def _build_rate_record(currency: DisplayCurrency) -> dict[str, Any]:
    return {
        f"{currency.code.lower()}_per_usd": currency.rate,
        "rate_source": currency.source,
        "rate_as_of": currency.as_of,
    }


def build_record(row: Row, currency: DisplayCurrency = US_DOLLARS) -> dict[str, Any]:
    record = _build_usd_record(row)
    if not currency.is_converted:
        return record
    converted = {
        _name_converted_field(field, currency): None if amount is None else currency.convert(amount)
        for field in CONVERTED_FIELDS
        for amount in (record[field],)
    }
    return {**record, **converted, **_build_rate_record(currency)}


def _build_usd_record(row: Row) -> dict[str, Any]:
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
    rows = _build_text_records(export)
    fields = list_fields(export.currency)
    return build_csv(rows, fields, [field for field in fields if _is_text(field)])


def _build_text_records(export: Export) -> list[dict[str, Any]]:
    """Builds the rows with their fields in the order of the columns, and amounts and times as text."""
    fields = list_fields(export.currency)
    records = (build_record(row, export.currency) for row in export.rows)
    return [{field: format_value(record[field]) for field in fields} for record in records]


def build_json_file(export: Export) -> bytes:
    body = {
        "taken_at": format_value(export.taken_at),
        "link": export.link,
        "notes": list_notes(export.rows),
        "rows": _build_text_records(export),
    }
    return json.dumps(body, ensure_ascii=False, indent=1).encode()


def build_parquet_file(export: Export) -> bytes:
    records = [build_record(row, export.currency) for row in export.rows]
    columns = {field: [entry[field] for entry in records] for field in list_fields(export.currency)}
    schema = [(field, _find_arrow_type(field, values)) for field, values in columns.items()]
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


def _is_text(field: str) -> bool:
    return field in (*TEXT_FIELDS, "rate_source")


def _find_arrow_type(field: str, values: Sequence[Any]) -> pa.DataType:
    if field == "market_cap_rank":
        return pa.int32()
    if field in ("as_of", "rate_as_of"):
        return pa.timestamp("s", tz="UTC")
    if _is_text(field):
        return pa.string()
    parts = [value.as_tuple() for value in values if value is not None]
    scale = max((max(0, -int(part.exponent)) for part in parts), default=2)
    integer_digits = max((len(part.digits) + int(part.exponent) for part in parts), default=1)
    digits = max(1, integer_digits) + scale
    return pa.decimal128(digits, scale) if digits <= 38 else pa.decimal256(min(76, digits), scale)
