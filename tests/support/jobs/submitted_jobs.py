"""Submits test jobs and defines job types for them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from backend.jobs import job_store
from backend.jobs.job_kinds import JobKind
from backend.jobs.model import Job
from backend.jobs.runner import Handler, JobContext, JobType
from backend.jobs.tables import jobs
from backend.store.database import Database
from tests.support.waiting import wait_for

NOW = datetime(2026, 5, 18, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def submit(
    database: Database,
    kind: JobKind = "extraction",
    body: Mapping[str, Any] | None = None,
    *,
    by: str = "a-key",
    key: str | None = None,
    title: str = "",
    now: datetime = NOW,
) -> Job:
    return job_store.submit(
        database, kind, body or {"n": 1}, title=title, submitted_by=by, idempotency_key=key, now=now
    )


def read(database: Database, job: Job) -> Job:
    """Read the current state of the job."""
    found = job_store.read(database, job.kind, job.id, owner=None)
    assert found is not None
    return found


def wait_for_end(database: Database, job: Job) -> Job:
    """Wait until the job ends and return it."""
    wait_for(lambda: read(database, job).status in ("completed", "failed"), "The job's end")
    return read(database, job)


def double(context: JobContext) -> dict[str, Any]:
    return {"twice": 2 * context.job.input["n"]}


def short_jobs(handle: Handler = double, **more: Any) -> JobType:
    """Build a job type that runs several jobs in one workflow, without recorded steps."""
    return JobType("extraction", handle, **{"concurrency": 2, "batch": 4, **more})


def long_jobs(handle: Handler = double, **more: Any) -> JobType:
    return JobType("sources", handle, **{"concurrency": 2, **more})


def count(database: Database) -> int:
    with database.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(jobs)).scalar_one()
