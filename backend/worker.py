"""Runs the worker process: schedules and submitted jobs."""

import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Thread
from typing import NoReturn, TypeVar

import sqlalchemy as sa
import structlog

from backend import migrations
from backend.articles.rules.active_rules import ActiveRules
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
from backend.runtime import tracing
from backend.runtime.processes import GRACE_SECONDS, StopRequest, replace_process
from backend.settings import Settings
from backend.sources.tasks import build_source_jobs, build_source_schedules
from backend.store.database import Database
from backend.timelines.tasks import SAMPLE_RUNS, timeline_schedules
from backend.topics.tasks import REPORTS, SAMPLE_NEWS, topic_schedules

log = structlog.get_logger(__name__)

T = TypeVar("T")
STOP_SECONDS = GRACE_SECONDS - 2
"""Time for running jobs to end after a stop. The next worker continues the others."""
RETRY_SECONDS = 5.0
"""Time between two attempts to start on a store that accepts no writes."""
STABLE_SECONDS = 60.0
"""After this time the restart delay of a worker starts at its minimum again."""
MAX_RESTART_DELAY_SECONDS = 30.0


def launch_engine(
    settings: Settings,
    database: Database,
    schedules: Sequence[Schedule],
    rules: ActiveRules,
    heartbeat: Heartbeat,
    on_slot_lost: Callable[[], None],
) -> JobEngine:
    """Build and launch the job engine with all schedules and job types."""
    topics = topic_schedules(settings, database, rules)
    timelines = timeline_schedules(settings, database)
    job_types: list[JobType] = [
        build_source_jobs(settings, database, rules),
        extraction_jobs(settings, rules),
    ]
    keep = timedelta(days=settings.jobs_keep_days)
    engine = JobEngine(
        settings.jobs_database_url,
        settings.home,
        schedules=[
            *schedules,
            *build_source_schedules(settings, database),
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
        run_first_tick(settings, topics, REPORTS)
    if timelines:
        run_first_tick(settings, timelines, SAMPLE_RUNS)
    if any(schedule.name == SAMPLE_NEWS for schedule in topics):
        # The first analysis of articles loads large indexes. The start does not wait for it.
        arguments = (settings, topics, SAMPLE_NEWS)
        Thread(target=_run_or_log, args=arguments, name="sample-news", daemon=True).start()
    return engine


def _run_or_log(settings: Settings, schedules: Sequence[Schedule], name: str) -> None:
    """Run the first tick of a schedule. Its next tick makes up for a failure."""
    try:
        run_first_tick(settings, schedules, name)
    except Exception as error:  # noqa: BLE001 - a thread has no caller
        log.warning("first_tick_failed", schedule=name, error=type(error).__name__)


def sign_in_schedule(database: Database) -> Schedule:
    """Build the hourly schedule that deletes expired sign-in data.

    It is defined here, since ``auth`` must not import ``jobs``.
    """

    def forget(now: datetime) -> None:
        deleted_counts = retention.delete_expired(database, now)
        if any(deleted_counts.values()):
            log.info("expired_sign_ins_deleted", **deleted_counts)

    return Schedule("sign-in-retention", HOUR, forget, "Delete tokens, grants and attempts that are over.")


def run_first_tick(settings: Settings, schedules: Sequence[Schedule], name: str = REFRESH) -> None:
    """Run a schedule once at the start, under the same lock as its later ticks.

    It does not run if it is not due, because another process ran it a moment ago.
    """
    locks = open_locks(settings.jobs_database_url, settings.home)
    try:
        Ticker(schedules, locks).tick(name, datetime.now(UTC))
    finally:
        locks.close()


def retry_until_stopped(
    start: Callable[[], T], stop: StopRequest, *, retry_seconds: float = RETRY_SECONDS
) -> T | None:
    """Call ``start`` until the store accepts its writes; return its result, or None if a stop comes first.

    On a full disk the store cannot be written until somebody frees space. A process that exited instead would
    be restarted again and again; each start takes seconds and calls every provider.
    """
    failing = False
    while not stop.is_requested:
        try:
            return start()
        except (sa.exc.OperationalError, OSError) as error:
            if not failing:
                log.error("store_wait_started", error=type(error).__name__, reason=describe(error))
            failing = True
            stop.wait(retry_seconds)
    return None


def describe(error: Exception) -> str:
    """Return the error message of the store in one line."""
    return " ".join(str(getattr(error, "orig", error)).split())


def restart_delay_seconds(slots_lost: int) -> float:
    """Return the delay before a start after ``slots_lost`` losses of the locks in a row: 1, 2, 4, ... 30."""
    return 2.0 ** (slots_lost - 1) if slots_lost < 6 else MAX_RESTART_DELAY_SECONDS


def open_store(settings: Settings, stop: StopRequest, slots_lost: int) -> None:
    """Upgrade the store to the newest schema. After a loss of the locks, wait until the store answers again.

    The first start does not wait, so that it reports a wrong address at once.
    """
    upgrade = partial(migrations.upgrade, settings.app_database_url)
    if slots_lost:
        stop.wait(restart_delay_seconds(slots_lost))
        retry_until_stopped(upgrade, stop)
    else:
        upgrade()


def run_worker(settings: Settings, *, slots_lost: int = 0, has_parent: bool = False) -> None:
    """Run until SIGINT or SIGTERM. Another process continues jobs that do not end in time.

    When PostgreSQL releases the locks of this process, as a restart of it does, the process replaces itself
    with a new start. ``slots_lost`` counts such starts in a row that did not last. ``has_parent`` is the
    result of :func:`~backend.runtime.processes.stop_with_parent`.
    """
    tracing.start(settings.otlp_endpoint, "chainproof-worker")
    stop = StopRequest()
    stop.force_exit_after(STOP_SECONDS)
    started = time.monotonic()

    def restart() -> NoReturn:
        # No cleanup here: another process may own the slot and its jobs by now.
        if stop.is_requested:
            exit_at_once()
        lost_count = 1 if time.monotonic() - started >= STABLE_SECONDS else slots_lost + 1
        logging.shutdown()
        try:
            replace_process(["worker", f"--slots-lost={lost_count}"], has_parent=has_parent)
        except OSError:
            exit_at_once()

    open_store(settings, stop, slots_lost)
    if stop.is_requested:
        return
    database = Database(settings.app_database_url)
    heartbeat = Heartbeat(database)
    retry_until_stopped(heartbeat.start, stop)  # first, so that failing starts are counted
    try:
        schedules = [
            *market_schedules(settings, database),
            *article_schedules(settings, database),
            sign_in_schedule(database),
        ]
        run_first_tick(settings, schedules)  # first: a new start shows market data
        rules = ActiveRules(settings, write_cache=True)
        start = partial(launch_engine, settings, database, schedules, rules, heartbeat, restart)
        engine = retry_until_stopped(start, stop)
    except (LockLost, sa.exc.OperationalError) as error:
        if settings.is_sqlite:
            raise
        log.error("worker_start_interrupted", error=type(error).__name__, reason=describe(error))
        restart()
    if engine is not None:
        log.info("worker_started")
        stop.wait()
        engine.stop(STOP_SECONDS - 1)
    with contextlib.suppress(sa.exc.OperationalError):  # the store may be unavailable
        heartbeat.stop()
    database.dispose()
    tracing.stop()
    log.info("worker_stopped")
