"""The process that works: schedules now, jobs with them."""

from collections.abc import Sequence
from datetime import UTC, datetime

import structlog

from backend.articles.tasks import article_schedules
from backend.db import Database
from backend.errors import Unavailable
from backend.jobs.engine import JobEngine
from backend.jobs.schedules import Schedule, Ticker
from backend.jobs.slots import LockLost, open_locks
from backend.markets.tasks import REFRESH, market_schedules
from backend.processes import GRACE_SECONDS, StopRequest
from backend.settings import Settings

log = structlog.get_logger(__name__)
STOP_SECONDS = GRACE_SECONDS - 2
"""Jobs that run may take so long to come to an end; the others are taken up by the next worker."""


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
        first_tick(settings, schedules)
        engine = JobEngine(settings.jobs_database_url, settings.home, schedules=schedules)
        if not stop.came:
            engine.launch()
    except LockLost as loss:
        raise Unavailable(f"The data store went away: {loss}.") from loss
    log.info("worker_started")
    stop.wait()
    engine.stop(STOP_SECONDS - 1)
    database.dispose()
