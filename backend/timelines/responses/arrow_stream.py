"""Builds an Arrow stream of runs (IPC streaming format, zstd inside) from independent pieces.

Every piece belongs to one profile: its dictionaries and one record batch of
:data:`backend.timelines.columns.arrow_schema.SCHEMA`. After the schema message the pieces can follow in any
order, because a stream may replace its dictionaries. A profile's piece is built once for each change of its
runs.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
import pyarrow as pa

from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.model import EVALUATION_FIELDS, Metrics, Profile
from backend.timelines.responses.arrow_arrays import names, names_of, numbers, parts, texts, truths
from backend.timelines.run_queries import Row
from backend.timelines.statistics.infrastructure_failures import is_infrastructure_failure
from backend.timelines.validation.run_validation import Entry, Rest

END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""The end marker of a stream."""
_ENTRIES = msgspec.json.Decoder(list[Entry])
_RESTS = msgspec.json.Decoder(list[Rest])


@cache
def beginning() -> bytes:
    """Build the schema message."""
    return bytes(SCHEMA.serialize())


def frames(pieces: int) -> list[bytes]:
    """Return the bytes around a number of pieces."""
    return [beginning(), *[b""] * (pieces - 1), END] if pieces else [beginning() + END]


def piece(rows: Sequence[Row], made_with: Mapping[int, Profile]) -> bytes:
    """Build the messages of ``rows``, all of one profile; ``made_with`` maps their series to profiles."""
    if not rows:
        return b""
    sink = pa.BufferOutputStream()
    # Threads of its own would take three times as long over buffers as small as these.
    options = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
    with pa.ipc.new_stream(sink, SCHEMA, options=options) as writer:
        writer.write_batch(batch(rows, made_with))
    stream = memoryview(sink.getvalue())
    return bytes(stream[len(beginning()) : -len(END)])


def batch(rows: Sequence[Row], made_with: Mapping[int, Profile]) -> Any:
    """Build a record batch of :data:`SCHEMA` from ``rows``."""
    entries = _ENTRIES.decode(_join_json_array([row.entry for row in rows]))
    rests = _RESTS.decode(_join_json_array([row.rest or b"{}" for row in rows]))
    metrics = [entry.metrics for entry in entries]
    columns: dict[str, Any] = {
        "profile": names_of([entries[0].profile], [0] * len(rows)),
        "case_id": names([entry.case_id for entry in entries]),
        "run_id": texts([entry.run_id for entry in entries]),
        "timestamp": numbers([row.instant for row in rows], pa.int64()).cast(_INSTANT),
        "finished_at": texts([entry.finished_at for entry in entries]).cast(_INSTANT),
        "success": truths([entry.success for entry in entries]),
        "deductions": parts([entry.deductions for entry in entries]),
        "bonuses": parts([entry.bonuses for entry in entries]),
        "cost_usd": numbers([rest.cost_usd for rest in rests], pa.float64()),
        "machinery_failure": truths(list(map(_is_infrastructure_failure, entries, rests))),
    }
    columns |= _build_model_columns(rows, made_with)
    columns |= {name: names([getattr(rest, name) for rest in rests]) for name in EVALUATION_FIELDS}
    columns |= {
        name: numbers([getattr(run_metrics, name) for run_metrics in metrics], SCHEMA.field(name).type)
        for name in Metrics.__struct_fields__
    }
    columns |= {name: numbers([getattr(entry, name) for entry in entries], pa.float64()) for name in _SCORES}
    return pa.record_batch([columns[field.name] for field in SCHEMA], schema=SCHEMA)


def _build_model_columns(rows: Sequence[Row], made_with: Mapping[int, Profile]) -> dict[str, Any]:
    index_by_series = {number: index for index, number in enumerate(made_with)}
    series = [index_by_series[row.series_id] for row in rows]
    return {
        name: names_of([getattr(profile, name) for profile in made_with.values()], series)
        for name in Profile.__struct_fields__
    }


def _join_json_array(values: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(values) + b"]"


_INSTANT = SCHEMA.field("timestamp").type
_SCORES = ("total_score", "raw_score", "max_score", "normalized_score")


def _is_infrastructure_failure(entry: Entry, rest: Rest) -> bool:
    return is_infrastructure_failure(entry, reported=rest.machinery_failure, error=rest.error)
