"""The process that works: schedules now, jobs with them."""

import signal
import threading
from collections.abc import Sequence
from datetime import UTC, datetime

import structlog

from backend.db import Database
from backend.jobs.engine import JobEngine
from backend.jobs.schedules import Schedule, Ticker
from backend.jobs.slots import open_locks
from backend.markets.tasks import REFRESH, market_schedules
from backend.settings import Settings

log = structlog.get_logger(__name__)


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
    """Work until SIGINT or SIGTERM."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    database = Database(settings.app_database_url)
    schedules = market_schedules(settings, database)
    first_tick(settings, schedules)
    engine = JobEngine(settings.jobs_database_url, settings.home, schedules=schedules)
    with engine:
        log.info("worker_started")
        stop.wait()
    database.dispose()
