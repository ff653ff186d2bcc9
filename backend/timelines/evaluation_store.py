"""Stores and loads evaluations: runs of a profile that were made together."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection

from backend.timelines.model import Realm
from backend.timelines.tables import timeline_evaluations
from backend.timelines.validation.run_preparation import PreparedRun

_ENDS = 2**62
_OPTIONAL = ("suite", "revision", "config_digest", "source")
_COLUMNS = ("profile", "evaluation_id", *_OPTIONAL, "started", "finished", "runs")
"""Columns in the order of :class:`StoredEvaluation`."""


class StoredEvaluation(NamedTuple):
    """A stored evaluation. ``source`` is the name of the file or log; times are microseconds since 1970."""

    profile: str
    evaluation_id: str
    suite: str | None
    revision: str | None
    config_digest: str | None
    source: str | None
    started_us: int
    finished_us: int | None
    runs: int


def add_evaluations(connection: Connection, realm: Realm, runs: Iterable[PreparedRun]) -> None:
    """Add newly stored ``runs`` to their evaluations.

    The first known suite, revision, digest and source of an evaluation stay. It starts with its first run and
    finishes with its last one, or at the times of its file if these are earlier and later.
    """
    runs_by_key: dict[str, list[PreparedRun]] = {}
    for run in runs:
        if run.evaluation is not None:
            runs_by_key.setdefault(_compute_key(realm, run.profile, run.evaluation.evaluation_id), []).append(
                run
            )
    if not runs_by_key:
        return
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    statement = insert(timeline_evaluations)
    old, new = timeline_evaluations.c, statement.excluded
    merged: dict[str, sa.ColumnElement[object]] = {
        name: sa.func.coalesce(old[name], new[name]) for name in _OPTIONAL
    }
    merged["started"] = sa.case((new.started < old.started, new.started), else_=old.started)
    merged["finished"] = sa.case(
        (old.finished.is_(None), new.finished),
        (new.finished > old.finished, new.finished),
        else_=old.finished,
    )
    merged["runs"] = old.runs + new.runs
    connection.execute(
        statement.on_conflict_do_update(index_elements=["key"], set_=merged),
        [{"key": key, "realm": realm, **_merge(group)} for key, group in sorted(runs_by_key.items())],
    )


def _merge(runs: Sequence[PreparedRun]) -> dict[str, object]:
    """Build the row of the runs of one evaluation."""
    known = [run.evaluation for run in runs if run.evaluation is not None]
    starts = [evaluation.started_us for evaluation in known if evaluation.started_us is not None]
    ends = [evaluation.finished_us for evaluation in known if evaluation.finished_us is not None]
    return {
        "profile": runs[0].profile,
        "evaluation_id": known[0].evaluation_id,
        **{
            name: next((value for evaluation in known if (value := getattr(evaluation, name))), None)
            for name in _OPTIONAL
        },
        "started": min([*starts, *(run.started_us for run in runs)]),
        "finished": max(ends, default=None),
        "runs": len(runs),
    }


def load_evaluations(
    connection: Connection, realm: Realm, profile: str, *, limit: int = _ENDS
) -> list[StoredEvaluation]:
    """Load the newest evaluations of a profile, newest first."""
    columns = timeline_evaluations.c
    query = (
        sa.select(*(columns[name] for name in _COLUMNS))
        .where(columns.realm == realm, columns.profile == profile)
        .order_by(columns.started.desc(), columns.key)
        .limit(limit)
    )
    return [StoredEvaluation(*row) for row in connection.execute(query)]


def _compute_key(realm: Realm, profile: str, evaluation_id: str) -> str:
    return sha256(orjson.dumps([realm, profile, evaluation_id])).hexdigest()
