"""Stores submitted jobs for their callers: submit, read, list, watch and cancel.

A job is accepted when the transaction that inserts its row is on the disk. Nothing else is needed to run it:
the workers poll the same table (:mod:`backend.jobs.dispatcher`).
"""

import struct
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.errors import BadRequest, FieldError
from backend.jobs.idempotency import Submission, bind_key, compute_digest, rebind_key
from backend.jobs.job_kinds import JobKind
from backend.jobs.model import CANCELLED, MAX_TITLE_CHARS, Job, JobSummary, Step
from backend.jobs.schemas import Waiting
from backend.jobs.tables import job_steps, jobs
from backend.store.database import Database, UtcTime

UNFINISHED = ("pending", "running")
MAX_IDS_PER_QUERY = 500
SUMMARY_COLUMNS = tuple(jobs.c[name] for name in JobSummary.__dataclass_fields__)
JOB_COLUMNS = tuple(
    jobs.c[{"input_json": "input", "result_json": "result"}.get(name, name)].label(name)
    for name in Job.__dataclass_fields__
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_POSITION = struct.Struct(">q16s")


def submit(
    database: Database,
    kind: JobKind,
    body: Mapping[str, Any],
    *,
    title: str = "",
    submitted_by: str,
    idempotency_key: str | None,
    now: datetime,
) -> Job:
    """Accept a job; it is on the disk when this returns.

    ``body`` is plain JSON data, ``title`` a label for people (cut to 200 characters) and ``submitted_by``
    the owner of the job and of the key. The same key with the same kind and body within 24 hours returns
    the first job. Raises :class:`~backend.errors.Conflict` when the key was used with
    another body or kind.
    """
    row = _build_row(kind, body, title=title, submitted_by=submitted_by, now=now)
    with database.write() as connection:
        if idempotency_key is not None:
            submission = Submission(submitted_by, idempotency_key, compute_digest(kind, body))
            earlier = _find_submitted(connection, submission, row)
            if earlier is not None:
                return earlier
        connection.execute(sa.insert(jobs).values(row))
    return Job(
        id=row["id"],
        kind=kind,
        status="pending",
        title=row["title"],
        created_at=now,
        started_at=None,
        completed_at=None,
        error=None,
        submitted_by=submitted_by,
        attempt_at=None,
        input_json=row["input"],
        result_json=None,
    )


def read(database: Database, kind: JobKind, job_id: str, *, owner: str | None) -> Job | None:
    """Load the job of this kind and id (lower case, with hyphens); None for a job of another kind.

    None too for a job of another owner than ``owner``; with ``owner`` None the job may be anyone's.
    """
    with database.read() as connection:
        return _find(connection, job_id, kind, owner)


@dataclass(frozen=True, slots=True)
class JobList:
    jobs: list[JobSummary]
    next_cursor: str | None
    """The value of ``before`` for the next page; None on the last page."""


def list_recent(
    database: Database, kind: JobKind, *, owner: str | None, limit: int, before: str | None = None
) -> JobList:
    """List the newest jobs of a kind, or those that follow the cursor ``before``.

    With ``owner`` null it lists the jobs of all owners.
    """
    query = sa.select(*SUMMARY_COLUMNS).where(jobs.c.kind == kind)
    if owner is not None:
        query = query.where(jobs.c.submitted_by == owner)
    if before is not None:
        at, job_id = _parse_cursor(before)
        end = sa.tuple_(sa.literal(at, UtcTime), sa.literal(job_id))
        query = query.where(sa.tuple_(jobs.c.created_at, jobs.c.id) < end)
    query = query.order_by(jobs.c.created_at.desc(), jobs.c.id.desc()).limit(limit + 1)
    with database.read() as connection:
        summaries = [JobSummary(**row._mapping) for row in connection.execute(query)]
    page = summaries[:limit]
    return JobList(page, _format_cursor(page[-1]) if len(summaries) > limit else None)


def list_steps(database: Database, job_id: str) -> list[Step]:
    """List the finished and running steps of a job, in order."""
    query = sa.select(job_steps).where(job_steps.c.job_id == job_id).order_by(job_steps.c.position)
    with database.read() as connection:
        return [
            Step(row.name, row.started_at, row.finished_at, orjson.loads(row.detail))
            for row in connection.execute(query)
        ]


@dataclass(frozen=True, slots=True)
class JobProgress:
    """A job and what tells whether its steps have changed."""

    job: JobSummary
    begun_steps: int
    finished_steps: int
    last_begin: datetime | None


def list_progress(database: Database, job_ids: Sequence[str]) -> dict[str, JobProgress]:
    """Load the progress of jobs by id, of those that exist."""
    counted = (
        sa.select(
            *SUMMARY_COLUMNS,
            sa.func.count(job_steps.c.job_id).label("begun_steps"),
            sa.func.count(job_steps.c.finished_at).label("finished_steps"),
            sa.func.max(job_steps.c.started_at).label("last_begin"),
        )
        .select_from(jobs.outerjoin(job_steps, job_steps.c.job_id == jobs.c.id))
        .group_by(jobs.c.id)
    )
    found = {}
    with database.read() as connection:
        for start in range(0, len(job_ids), MAX_IDS_PER_QUERY):
            chosen = jobs.c.id.in_(job_ids[start : start + MAX_IDS_PER_QUERY])
            for row in connection.execute(counted.where(chosen)):
                *summary, begun, finished, last_begin = row
                found[row.id] = JobProgress(JobSummary(*summary), begun, finished, last_begin)
    return found


def count_waiting(database: Database, job: JobSummary) -> Waiting:
    """Count the jobs that a pending job waits for."""
    position = sa.tuple_(sa.literal(job.created_at, UtcTime), sa.literal(job.id))
    before = sa.tuple_(jobs.c.created_at, jobs.c.id) < position
    counted = sa.select(
        sa.func.count().filter(sa.and_(jobs.c.status == "pending", before)).label("ahead"),
        sa.func.count().filter(jobs.c.status == "running").label("running"),
    ).where(jobs.c.kind == job.kind, jobs.c.status.in_(UNFINISHED))
    with database.read() as connection:
        row = connection.execute(counted).one()
    return {"jobs_ahead": row.ahead, "jobs_running": row.running}


def cancel(database: Database, kind: JobKind, job_id: str, *, owner: str | None, now: datetime) -> Job | None:
    """Fail an unfinished job; returns the job after that, or None where :func:`read` does.

    A running job stops before its next step, and its result is dropped.
    """
    unfinished = (jobs.c.id == job_id, jobs.c.status.in_(UNFINISHED))
    ended = {"status": "failed", "error": CANCELLED, "completed_at": now}
    with database.write() as connection:
        if _find(connection, job_id, kind, owner) is None:
            return None
        connection.execute(sa.update(jobs).where(*unfinished).values(ended))
        return _find(connection, job_id)


def _build_row(
    kind: JobKind, body: Mapping[str, Any], *, title: str, submitted_by: str, now: datetime
) -> dict[str, Any]:
    return {
        "id": str(uuid.uuid4()),
        "kind": kind,
        "status": "pending",
        "title": " ".join(title.replace("\0", " ").split())[:MAX_TITLE_CHARS],
        "input": orjson.dumps(body).decode(),
        "submitted_by": submitted_by,
        "created_at": now,
    }


def _find_submitted(connection: Connection, submission: Submission, row: Mapping[str, Any]) -> Job | None:
    """Find the job submitted earlier with this key; if there is none, bind the key to the job of ``row``."""
    earlier = bind_key(connection, submission, row["id"], now=row["created_at"])
    job = None if earlier is None else _find(connection, earlier.job_id)
    if earlier is not None and job is None:
        rebind_key(connection, submission, {"job_id": row["id"], "created_at": row["created_at"]})
    return job


def _find(
    connection: Connection, job_id: str, kind: JobKind | None = None, owner: str | None = None
) -> Job | None:
    query = sa.select(*JOB_COLUMNS).where(jobs.c.id == job_id)
    if kind is not None:
        query = query.where(jobs.c.kind == kind)
    if owner is not None:
        query = query.where(jobs.c.submitted_by == owner)
    row = connection.execute(query).one_or_none()
    return None if row is None else build_job(row)


def build_job(row: Row[Any]) -> Job:
    """Build a job from a row of the columns :data:`JOB_COLUMNS`."""
    return Job(**row._mapping)


def _format_cursor(job: JobSummary) -> str:
    micros = (job.created_at - _EPOCH) // timedelta(microseconds=1)
    return urlsafe_b64encode(_POSITION.pack(micros, uuid.UUID(job.id).bytes)).rstrip(b"=").decode()


def _parse_cursor(cursor: str) -> tuple[datetime, str]:
    try:
        packed = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        micros, job_id = _POSITION.unpack(packed)
        return _EPOCH + timedelta(microseconds=micros), str(uuid.UUID(bytes=job_id))
    except (ValueError, OverflowError, struct.error):
        message = "Must be the next_cursor of a previous response, unchanged"
        fault: FieldError = {"loc": ["query", "cursor"], "msg": message, "type": "cursor_invalid"}
        raise BadRequest(f"query.cursor: {message}.", errors=[fault]) from None
