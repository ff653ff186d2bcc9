"""Exports the selected runs as CSV or Parquet, with source and as-of in every row. Pure.

Columns are named as the fields of a run; deductions and bonuses are JSON in CSV and lists in Parquet.
Fast for 100,000 runs.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson
import pyarrow as pa
import pyarrow.csv as pc_csv
import pyarrow.parquet as pq

from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines.selection import SAMPLE_PREFIX
from dashboard.frame.csv_export import escape_formula

SAMPLE_NOTE = "Sample runs, made up."
SOURCE = "chainproof"


@dataclass(frozen=True, slots=True)
class RunsExport:
    """The visible runs, the time of the service's last confirmation, and a link to the view."""

    arrays: RunArrays
    as_of: datetime
    link: str

    @property
    def sample(self) -> bool:
        return any(
            self.arrays.profiles[profile_index].startswith(SAMPLE_PREFIX)
            for profile_index in set(self.arrays.profile)
        )


def to_csv(runs: RunsExport) -> bytes:
    """Write CSV in UTF-8 with a byte order mark for spreadsheets; cells that start a formula are escaped."""
    rows = _build_rows(runs)
    columns = {name: _format_cells(rows.column(name)) for name in rows.column_names}
    buffer = io.BytesIO(b"\xef\xbb\xbf")
    buffer.seek(0, io.SEEK_END)
    pc_csv.write_csv(pa.table(columns), buffer)
    return buffer.getvalue()


def to_parquet(runs: RunsExport) -> bytes:
    metadata = {
        "as_of": _format_instant(runs.as_of),
        "link": runs.link,
        "note": SAMPLE_NOTE if runs.sample else "",
    }
    buffer = io.BytesIO()
    pq.write_table(_build_rows(runs).replace_schema_metadata(metadata), buffer, compression="zstd")
    return buffer.getvalue()


def _build_rows(runs: RunsExport) -> pa.Table:
    """Build the runs' rows with source, as-of and a note on sample runs."""
    rows = runs.arrays.table.take(pa.array(runs.arrays.rows))
    notes = [
        SAMPLE_NOTE if name.startswith(SAMPLE_PREFIX) else "" for name in rows.column("profile").to_pylist()
    ]
    constant = {"source": SOURCE, "as_of": _format_instant(runs.as_of)}
    for name, value in constant.items():
        rows = rows.append_column(name, pa.array([value] * len(rows), pa.string()))
    return rows.append_column("note", pa.array(notes, pa.string()))


def _format_cells(column: pa.ChunkedArray) -> pa.Array:
    """Convert a column for CSV: escaped text, RFC 3339 or JSON; other types stay unchanged."""
    kind = column.type
    if pa.types.is_list(kind):
        return pa.array([orjson.dumps(parts).decode() for parts in column.to_pylist()], pa.string())
    if pa.types.is_timestamp(kind):
        return pa.array(
            [None if value is None else _format_instant(value) for value in column.to_pylist()], pa.string()
        )
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
        return pa.array(_escape_texts(column.to_pylist()), pa.string())
    return column.combine_chunks()


def _escape_texts(texts: Sequence[str | None]) -> list[str | None]:
    return [None if text is None else escape_formula(text) for text in texts]


def _format_instant(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
