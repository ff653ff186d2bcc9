"""The runs of a case or a profile, and one run: its neighbours in time and its score in steps. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from backend.timelines.columns.run_arrays import Ints, RunArrays, instant

MOST_RUNS = 300
MOST_STEPS = 10
"""Deductions, and bonuses, that have a step of their own; the smaller rest shares one."""


@dataclass(frozen=True, slots=True)
class RunRow:
    run_id: str
    profile: str
    case: str
    at: datetime
    score: float
    success: bool
    machinery: bool
    model: str | None


class RunList(NamedTuple):
    """The newest first, and how many older ones are not shown."""

    rows: tuple[RunRow, ...]
    hidden: int


def runs_of(
    chosen: RunArrays, case: str | None, profiles: Sequence[str] = (), most: int = MOST_RUNS
) -> RunList:
    """The runs of ``case`` (of all, where none is named) by ``profiles`` (by all), newest first."""
    kept = np.ones(len(chosen), dtype=bool)
    if case is not None:
        place = chosen.cases.index(case) if case in chosen.cases else -1
        kept &= chosen.case == place
    if profiles:
        kept &= np.isin(chosen.profile, [n for n, name in enumerate(chosen.profiles) if name in profiles])
    found = np.flatnonzero(kept)
    newest = found[np.argsort(-chosen.time[found], kind="stable")]
    return RunList(_rows(chosen, newest[:most]), max(0, len(newest) - most))


def _rows(chosen: RunArrays, places: Ints) -> tuple[RunRow, ...]:
    rows = pa.array(chosen.rows[places])
    columns = ("run_id", "success", "machinery_failure", "model")
    told = [chosen.table.column(name).take(rows).to_pylist() for name in columns]
    return tuple(
        RunRow(
            run_id,
            chosen.profiles[chosen.profile[place]],
            chosen.cases[chosen.case[place]],
            instant(int(chosen.time[place])),
            float(chosen.score[place]),
            bool(success),
            bool(machinery),
            model,
        )
        for place, run_id, success, machinery, model in zip(places, *told, strict=True)
    )


class Neighbours(NamedTuple):
    """The runs of the same case and profile before and after, and which of how many this one is."""

    previous: str | None
    following: str | None
    place: int
    of: int


def neighbours(chosen: RunArrays, run_id: str) -> Neighbours | None:
    """Null where the selection does not hold the run."""
    found = pc.index(chosen.table.column("run_id"), run_id).as_py()
    here = np.flatnonzero(chosen.rows == found) if found >= 0 else np.array([], dtype=np.int64)
    if not len(here):
        return None
    same = (chosen.profile == chosen.profile[here[0]]) & (chosen.case == chosen.case[here[0]])
    line = np.flatnonzero(same)
    place = int(np.searchsorted(line, here[0]))
    before, after = line[max(place - 1, 0) : place], line[place + 1 : place + 2]
    previous, following = (next(iter(chosen.run_ids(each)), None) for each in (before, after))
    return Neighbours(previous, following, place + 1, len(line))


StepKind = Literal["raw", "lost", "won", "total"]


class Step(NamedTuple):
    """``amount`` as it moves the score; ``name`` is empty but for a part; ``parts`` counts a rest."""

    kind: StepKind
    name: str
    amount: float
    parts: int = 1


def steps(run: Mapping[str, Any], most: int = MOST_STEPS) -> tuple[Step, ...]:
    """From the raw score over what was lost and won, the most first, to the total."""
    lost, won = _steps(run["deductions"], "lost", most), _steps(run["bonuses"], "won", most)
    return (
        Step("raw", "", float(run["raw_score"])),
        *lost,
        *won,
        Step("total", "", float(run["total_score"])),
    )


def _steps(parts: Sequence[Mapping[str, Any]], kind: StepKind, most: int) -> list[Step]:
    sign = -1 if kind == "lost" else 1
    ordered = sorted(parts, key=lambda part: -float(part["points"]))
    shown = ordered if len(ordered) <= most + 1 else ordered[:most]
    found = [Step(kind, part["name"], sign * float(part["points"])) for part in shown]
    rest = ordered[len(shown) :]
    if rest:
        found.append(Step(kind, "", sign * sum(float(part["points"]) for part in rest), len(rest)))
    return found


def number(value: float) -> str:
    """A score or points as they are read: at most four digits behind the point, with thousands."""
    written = f"{abs(value):,.4f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else f"{abs(value):.4g}"
    return f"\u2212{written}" if value < 0 and written != "0" else written
