"""Runs as an Arrow stream (IPC streaming format, zstd within), made of pieces that follow each other.

Every piece is of one profile: its dictionaries and one record batch of
:data:`backend.timelines.columns.SCHEMA`. Behind the schema message any of them can follow any other, since
a stream may replace its dictionaries; so a profile's piece is made once, when its runs change.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

import msgspec
import pyarrow as pa

from backend.timelines.check import Entry, Rest
from backend.timelines.columns import NAME, PARTS, SCHEMA
from backend.timelines.model import Metrics, Points, Profile
from backend.timelines.rows import Row

END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""Of a stream."""
_ENTRIES = msgspec.json.Decoder(list[Entry])
_REST = msgspec.json.Decoder(Rest)
_NOTHING = Rest()


@cache
def beginning() -> bytes:
    """The schema message."""
    return bytes(SCHEMA.serialize())


def frames(pieces: int) -> list[bytes]:
    """What stands around so many pieces."""
    return [beginning(), *[b""] * (pieces - 1), END] if pieces else [beginning() + END]


def piece(rows: Sequence[Row], made_with: Mapping[int, Profile]) -> bytes:
    """The messages of ``rows``, all of one profile; ``made_with`` is by their series."""
    if not rows:
        return b""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, SCHEMA, options=options) as writer:
        writer.write_batch(batch(rows, made_with))
    stream = memoryview(sink.getvalue())
    return bytes(stream[len(beginning()) : -len(END)])


def batch(rows: Sequence[Row], made_with: Mapping[int, Profile]) -> Any:
    """``rows`` as a record batch of :data:`SCHEMA`."""
    entries = _ENTRIES.decode(b"[" + b",".join([row.entry for row in rows]) + b"]")
    rests = [_NOTHING if row.rest is None else _REST.decode(row.rest) for row in rows]
    made = [made_with[row.series_id] for row in rows]
    metrics = [entry.metrics for entry in entries]
    columns: dict[str, Any] = {
        "profile": _names([entry.profile for entry in entries]),
        "case_id": _names([entry.case_id for entry in entries]),
        "timestamp": pa.array([row.instant for row in rows], pa.int64()).cast(_INSTANT),
        "finished_at": pa.array([entry.finished_at for entry in entries], pa.string()).cast(_INSTANT),
        "deductions": _parts([entry.deductions for entry in entries]),
        "bonuses": _parts([entry.bonuses for entry in entries]),
        "cost_usd": pa.array([rest.cost_usd for rest in rests], pa.float64()),
        "machinery_failure": pa.array([rest.machinery_failure is True for rest in rests], pa.bool_()),
    }
    columns |= {name: _names([getattr(each, name) for each in made]) for name in Profile.__struct_fields__}
    columns |= {
        name: pa.array([getattr(each, name) for each in metrics], SCHEMA.field(name).type)
        for name in Metrics.__struct_fields__
    }
    columns |= {
        name: pa.array([getattr(each, name) for each in entries], SCHEMA.field(name).type)
        for name in ("run_id", "success", "total_score", "raw_score", "max_score", "normalized_score")
    }
    return pa.record_batch([columns[field.name] for field in SCHEMA], schema=SCHEMA)


_INSTANT = SCHEMA.field("timestamp").type


def _names(values: Iterable[str | None]) -> Any:
    """A dictionary-coded column."""
    codes: dict[str, int] = {}
    places = [None if value is None else codes.setdefault(value, len(codes)) for value in values]
    return pa.DictionaryArray.from_arrays(pa.array(places, NAME.index_type), pa.array(codes, pa.string()))


def _parts(lists: Sequence[Sequence[Points]]) -> Any:
    """A column of names and points."""
    ends = list(accumulate((len(each) for each in lists), initial=0))
    flat = [part for each in lists for part in each]
    points = pa.array([part.points for part in flat], pa.float64())
    struct = pa.StructArray.from_arrays([_names(part.name for part in flat), points], fields=_FIELDS)
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), struct, type=PARTS)


_FIELDS = list(PARTS.value_type)
