"""The process that works: schedules, and the jobs that callers submit."""

import contextlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

import sqlalchemy as sa
import structlog

from backend.articles.rules.ruleset import Rules
from backend.articles.tasks import article_schedules
from backend.auth.oauth import retention
from backend.db import Database
from backend.errors import Unavailable
from backend.extraction.tasks import extraction_jobs
from backend.jobs.dispatch import Dispatcher
from backend.jobs.engine import JobEngine
from backend.jobs.heartbeat import Heartbeat
from backend.jobs.running import JobType
from backend.jobs.schedules import HOUR, Schedule, Ticker
from backend.jobs.slots import LockLost, open_locks
from backend.jobs.tasks import job_schedules
from backend.markets.tasks import REFRESH, market_schedules
from backend.processes import GRACE_SECONDS, StopRequest
from backend.settings import Settings
from backend.sources.tasks import source_jobs, source_schedules
from backend.timelines.tasks import SAMPLE_RUNS, timeline_schedules
from backend.topics.tasks import REPORTS, topic_schedules

log = structlog.get_logger(__name__)

T = TypeVar("T")
STOP_SECONDS = GRACE_SECONDS - 2
"""Jobs that run may take so long to come to an end; the others are taken up by the next worker."""
RETRY_SECONDS = 5.0
"""Between two attempts to begin on a store that takes nothing in."""


def launched(
    settings: Settings,
    database: Database,
    schedules: Sequence[Schedule],
    rules: Rules,
    heartbeat: Heartbeat,
) -> JobEngine:
    """The engine at work, with what callers can submit, over one set of rules."""
    topics = topic_schedules(settings, database, rules)
    timelines = timeline_schedules(settings, database)
    job_types: list[JobType] = [source_jobs(settings, database, rules), extraction_jobs(settings, rules)]
    keep = timedelta(days=settings.jobs_keep_days)
    engine = JobEngine(
        settings.jobs_database_url,
        settings.home,
        schedules=[
            *schedules,
            *source_schedules(settings, database),
            *topics,
            *timelines,
            *job_schedules(database, job_types, keep=keep),
        ],
        dispatcher=Dispatcher(
            database,
            job_types,
            timeout=timedelta(seconds=settings.job_timeout_seconds),
            heartbeat=heartbeat,
        ),
        heartbeat=heartbeat,
    )
    engine.launch()
    if any(schedule.name == REPORTS for schedule in topics):
        first_tick(settings, topics, REPORTS)
    if timelines:
        first_tick(settings, timelines, SAMPLE_RUNS)
    return engine


def sign_in_schedule(database: Database) -> Schedule:
    """Every hour, as that of jobs. It stands here since jobs know of credentials, and not the other way."""

    def forget(now: datetime) -> None:
        gone = retention.forget(database, now)
        if any(gone.values()):
            log.info("sign_ins_forgotten", **gone)

    return Schedule("sign-in-retention", HOUR, forget, "Delete tokens, grants and attempts that are over.")


def first_tick(settings: Settings, schedules: Sequence[Schedule], name: str = REFRESH) -> None:
    """Run the schedule that a new start should not wait for, under the same lock as its later ticks.

    What is not due yet, since another process did it a moment ago, is not done again.
    """
    locks = open_locks(settings.jobs_database_url, settings.home)
    try:
        Ticker(schedules, locks).tick(name, datetime.now(UTC))
    finally:
        locks.close()


def patiently(begin: Callable[[], T], stop: StopRequest, *, retry_seconds: float = RETRY_SECONDS) -> T | None:
    """What ``begin`` gives once the store takes in what it writes; null when a stop is asked for first.

    On a full disk the store is read and not written until somebody makes room. A process that ended instead
    would be started again and again, at seconds of work and a call of every provider each time.
    """
    failing = False
    while not stop.came:
        try:
            return begin()
        except (sa.exc.OperationalError, OSError) as error:
            if not failing:
                reason = " ".join(str(getattr(error, "orig", error)).split())
                log.error("worker_waits_for_the_store", error=type(error).__name__, reason=reason)
            failing = True
            stop.wait(retry_seconds)
    return None


def run_worker(settings: Settings) -> None:
    """Work until SIGINT or SIGTERM. What is not done by the end of the grace is another process's.

    Raises :class:`~backend.errors.Unavailable` when the store goes away before the work began.
    """
    stop = StopRequest()
    stop.end_within(STOP_SECONDS)
    database = Database(settings.app_database_url)
    heartbeat = Heartbeat(database)
    patiently(heartbeat.start, stop)  # before all that may fail, so that failing starts are counted
    schedules = [
        *market_schedules(settings, database),
        *article_schedules(settings, database),
        sign_in_schedule(database),
    ]
    try:
        first_tick(settings, schedules)  # before all else: the figures are what a new start shows
        begin = partial(launched, settings, database, schedules, Rules(settings, keep=True), heartbeat)
        engine = patiently(begin, stop)
    except LockLost as loss:
        raise Unavailable(f"The data store went away: {loss}.") from loss
    if engine is not None:
        log.info("worker_started")
        stop.wait()
        engine.stop(STOP_SECONDS - 1)
    with contextlib.suppress(sa.exc.OperationalError):  # a store that is away hears nothing
        heartbeat.stop()
    database.dispose()
    log.info("worker_stopped")
