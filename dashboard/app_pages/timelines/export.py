"""Exports the selected runs as files, with source and as-of in every row. Pure; fast at 100,000 runs.

Columns are named as the fields of a run; deductions and bonuses are JSON in CSV and lists in Parquet.
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
_PARTS = ("deductions", "bonuses")


@dataclass(frozen=True, slots=True)
class Runs:
    """The visible runs, the time of the service's last confirmation, and a link to the view."""

    arrays: RunArrays
    as_of: datetime
    link: str

    @property
    def sample(self) -> bool:
        return any(self.arrays.profiles[one].startswith(SAMPLE_PREFIX) for one in set(self.arrays.profile))


def to_csv(runs: Runs) -> bytes:
    """Write CSV in UTF-8 with a byte order mark for spreadsheets; cells are guarded against formulas."""
    taken = _taken(runs)
    columns = {name: _cells(taken.column(name)) for name in taken.column_names}
    out = io.BytesIO(b"\xef\xbb\xbf")
    out.seek(0, io.SEEK_END)
    pc_csv.write_csv(pa.table(columns), out)
    return out.getvalue()


def to_parquet(runs: Runs) -> bytes:
    told = {"as_of": _written(runs.as_of), "link": runs.link, "note": SAMPLE_NOTE if runs.sample else ""}
    out = io.BytesIO()
    pq.write_table(_taken(runs).replace_schema_metadata(told), out, compression="zstd")
    return out.getvalue()


def _taken(runs: Runs) -> pa.Table:
    """The runs' rows with source, as-of and a note on sample runs."""
    taken = runs.arrays.table.take(pa.array(runs.arrays.rows))
    notes = [
        SAMPLE_NOTE if name.startswith(SAMPLE_PREFIX) else "" for name in taken.column("profile").to_pylist()
    ]
    constant = {"source": SOURCE, "as_of": _written(runs.as_of)}
    for name, value in constant.items():
        taken = taken.append_column(name, pa.array([value] * len(taken), pa.string()))
    return taken.append_column("note", pa.array(notes, pa.string()))


def _cells(column: pa.ChunkedArray) -> pa.Array:
    """Convert a column for CSV: guarded text, RFC 3339 or JSON; other types stay unchanged."""
    kind = column.type
    if pa.types.is_list(kind):
        return pa.array([orjson.dumps(parts).decode() for parts in column.to_pylist()], pa.string())
    if pa.types.is_timestamp(kind):
        return pa.array([None if one is None else _written(one) for one in column.to_pylist()], pa.string())
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
        return pa.array(_guarded(column.to_pylist()), pa.string())
    return column.combine_chunks()


def _guarded(texts: Sequence[str | None]) -> list[str | None]:
    return [None if text is None else escape_formula(text) for text in texts]


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
