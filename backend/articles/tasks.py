"""The article domain's schedule: what is stored of scans is forgotten in the end."""

from datetime import datetime

import structlog

from backend.articles import violation_store
from backend.jobs.schedules import DAY, Schedule
from backend.settings import Settings
from backend.store.database import Database

log = structlog.get_logger(__name__)


def article_schedules(settings: Settings, database: Database) -> list[Schedule]:
    def forget(now: datetime) -> None:
        gone = violation_store.forget(database, keep_days=settings.violations_keep_days, now=now)
        log.info("old_violations_deleted", violations=gone)

    return [Schedule("violations-retention", DAY, forget, "Delete violations that are no longer kept.")]
