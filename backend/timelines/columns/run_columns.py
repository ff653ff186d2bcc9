"""Converts submitted runs into columns for charts and statistics."""

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from backend.formats.timestamps import parse_instant
from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.model import EVALUATION_FIELDS, Profile, Run, ScoreAdjustment
from backend.timelines.statistics.infrastructure_failures import is_infrastructure_failure

_METRICS = (
    "read_file_calls",
    "write_file_calls",
    "list_dir_calls",
    "read_write_ratio",
    "pre_write_read_coverage",
)
_OWN = ("provider", "model", "model_vendor", "inference_provider")
_AS_THEY_ARE = (
    "case_id",
    "run_id",
    "success",
    "total_score",
    "raw_score",
    "max_score",
    "normalized_score",
    "cost_usd",
    *EVALUATION_FIELDS,
)


def columns_of(runs: Iterable[Run], profiles: Mapping[str, Profile] | None = None) -> pa.Table:
    """The columns of ``runs``, oldest first within their profile and by run id where instants are equal.

    A run's profile gives what it does not say itself. Raises :class:`ValueError` for a run without a profile
    and for a wrong instant.
    """
    profiles_by_name = profiles or {}
    rows = sorted((_build_row(run, profiles_by_name) for run in runs), key=_get_sort_key)
    arrays = [pa.array([row[field.name] for row in rows], _drop_dictionaries(field.type)) for field in SCHEMA]
    plain_table = pa.table(arrays, names=SCHEMA.names)
    return plain_table.cast(SCHEMA) if len(rows) else SCHEMA.empty_table()


def _get_sort_key(row: Mapping[str, object]) -> tuple[object, ...]:
    return row["profile"], row["timestamp"], row["run_id"]


def _build_row(run: Run, profiles: Mapping[str, Profile]) -> dict[str, object]:
    if run.profile is None:
        raise ValueError(f"run {run.run_id}: names no profile")
    profile = profiles.get(run.profile, Profile())
    row: dict[str, object] = {name: getattr(run, name) for name in _AS_THEY_ARE}
    row |= {name: getattr(run.metrics, name) for name in _METRICS}
    row |= {name: getattr(run, name) or getattr(profile, name) for name in _OWN}
    row |= {"deductions": _encode_adjustments(run.deductions), "bonuses": _encode_adjustments(run.bonuses)}
    try:
        finished = parse_instant(run.finished_at) if run.finished_at else None
        row |= {"timestamp": parse_instant(run.timestamp), "finished_at": finished}
    except ValueError as error:
        raise ValueError(f"run {run.run_id}: its time {error}") from None
    return row | {"profile": run.profile, "machinery_failure": _is_infrastructure_failure(run)}


def _is_infrastructure_failure(run: Run) -> bool:
    return is_infrastructure_failure(run, reported=run.infrastructure_failure, error=run.error)


def _encode_adjustments(parts: Sequence[ScoreAdjustment]) -> list[dict[str, object]]:
    return [{"name": part.name, "points": part.points} for part in parts]


def _drop_dictionaries(kind: pa.DataType) -> pa.DataType:
    """The type without dictionaries, which Arrow does not build inside lists."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_list(kind):
        return pa.list_(
            pa.struct([(field.name, _drop_dictionaries(field.type)) for field in kind.value_type])
        )
    return kind
