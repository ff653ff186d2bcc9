"""The schedule of jobs: what ended long ago is forgotten, and so are answers kept for a while."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog

from backend.jobs.job_store import REPEATED_WITHIN
from backend.jobs.runner import JobType
from backend.jobs.schedules import HOUR, Schedule
from backend.jobs.tables import job_steps, jobs, submissions
from backend.store import response_cache
from backend.store.database import Database

log = structlog.get_logger(__name__)
BATCH = 200
"""Jobs a transaction, for which other writers wait."""


def job_schedules(database: Database, job_types: Sequence[JobType], *, keep: timedelta) -> list[Schedule]:
    def run(now: datetime) -> None:
        gone = {
            "jobs": forget_jobs(database, job_types, before=now - keep),
            "submissions": forget_submissions(database, before=now - REPEATED_WITHIN),
            "kept_answers": response_cache.forget(database, now=now),
        }
        if any(gone.values()):
            log.info("submitted_jobs_forgotten", **gone)

    words = "Delete jobs that ended long ago, repeatable submissions, and kept answers that expired."
    return [Schedule("submitted-jobs-retention", HOUR, run, words)]


def forget_jobs(database: Database, job_types: Sequence[JobType], *, before: datetime) -> int:
    """Delete the jobs that ended before an instant with all that belongs to them; gives how many."""
    oldest = sa.select(jobs.c.id).where(jobs.c.completed_at < before).order_by(jobs.c.completed_at)
    gone = 0
    while True:
        with database.write() as connection:
            ids = list(connection.execute(oldest.limit(BATCH)).scalars())
            for job_type in job_types:
                if ids and job_type.forget is not None:
                    job_type.forget(connection, ids)
            connection.execute(sa.delete(job_steps).where(job_steps.c.job_id.in_(ids)))
            connection.execute(sa.delete(jobs).where(jobs.c.id.in_(ids)))
        gone += len(ids)
        if len(ids) < BATCH:
            return gone


def forget_submissions(database: Database, *, before: datetime) -> int:
    """Delete the keys of submissions that would not be found by a repeated one any more."""
    with database.write() as connection:
        return connection.execute(sa.delete(submissions).where(submissions.c.created_at <= before)).rowcount
