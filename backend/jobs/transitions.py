"""Changes the state of jobs for workers: claim, start, step and end, each in one transaction.

A job ends once: every end requires that the row is still running. The second writer finds that it is not,
and drops its result.
"""

import functools
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.jobs.job_kinds import JobKind
from backend.jobs.job_store import JOB_COLUMNS, UNFINISHED, build_job
from backend.jobs.model import MAX_WAIT, NEVER_STARTED, Job, timeout_message
from backend.jobs.tables import job_steps, jobs
from backend.store.database import Database, upsert

Publish = Callable[[Connection, Job, Mapping[str, Any], datetime], None]
"""Stores further data of a result, in the transaction that completes the job."""
WAITING = (jobs.c.status == "pending", jobs.c.enqueued_at.is_(None))


def has_waiting_jobs(database: Database, kinds: Collection[JobKind]) -> bool:
    """Whether jobs of these kinds wait. Cheap, since it is called many times a second."""
    with database.read() as connection:
        return connection.execute(_waiting(tuple(kinds))).first() is not None


@functools.cache
def _waiting(kinds: tuple[JobKind, ...]) -> sa.Select[tuple[str]]:
    """Build the query; cached, since building it costs more than running it."""
    return sa.select(jobs.c.id).where(*WAITING, sa.or_(*(jobs.c.kind == kind for kind in kinds))).limit(1)


