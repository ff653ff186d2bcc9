"""Declares the schedule that deletes old job rows, idempotency keys and expired cached responses.

:mod:`backend.jobs.workflow_retention` deletes the dbos workflows of jobs and ticks.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog

from backend.jobs.idempotency import IDEMPOTENCY_WINDOW
from backend.jobs.runner import JobType
from backend.jobs.schedules import HOUR, Schedule
from backend.jobs.tables import job_steps, jobs, submissions
from backend.store import response_cache
from backend.store.database import Database

log = structlog.get_logger(__name__)
BATCH_JOBS = 200
"""Jobs deleted in one transaction, during which other writers wait."""


def job_schedules(database: Database, job_types: Sequence[JobType], *, keep: timedelta) -> list[Schedule]:
    def run(now: datetime) -> None:
        deleted = {
            "jobs": delete_ended_jobs(database, job_types, before=now - keep),
            "submissions": delete_old_submissions(database, before=now - IDEMPOTENCY_WINDOW),
            "kept_answers": response_cache.forget(database, now=now),
        }
        if any(deleted.values()):
            log.info("old_jobs_deleted", **deleted)

    words = "Delete jobs that ended long ago, repeatable submissions, and kept answers that expired."
    return [Schedule("submitted-jobs-retention", HOUR, run, words)]


def delete_ended_jobs(database: Database, job_types: Sequence[JobType], *, before: datetime) -> int:
    """Delete the jobs that ended before an instant with all their data; returns their number."""
    oldest = sa.select(jobs.c.id).where(jobs.c.completed_at < before).order_by(jobs.c.completed_at)
    deleted = 0
    while True:
        with database.write() as connection:
            ids = list(connection.execute(oldest.limit(BATCH_JOBS)).scalars())
            for job_type in job_types:
                if ids and job_type.forget is not None:
                    job_type.forget(connection, ids)
            connection.execute(sa.delete(job_steps).where(job_steps.c.job_id.in_(ids)))
            connection.execute(sa.delete(jobs).where(jobs.c.id.in_(ids)))
        deleted += len(ids)
        if len(ids) < BATCH_JOBS:
            return deleted


def delete_old_submissions(database: Database, *, before: datetime) -> int:
    """Delete idempotency keys that are too old to match; returns their number."""
    with database.write() as connection:
        return connection.execute(sa.delete(submissions).where(submissions.c.created_at <= before)).rowcount
