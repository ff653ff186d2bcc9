"""Binds idempotency keys to the submissions that used them first."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection, Row

from backend.errors import Conflict
from backend.jobs.tables import submissions

IDEMPOTENCY_WINDOW = timedelta(hours=24)
"""Within this time a repeated submission with the same idempotency key returns the first answer."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission with an idempotency key, which belongs to ``owner``."""

    owner: str
    key: str
    digest: str
    """See :func:`compute_digest`."""


def compute_digest(kind: str, body: Any) -> str:
    """Hash the kind and the JSON data of a body; the order of fields does not matter."""
    return hashlib.sha256(orjson.dumps([kind, body], option=orjson.OPT_SORT_KEYS)).hexdigest()


def find_earlier(connection: Connection, submission: Submission, *, now: datetime) -> Row[Any] | None:
    """Find the row of the earlier submission with this key.

    Raises :class:`Conflict` if it had another body.
    """
    return _check(connection.execute(_select(submission)).one_or_none(), submission, now)


def bind_key(
    connection: Connection,
    submission: Submission,
    job_id: str,
    *,
    answer: bytes | None = None,
    now: datetime,
) -> Row[Any] | None:
    """Bind the key to a new submission. If it is bound already, return the row of the earlier one instead.

    Concurrent callers with one key wait for each other. Raises as :func:`find_earlier` does.
    """
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    values = {"digest": submission.digest, "job_id": job_id, "answer": answer, "created_at": now}
    inserted = connection.execute(
        insert(submissions)
        .values(submitted_by=submission.owner, idempotency_key=submission.key, **values)
        .on_conflict_do_nothing()
        .returning(submissions.c.job_id)
    )
    if inserted.one_or_none() is not None:
        return None
    earlier = _check(connection.execute(_select(submission).with_for_update()).one(), submission, now)
    if earlier is None:
        rebind_key(connection, submission, values)
    return earlier


def rebind_key(connection: Connection, submission: Submission, values: Mapping[str, Any]) -> None:
    """Bind the key to another submission, with ``values`` in place of those of the earlier one."""
    connection.execute(sa.update(submissions).where(*_is_key_of(submission)).values(values))


def _check(row: Row[Any] | None, submission: Submission, now: datetime) -> Row[Any] | None:
    if row is None or row.created_at <= now - IDEMPOTENCY_WINDOW:
        return None
    if row.digest != submission.digest:
        raise Conflict(
            "This Idempotency-Key was used with another submission. Send a new key with a new "
            "submission, or the same body again."
        )
    return row


def _select(submission: Submission) -> sa.Select[tuple[Any, ...]]:
    return sa.select(submissions).where(*_is_key_of(submission))


def _is_key_of(submission: Submission) -> tuple[sa.ColumnElement[bool], ...]:
    return submissions.c.submitted_by == submission.owner, submissions.c.idempotency_key == submission.key