def claim(database: Database, kind: JobKind, *, limit: int, now: datetime) -> list[str]:
    """Claim up to ``limit`` jobs that have waited longest; returns their ids."""
    oldest = (
        sa.select(jobs.c.id)
        .where(*WAITING, jobs.c.kind == kind)
        .order_by(jobs.c.created_at, jobs.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
        .cte("oldest")  # PostgreSQL evaluates it once; it might evaluate a subquery for each row
    )
    statement = (
        sa.update(jobs)
        .where(jobs.c.id.in_(sa.select(oldest.c.id)))
        .values(enqueued_at=now)
        .returning(jobs.c.created_at, jobs.c.id)
    )
    with database.write() as connection:
        return [row.id for row in sorted(connection.execute(statement).all())]


def release_claims(database: Database, ids: Collection[str]) -> None:
    """Release jobs that were claimed and not started, so that they wait again."""
    with database.write() as connection:
        connection.execute(
            sa.update(jobs).where(jobs.c.id.in_(ids), jobs.c.status == "pending").values(enqueued_at=None)
        )


def release_stale_claims(database: Database, *, taken_before: datetime) -> list[str]:
    """Release all jobs claimed before an instant and not started, since their process died."""
    forgotten = sa.select(jobs.c.id).where(jobs.c.status == "pending", jobs.c.enqueued_at < taken_before)
    with database.read() as connection:  # a read takes no lock, and there are hardly ever any
        ids = list(connection.execute(forgotten).scalars())
    if ids:
        release_claims(database, ids)
    return ids


def reset_unfinished(connection: Connection) -> int:
    """Reset all unfinished jobs to waiting without steps; returns their number.

    For a restored store whose job engine has no workflows of them, while no worker runs.
    """
    unfinished = jobs.c.status.in_(UNFINISHED)
    is_of_unfinished_job = job_steps.c.job_id.in_(sa.select(jobs.c.id).where(unfinished))
    connection.execute(sa.delete(job_steps).where(is_of_unfinished_job))
    pending_values = {"status": "pending", "enqueued_at": None, "started_at": None, "attempt_at": None}
    return connection.execute(sa.update(jobs).where(unfinished).values(pending_values)).rowcount


def start(database: Database, job_id: str, *, now: datetime, taken_at: datetime | None = None) -> Job | None:
    """Start a job, for the first time or again; None if it has ended.

    ``taken_at`` is the time of the caller's claim; None too if the job was released since.
    """
    conditions = [jobs.c.id == job_id, jobs.c.status.in_(UNFINISHED)]
    if taken_at is not None:
        conditions.append(jobs.c.enqueued_at == taken_at)
    running_values = {
        "status": "running",
        "attempt_at": now,
        "started_at": sa.func.coalesce(jobs.c.started_at, sa.literal(now, jobs.c.started_at.type)),
    }
    with database.write() as connection:
        row = connection.execute(
            sa.update(jobs).where(*conditions).values(running_values).returning(*JOB_COLUMNS)
        ).one_or_none()
    return None if row is None else build_job(row)


def is_running(database: Database, job_id: str) -> bool:
    query = sa.select(jobs.c.id).where(jobs.c.id == job_id, jobs.c.status == "running")
    with database.read() as connection:
        return connection.execute(query).first() is not None


def begin_step(database: Database, job_id: str, position: int, name: str, *, now: datetime) -> None:
    """Record the start of a step; replaces the record of an interrupted attempt."""
    row = {"job_id": job_id, "position": position, "name": name, "started_at": now}
    with database.write() as connection:
        upsert(connection, job_steps, [{**row, "finished_at": None, "detail": "{}"}])


def finish_step(
    database: Database, job_id: str, position: int, detail: Mapping[str, Any], *, now: datetime
) -> None:
    is_this_step = (job_steps.c.job_id == job_id, job_steps.c.position == position)
    finished_values = {"finished_at": now, "detail": orjson.dumps(dict(detail)).decode()}
    with database.write() as connection:
        connection.execute(sa.update(job_steps).where(*is_this_step).values(finished_values))


def complete(
    database: Database, job: Job, result: Mapping[str, Any], publish: Publish | None, *, now: datetime
) -> bool:
    """Store and publish the result in one transaction; returns false if the job has ended already."""
    body = orjson.dumps(dict(result)).decode()
    still = (jobs.c.id == job.id, jobs.c.status == "running")
    ended = {"status": "completed", "result": body, "completed_at": now}
    with database.write() as connection:
        if not connection.execute(sa.update(jobs).where(*still).values(ended)).rowcount:
            return False
        if publish is not None:
            publish(connection, job, result, now)
        return True


def fail(database: Database, job_id: str, sentence: str, *, now: datetime) -> bool:
    """Fail a running job with an error text; returns false if it has ended already."""
    still = (jobs.c.id == job_id, jobs.c.status == "running")
    ended = {"status": "failed", "error": sentence, "completed_at": now}
    with database.write() as connection:
        return bool(connection.execute(sa.update(jobs).where(*still).values(ended)).rowcount)


def fail_never_started(database: Database, *, now: datetime) -> list[str]:
    """Fail the jobs that no worker claimed within :data:`MAX_WAIT`; returns their ids."""
    waiting = (*WAITING, jobs.c.created_at < now - MAX_WAIT)
    with database.read() as connection:
        if connection.execute(sa.select(jobs.c.id).where(*waiting).limit(1)).first() is None:
            return []
    ended = {"status": "failed", "error": NEVER_STARTED, "completed_at": now}
    with database.write() as connection:
        statement = sa.update(jobs).where(*waiting).values(ended).returning(jobs.c.id)
        return list(connection.execute(statement).scalars())


def fail_overdue(database: Database, *, timeout: timedelta, now: datetime) -> list[str]:
    """Fail the jobs whose latest start is longer ago than ``timeout``, even if their threads still run."""
    overdue = (jobs.c.status == "running", jobs.c.attempt_at < now - timeout)
    with database.read() as connection:
        if connection.execute(sa.select(jobs.c.id).where(*overdue).limit(1)).first() is None:
            return []
    sentence = timeout_message(timeout.total_seconds())
    ended = {"status": "failed", "error": sentence, "completed_at": now}
    with database.write() as connection:
        statement = sa.update(jobs).where(*overdue).values(ended).returning(jobs.c.id)
        return list(connection.execute(statement).scalars())
