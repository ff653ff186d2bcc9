"""What workers change on jobs: take up, start, step, end. Each is one transaction.

A job ends once: every end asks that the row is still running, and whoever comes second finds that it
is not and drops what it has.
"""

import functools
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.jobs.job_store import UNFINISHED, WHOLE, as_job
from backend.jobs.model import LONGEST_WAIT, UNTOUCHED, Job, overdue_sentence
from backend.jobs.schemas import JobKind
from backend.jobs.tables import job_steps, jobs
from backend.store.database import Database, upsert

Publish = Callable[[Connection, Job, Mapping[str, Any], datetime], None]
"""Stores what else follows from a result, in the transaction that completes the job."""
WAITING = (jobs.c.status == "pending", jobs.c.enqueued_at.is_(None))


def anything_waits(database: Database, kinds: Collection[JobKind]) -> bool:
    """Cheap, since it is asked many times a second."""
    with database.read() as connection:
        return connection.execute(_waiting(tuple(kinds))).first() is not None


@functools.cache
def _waiting(kinds: tuple[JobKind, ...]) -> sa.Select[tuple[str]]:
    """Made once, since to make it costs more than to ask it."""
    return sa.select(jobs.c.id).where(*WAITING, sa.or_(*(jobs.c.kind == kind for kind in kinds))).limit(1)


def take_up(database: Database, kind: JobKind, *, limit: int, now: datetime) -> list[str]:
    """The ids of the jobs that have waited longest, now nobody else's; ``limit`` at the most."""
    oldest = (
        sa.select(jobs.c.id)
        .where(*WAITING, jobs.c.kind == kind)
        .order_by(jobs.c.created_at, jobs.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
        .cte("oldest")  # which PostgreSQL reads once, where it might read a plain subquery for each row
    )
    taken = (
        sa.update(jobs)
        .where(jobs.c.id.in_(sa.select(oldest.c.id)))
        .values(enqueued_at=now)
        .returning(jobs.c.created_at, jobs.c.id)
    )
    with database.write() as connection:
        return [row.id for row in sorted(connection.execute(taken).all())]


def put_back(database: Database, ids: Collection[str]) -> None:
    """Let jobs that were taken up and not started wait again."""
    with database.write() as connection:
        connection.execute(
            sa.update(jobs).where(jobs.c.id.in_(ids), jobs.c.status == "pending").values(enqueued_at=None)
        )


def put_back_forgotten(database: Database, *, taken_before: datetime) -> list[str]:
    """The same for all that were taken up before an instant: their process died between the two."""
    forgotten = sa.select(jobs.c.id).where(jobs.c.status == "pending", jobs.c.enqueued_at < taken_before)
    with database.read() as connection:  # a read takes no lock, and there are hardly ever any
        ids = list(connection.execute(forgotten).scalars())
    if ids:
        put_back(database, ids)
    return ids


def begin_anew(connection: Connection) -> int:
    """Let all unfinished jobs wait as on their first day, over a job engine that knows of none of them;
    gives how many. For a store that was restored, while nothing works."""
    unfinished = jobs.c.status.in_(UNFINISHED)
    theirs = job_steps.c.job_id.in_(sa.select(jobs.c.id).where(unfinished))
    connection.execute(sa.delete(job_steps).where(theirs))
    fresh = {"status": "pending", "enqueued_at": None, "started_at": None, "attempt_at": None}
    return connection.execute(sa.update(jobs).where(unfinished).values(fresh)).rowcount


def start(database: Database, job_id: str, *, now: datetime, taken_at: datetime | None = None) -> Job | None:
    """Set a job running, for the first time or once more; none where it has ended.

    ``taken_at`` is when whoever starts it took it up: one that was put back since then is another's.
    """
    mine = [jobs.c.id == job_id, jobs.c.status.in_(UNFINISHED)]
    if taken_at is not None:
        mine.append(jobs.c.enqueued_at == taken_at)
    begun = {
        "status": "running",
        "attempt_at": now,
        "started_at": sa.func.coalesce(jobs.c.started_at, sa.literal(now, jobs.c.started_at.type)),
    }
    with database.write() as connection:
        row = connection.execute(sa.update(jobs).where(*mine).values(begun).returning(*WHOLE)).one_or_none()
    return None if row is None else as_job(row)


def still_runs(database: Database, job_id: str) -> bool:
    wanted = sa.select(jobs.c.id).where(jobs.c.id == job_id, jobs.c.status == "running")
    with database.read() as connection:
        return connection.execute(wanted).first() is not None


def begin_step(database: Database, job_id: str, position: int, name: str, *, now: datetime) -> None:
    """A step that a dead process had begun begins anew."""
    row = {"job_id": job_id, "position": position, "name": name, "started_at": now}
    with database.write() as connection:
        upsert(connection, job_steps, [{**row, "finished_at": None, "detail": "{}"}])


def finish_step(
    database: Database, job_id: str, position: int, detail: Mapping[str, Any], *, now: datetime
) -> None:
    this = (job_steps.c.job_id == job_id, job_steps.c.position == position)
    done = {"finished_at": now, "detail": orjson.dumps(dict(detail)).decode()}
    with database.write() as connection:
        connection.execute(sa.update(job_steps).where(*this).values(done))


def complete(
    database: Database, job: Job, result: Mapping[str, Any], publish: Publish | None, *, now: datetime
) -> bool:
    """Store the result and publish it, both or neither; false when the job has ended already."""
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
    """End a job that runs with a sentence; false when it has ended already."""
    still = (jobs.c.id == job_id, jobs.c.status == "running")
    ended = {"status": "failed", "error": sentence, "completed_at": now}
    with database.write() as connection:
        return bool(connection.execute(sa.update(jobs).where(*still).values(ended)).rowcount)


def give_up_waiting(database: Database, *, now: datetime) -> list[str]:
    """End the jobs that nobody took up within :data:`LONGEST_WAIT`."""
    waiting = (*WAITING, jobs.c.created_at < now - LONGEST_WAIT)
    with database.read() as connection:
        if connection.execute(sa.select(jobs.c.id).where(*waiting).limit(1)).first() is None:
            return []
    ended = {"status": "failed", "error": UNTOUCHED, "completed_at": now}
    with database.write() as connection:
        statement = sa.update(jobs).where(*waiting).values(ended).returning(jobs.c.id)
        return list(connection.execute(statement).scalars())


def fail_overdue(database: Database, *, timeout: timedelta, now: datetime) -> list[str]:
    """End the jobs whose latest start is longer ago than ``timeout``, whatever their threads do."""
    overdue = (jobs.c.status == "running", jobs.c.attempt_at < now - timeout)
    with database.read() as connection:
        if connection.execute(sa.select(jobs.c.id).where(*overdue).limit(1)).first() is None:
            return []
    sentence = overdue_sentence(timeout.total_seconds())
    ended = {"status": "failed", "error": sentence, "completed_at": now}
    with database.write() as connection:
        statement = sa.update(jobs).where(*overdue).values(ended).returning(jobs.c.id)
        return list(connection.execute(statement).scalars())
