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
from backend.timelines.validation.run_validation import PreparedRun

_ENDS = 2**62
_OPTIONAL = ("suite", "revision", "config_digest", "source")


class StoredEvaluation(NamedTuple):
    """A stored evaluation. ``source`` is the name of the file or log. Times are microseconds since 1970."""

    profile: str
    evaluation_id: str
    suite: str | None
    revision: str | None
    config_digest: str | None
    source: str | None
    started: int
    finished: int | None
    runs: int


def add_evaluations(connection: Connection, realm: Realm, runs: Iterable[PreparedRun]) -> None:
    """Add newly stored ``runs`` to their evaluations.

    The first known suite, revision, digest and source of an evaluation stay. It starts with its first run and
    finishes with its last one, or at the times of its file if these are earlier and later.
    """
    parts: dict[str, list[PreparedRun]] = {}
    for run in runs:
        if run.evaluation is not None:
            parts.setdefault(_compute_key(realm, run.profile, run.evaluation.evaluation_id), []).append(run)
    if not parts:
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
        [{"key": key, "realm": realm, **_merge(part)} for key, part in sorted(parts.items())],
    )


def _merge(runs: Sequence[PreparedRun]) -> dict[str, object]:
    """Build the row of the runs of one evaluation."""
    known = [run.evaluation for run in runs if run.evaluation is not None]
    started = [part.started for part in known if part.started is not None]
    finished = [part.finished for part in known if part.finished is not None]
    return {
        "profile": runs[0].profile,
        "evaluation_id": known[0].evaluation_id,
        **{
            name: next((value for part in known if (value := getattr(part, name))), None)
            for name in _OPTIONAL
        },
        "started": min([*started, *(run.instant for run in runs)]),
        "finished": max(finished, default=None),
        "runs": len(runs),
    }


def load_evaluations(
    connection: Connection, realm: Realm, profile: str, *, limit: int = _ENDS
) -> list[StoredEvaluation]:
    """Load the newest evaluations of a profile, newest first."""
    columns = timeline_evaluations.c
    query = (
        sa.select(*(columns[name] for name in StoredEvaluation._fields))
        .where(columns.realm == realm, columns.profile == profile)
        .order_by(columns.started.desc(), columns.key)
        .limit(limit)
    )
    return [StoredEvaluation(*row) for row in connection.execute(query)]


def _compute_key(realm: Realm, profile: str, evaluation_id: str) -> str:
    return sha256(orjson.dumps([realm, profile, evaluation_id])).hexdigest()
