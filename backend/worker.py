"""The process that works: schedules now, jobs with them."""

import signal
import threading

import structlog

from backend.db import Database
from backend.jobs.engine import JobEngine
from backend.markets.tasks import market_schedules
from backend.settings import Settings

log = structlog.get_logger(__name__)


def run_worker(settings: Settings) -> None:
    """Work until SIGINT or SIGTERM."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    database = Database(settings.app_database_url)
    engine = JobEngine(
        settings.jobs_database_url, settings.home, schedules=market_schedules(settings, database)
    )
    with engine:
        log.info("worker_started")
        stop.wait()
    database.dispose()
