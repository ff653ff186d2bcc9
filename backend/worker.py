"""The process that works: schedules, and the jobs that callers submit."""

import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NoReturn, TypeVar

import sqlalchemy as sa
import structlog

from backend import migrations
from backend.articles.rules.active_rules import Rules
from backend.articles.tasks import article_schedules
from backend.auth.oauth import retention
from backend.extraction.tasks import extraction_jobs
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.engine import JobEngine, exit_at_once
from backend.jobs.heartbeat import Heartbeat
from backend.jobs.runner import JobType
from backend.jobs.schedules import HOUR, Schedule, Ticker
from backend.jobs.tasks import job_schedules
from backend.jobs.worker_slots import LockLost, open_locks
from backend.markets.tasks import REFRESH, market_schedules
from backend.runtime.processes import GRACE_SECONDS, StopRequest, replace_process
from backend.settings import Settings
from backend.sources.tasks import source_jobs, source_schedules
from backend.store.database import Database
from backend.timelines.tasks import SAMPLE_RUNS, timeline_schedules
from backend.topics.tasks import REPORTS, topic_schedules

log = structlog.get_logger(__name__)

T = TypeVar("T")
STOP_SECONDS = GRACE_SECONDS - 2
"""Jobs that run may take so long to come to an end; the others are taken up by the next worker."""
RETRY_SECONDS = 5.0
"""Between two attempts to begin on a store that takes nothing in."""
STEADY_SECONDS = 60.0
"""A worker that ran for this long begins again without a longer pause than the first."""
LONGEST_PAUSE_SECONDS = 30.0


def launched(
    settings: Settings,
    database: Database,
    schedules: Sequence[Schedule],
    rules: Rules,
    heartbeat: Heartbeat,
    on_slot_lost: Callable[[], None],
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
        on_slot_lost=on_slot_lost,
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
        gone = retention.delete_expired(database, now)
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
                log.error("worker_waits_for_the_store", error=type(error).__name__, reason=describe(error))
            failing = True
            stop.wait(retry_seconds)
    return None


def describe(error: Exception) -> str:
    """What the store said, in one line."""
    return " ".join(str(getattr(error, "orig", error)).split())


def pause_seconds(slots_lost: int) -> float:
    """How long to wait before a start after so many losses of the locks in a row: 1, 2, 4 and up to 30."""
    return 2.0 ** (slots_lost - 1) if slots_lost < 6 else LONGEST_PAUSE_SECONDS


def open_store(settings: Settings, stop: StopRequest, slots_lost: int) -> None:
    """Bring the store to the newest schema. After a loss of the locks, wait until the store answers again.

    The first start does not wait: an address that is wrong is told at once.
    """
    upgrade = partial(migrations.upgrade, settings.app_database_url)
    if slots_lost:
        stop.wait(pause_seconds(slots_lost))
        patiently(upgrade, stop)
    else:
        upgrade()


def run_worker(settings: Settings, *, slots_lost: int = 0, has_parent: bool = False) -> None:
    """Work until SIGINT or SIGTERM. What is not done by the end of the grace is another process's.

    When PostgreSQL takes the locks of this process back, as a restart does, the process is replaced by a new
    start of itself. ``slots_lost`` counts such starts in a row that did not last; ``has_parent`` is what
    :func:`~backend.runtime.processes.stop_with_parent` gave.
    """
    stop = StopRequest()
    stop.end_within(STOP_SECONDS)
    started = time.monotonic()

    def restart() -> NoReturn:
        # Without another line of work, since another process may have the slot and its jobs by now.
        if stop.came:
            exit_at_once()
        lost = 1 if time.monotonic() - started >= STEADY_SECONDS else slots_lost + 1
        logging.shutdown()
        try:
            replace_process(["worker", f"--slots-lost={lost}"], has_parent=has_parent)
        except OSError:
            exit_at_once()

    open_store(settings, stop, slots_lost)
    if stop.came:
        return
    database = Database(settings.app_database_url)
    heartbeat = Heartbeat(database)
    patiently(heartbeat.start, stop)  # before all that may fail, so that failing starts are counted
    try:
        schedules = [
            *market_schedules(settings, database),
            *article_schedules(settings, database),
            sign_in_schedule(database),
        ]
        first_tick(settings, schedules)  # before all else: the figures are what a new start shows
        rules = Rules(settings, keep=True)
        begin = partial(launched, settings, database, schedules, rules, heartbeat, restart)
        engine = patiently(begin, stop)
    except (LockLost, sa.exc.OperationalError) as error:
        if settings.is_sqlite:
            raise
        log.error("worker_start_cut_off", error=type(error).__name__, reason=describe(error))
        restart()
    if engine is not None:
        log.info("worker_started")
        stop.wait()
        engine.stop(STOP_SECONDS - 1)
    with contextlib.suppress(sa.exc.OperationalError):  # a store that is away hears nothing
        heartbeat.stop()
    database.dispose()
    log.info("worker_stopped")
