"""Lists the runs of a case or profile, a run's neighbours in time, and the steps of its score. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from backend.timelines.columns.run_arrays import Ints, RunArrays, instant

MAX_RUNS = 300
MAX_STEPS = 10
"""Maximum number of deductions, and of bonuses, with their own step; the rest shares one step."""


@dataclass(frozen=True, slots=True)
class RunRow:
    run_id: str
    profile: str
    case: str
    at: datetime
    score: float
    success: bool
    infrastructure_error: bool
    model: str | None


class RunList(NamedTuple):
    """Runs, newest first, and the number of older runs left out."""

    rows: tuple[RunRow, ...]
    hidden_count: int


def list_runs(
    arrays: RunArrays, case: str | None, profiles: Sequence[str] = (), limit: int = MAX_RUNS
) -> RunList:
    """List the runs of ``case`` by ``profiles``, newest first; None or empty means all."""
    selected = np.ones(len(arrays), dtype=bool)
    if case is not None:
        index = arrays.cases.index(case) if case in arrays.cases else -1
        selected &= arrays.case == index
    if profiles:
        selected &= np.isin(arrays.profile, [n for n, name in enumerate(arrays.profiles) if name in profiles])
    matching = np.flatnonzero(selected)
    newest = matching[np.argsort(-arrays.time[matching], kind="stable")]
    return RunList(_build_rows(arrays, newest[:limit]), max(0, len(newest) - limit))


def _build_rows(arrays: RunArrays, indexes: Ints) -> tuple[RunRow, ...]:
    rows = pa.array(arrays.rows[indexes])
    columns = ("run_id", "success", "machinery_failure", "model")
    values = [arrays.table.column(name).take(rows).to_pylist() for name in columns]
    return tuple(
        RunRow(
            run_id,
            arrays.profiles[arrays.profile[index]],
            arrays.cases[arrays.case[index]],
            instant(int(arrays.time[index])),
            float(arrays.score[index]),
            bool(success),
            bool(machinery),
            model,
        )
        for index, run_id, success, machinery, model in zip(indexes, *values, strict=True)
    )


class Neighbours(NamedTuple):
    """The ids of the runs of the same case and profile before and after a run, and the run's position."""

    previous: str | None
    following: str | None
    position: int
    """From 1 to ``total``."""
    total: int


def find_neighbours(arrays: RunArrays, run_id: str) -> Neighbours | None:
    """Find a run's neighbours; None if the selection does not contain the run."""
    row_index = pc.index(arrays.table.column("run_id"), run_id).as_py()
    matches = np.flatnonzero(arrays.rows == row_index) if row_index >= 0 else np.array([], dtype=np.int64)
    if not len(matches):
        return None
    same_series = (arrays.profile == arrays.profile[matches[0]]) & (arrays.case == arrays.case[matches[0]])
    series = np.flatnonzero(same_series)
    index = int(np.searchsorted(series, matches[0]))
    earlier, later = series[max(index - 1, 0) : index], series[index + 1 : index + 2]
    previous, following = (next(iter(arrays.run_ids(run_slice)), None) for run_slice in (earlier, later))
    return Neighbours(previous, following, index + 1, len(series))


StepKind = Literal["raw", "lost", "won", "total"]


class Step(NamedTuple):
    """A step of the score. ``amount`` is signed. ``name`` is empty except for a single deduction or bonus.

    ``parts`` is the number of deductions or bonuses that share the step.
    """

    kind: StepKind
    name: str
    amount: float
    parts: int = 1


def build_steps(run: Mapping[str, Any], limit: int = MAX_STEPS) -> tuple[Step, ...]:
    """Build the steps from the raw score over deductions and bonuses, largest first, to the total."""
    return (
        Step("raw", "", float(run["raw_score"])),
        *_build_part_steps(run["deductions"], "lost", limit),
        *_build_part_steps(run["bonuses"], "won", limit),
        Step("total", "", float(run["total_score"])),
    )


def _build_part_steps(parts: Sequence[Mapping[str, Any]], kind: StepKind, limit: int) -> list[Step]:
    sign = -1 if kind == "lost" else 1
    ordered = sorted(parts, key=lambda part: -float(part["points"]))
    listed_parts = ordered if len(ordered) <= limit + 1 else ordered[:limit]
    row_index = [Step(kind, part["name"], sign * float(part["points"])) for part in listed_parts]
    unlisted_parts = ordered[len(listed_parts) :]
    if unlisted_parts:
        row_index.append(
            Step(kind, "", sign * sum(float(part["points"]) for part in unlisted_parts), len(unlisted_parts))
        )
    return row_index


def format_amount(value: float) -> str:
    """Format a score or points with at most four decimal places and thousands separators."""
    formatted = f"{abs(value):,.4f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else f"{abs(value):.4g}"
    return f"\u2212{formatted}" if value < 0 and formatted != "0" else formatted
