"""Builds Arrow columns from Python values with NumPy.

``pyarrow.array`` would import pandas, which costs a second and 70 MB that the service does not need.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from backend.timelines.columns.arrow_schema import PARTS
from backend.timelines.model import ScoreAdjustment


def numbers(values: Sequence[float | None], kind: Any) -> Any:
    """Build a column of ``kind``, which is int64 or float64."""
    filled = [0 if value is None else value for value in values]
    data = np.array(filled, dtype=np.int64 if kind == pa.int64() else np.float64)
    return pa.Array.from_buffers(kind, len(values), [_build_validity(values), pa.py_buffer(data)])


def truths(values: Sequence[bool]) -> Any:
    return pa.Array.from_buffers(
        pa.bool_(), len(values), [None, _pack_bits(np.array(values, dtype=np.bool_))]
    )


def texts(values: Sequence[str | None]) -> Any:
    encoded = [b"" if value is None else value.encode() for value in values]
    buffers = [
        _build_validity(values),
        _build_offsets([len(value_bytes) for value_bytes in encoded]),
        pa.py_buffer(b"".join(encoded)),
    ]
    return pa.Array.from_buffers(pa.string(), len(values), buffers)


def names(values: Sequence[str | None]) -> Any:
    """Build a dictionary-encoded column of texts."""
    codes: dict[str, int] = {}
    indexes = [0 if value is None else codes.setdefault(value, len(codes)) for value in values]
    return _build_dictionary_array(np.array(indexes, dtype=np.int32), _build_validity(values), codes)


def names_of(choice: Sequence[str | None], indexes: Sequence[int]) -> Any:
    """Build a dictionary-encoded column whose values are all in ``choice``."""
    codes: dict[str, int] = {}
    coded = [0 if value is None else codes.setdefault(value, len(codes)) for value in choice]
    chosen = np.array(indexes, dtype=np.int32)
    present = np.array([value is not None for value in choice], dtype=np.bool_)
    validity = None if present.all() else _pack_bits(present[chosen])
    return _build_dictionary_array(np.array(coded, dtype=np.int32)[chosen], validity, codes)


def _build_dictionary_array(indexes: npt.NDArray[np.int32], validity: Any, codes: Iterable[str]) -> Any:
    indices = pa.Array.from_buffers(pa.int32(), len(indexes), [validity, pa.py_buffer(indexes)])
    return pa.DictionaryArray.from_arrays(indices, texts(list(codes)))


def parts(lists: Sequence[Sequence[ScoreAdjustment]]) -> Any:
    """Build a column of lists of names and points."""
    flat = [part for adjustments in lists for part in adjustments]
    columns = [names([part.name for part in flat]), numbers([part.points for part in flat], pa.float64())]
    members = pa.StructArray.from_arrays(columns, fields=[PARTS.value_type[0], PARTS.value_type[1]])
    offsets = _build_offsets([len(adjustments) for adjustments in lists])
    return pa.Array.from_buffers(PARTS, len(lists), [None, offsets], children=[members])


def _build_offsets(lengths: Sequence[int]) -> Any:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return pa.py_buffer(offsets)


def _build_validity(values: Sequence[object | None]) -> Any:
    """Build the validity bitmap; None if no value is missing."""
    if None not in values:
        return None
    return _pack_bits(np.array([value is not None for value in values], dtype=np.bool_))


def _pack_bits(values: npt.NDArray[np.bool_]) -> Any:
    return pa.py_buffer(np.packbits(values, bitorder="little"))
