"""Defines the schedule that deletes old violations."""

from datetime import datetime

import structlog

from backend.articles import violation_store
from backend.jobs.schedules import DAY, Schedule
from backend.settings import Settings
from backend.store.database import Database

log = structlog.get_logger(__name__)


def article_schedules(settings: Settings, database: Database) -> list[Schedule]:
    def delete_old(now: datetime) -> None:
        deleted = violation_store.delete_old(database, keep_days=settings.violations_keep_days, now=now)
        log.info("old_violations_deleted", violations=deleted)

    return [Schedule("violations-retention", DAY, delete_old, "Delete violations that are no longer kept.")]
