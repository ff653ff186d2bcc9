"""The process that works: schedules, and the jobs that callers submit."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import structlog

from backend.articles.rules.ruleset import Rules
from backend.articles.tasks import article_schedules
from backend.db import Database
from backend.errors import Unavailable
from backend.extraction.tasks import extraction_jobs
from backend.jobs.dispatch import Dispatcher
from backend.jobs.engine import JobEngine
from backend.jobs.running import JobType
from backend.jobs.schedules import Schedule, Ticker
from backend.jobs.slots import LockLost, open_locks
from backend.jobs.tasks import job_schedules
from backend.markets.tasks import REFRESH, market_schedules
from backend.processes import GRACE_SECONDS, StopRequest
from backend.settings import Settings
from backend.sources.tasks import source_jobs

log = structlog.get_logger(__name__)
STOP_SECONDS = GRACE_SECONDS - 2
"""Jobs that run may take so long to come to an end; the others are taken up by the next worker."""


def job_types_of(settings: Settings, database: Database) -> list[JobType]:
    """What callers can submit, over one set of rules."""
    rules = Rules(settings)
    return [source_jobs(settings, database, rules), extraction_jobs(settings, rules)]


def first_tick(settings: Settings, schedules: Sequence[Schedule]) -> None:
    """Run each schedule that a new start should not wait for, under the same lock as its later ticks.

    What is not due yet, since another process did it a moment ago, is not done again.
    """
    locks = open_locks(settings.jobs_database_url, settings.home)
    try:
        Ticker(schedules, locks).tick(REFRESH, datetime.now(UTC))
    finally:
        locks.close()


def run_worker(settings: Settings) -> None:
    """Work until SIGINT or SIGTERM. What is not done by the end of the grace is another process's.

    Raises :class:`~backend.errors.Unavailable` when the store goes away before the work began.
    """
    stop = StopRequest()
    stop.end_within(STOP_SECONDS)
    database = Database(settings.app_database_url)
    schedules = [*market_schedules(settings, database), *article_schedules(settings, database)]
    try:
        first_tick(settings, schedules)  # before all else: the figures are what a new start shows
        job_types = job_types_of(settings, database)
        schedules += job_schedules(database, job_types, keep=timedelta(days=settings.jobs_keep_days))
        dispatcher = Dispatcher(database, job_types, timeout=timedelta(seconds=settings.job_timeout_seconds))
        engine = JobEngine(
            settings.jobs_database_url, settings.home, schedules=schedules, dispatcher=dispatcher
        )
        if not stop.came:
            engine.launch()
    except LockLost as loss:
        raise Unavailable(f"The data store went away: {loss}.") from loss
    log.info("worker_started")
    stop.wait()
    engine.stop(STOP_SECONDS - 1)
    database.dispose()
