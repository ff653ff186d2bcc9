"""Builds an Arrow stream of runs (IPC streaming format, zstd inside) from independent chunks.

Every chunk belongs to one profile: its dictionaries and one record batch of
:data:`backend.timelines.columns.arrow_schema.SCHEMA`. After the schema message the chunks can follow in any
order, because a stream may replace its dictionaries. A profile's chunk is built once for each change of its
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
from backend.timelines.validation.run_preparation import AdditionalRunFields, RunResponse

END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""The end marker of a stream."""
_RESPONSE_DECODER = msgspec.json.Decoder(list[RunResponse])
_ADDITIONAL_DECODER = msgspec.json.Decoder(list[AdditionalRunFields])


@cache
def beginning() -> bytes:
    """Build the schema message."""
    return bytes(SCHEMA.serialize())


def frames(chunk_count: int) -> list[bytes]:
    """Return the bytes around a number of chunks."""
    return [beginning(), *[b""] * (chunk_count - 1), END] if chunk_count else [beginning() + END]


def build_chunk(rows: Sequence[Row], profiles_by_series: Mapping[int, Profile]) -> bytes:
    """Build the messages of ``rows``, all of one profile."""
    if not rows:
        return b""
    sink = pa.BufferOutputStream()
    # Threads of its own would take three times as long over buffers as small as these.
    options = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
    with pa.ipc.new_stream(sink, SCHEMA, options=options) as writer:
        writer.write_batch(batch(rows, profiles_by_series))
    stream = memoryview(sink.getvalue())
    return bytes(stream[len(beginning()) : -len(END)])


def batch(rows: Sequence[Row], profiles_by_series: Mapping[int, Profile]) -> Any:
    """Build a record batch of :data:`SCHEMA` from ``rows``."""
    runs = _RESPONSE_DECODER.decode(_join_json_array([row.response_json for row in rows]))
    additional = _ADDITIONAL_DECODER.decode(_join_json_array([row.additional_json or b"{}" for row in rows]))
    metrics = [run.metrics for run in runs]
    columns: dict[str, Any] = {
        "profile": names_of([runs[0].profile], [0] * len(rows)),
        "case_id": names([run.case_id for run in runs]),
        "run_id": texts([run.run_id for run in runs]),
        "timestamp": numbers([row.started_us for row in rows], pa.int64()).cast(_INSTANT),
        "finished_at": texts([run.finished_at for run in runs]).cast(_INSTANT),
        "success": truths([run.success for run in runs]),
        "deductions": parts([run.deductions for run in runs]),
        "bonuses": parts([run.bonuses for run in runs]),
        "cost_usd": numbers([fields.cost_usd for fields in additional], pa.float64()),
        "machinery_failure": truths(list(map(_is_infrastructure_failure, runs, additional))),
    }
    columns |= _build_model_columns(rows, profiles_by_series)
    columns |= {name: names([getattr(fields, name) for fields in additional]) for name in EVALUATION_FIELDS}
    columns |= {
        name: numbers([getattr(run_metrics, name) for run_metrics in metrics], SCHEMA.field(name).type)
        for name in Metrics.__struct_fields__
    }
    columns |= {name: numbers([getattr(run, name) for run in runs], pa.float64()) for name in _SCORES}
    return pa.record_batch([columns[field.name] for field in SCHEMA], schema=SCHEMA)


def _build_model_columns(rows: Sequence[Row], profiles_by_series: Mapping[int, Profile]) -> dict[str, Any]:
    index_by_series = {number: index for index, number in enumerate(profiles_by_series)}
    series = [index_by_series[row.series_id] for row in rows]
    return {
        name: names_of([getattr(profile, name) for profile in profiles_by_series.values()], series)
        for name in Profile.__struct_fields__
    }


def _join_json_array(values: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(values) + b"]"


_INSTANT = SCHEMA.field("timestamp").type
_SCORES = ("total_score", "raw_score", "max_score", "normalized_score")


def _is_infrastructure_failure(run: RunResponse, additional: AdditionalRunFields) -> bool:
    return is_infrastructure_failure(run, reported=additional.infrastructure_failure, error=additional.error)
