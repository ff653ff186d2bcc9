"""Defines the jobs of source finding and the schedule that deletes old pages."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy.engine import Connection

from backend.articles.rules.active_rules import ActiveRules
from backend.documents.store import DocumentStore
from backend.extraction import seen_entities
from backend.extraction.mentions import list_entities
from backend.jobs.model import Job
from backend.jobs.runner import JobContext, JobType
from backend.jobs.schedules import DAY, Schedule
from backend.settings import Settings
from backend.sources.schemas import SourcesRequest
from backend.sources.service import SourceFinder
from backend.store.database import Database

log = structlog.get_logger(__name__)


def build_source_schedules(settings: Settings, database: Database) -> list[Schedule]:
    """Build the daily schedule that deletes pages older than ``settings.pages_keep_days``."""
    store = DocumentStore(database)

    def delete_old_pages(now: datetime) -> None:
        deleted = store.delete_stored_before("page", before=now - timedelta(days=settings.pages_keep_days))
        if deleted:
            log.info("pages_deleted", pages=deleted)

    return [Schedule("pages-retention", DAY, delete_old_pages, "Delete pages that were read long ago.")]


def build_source_jobs(settings: Settings, database: Database, rules: ActiveRules) -> JobType:
    """Build the job type of source finding, after importing the landmark archive into the store."""
    finder = SourceFinder(settings, database, rules)
    finder.prepare()

    def handle(context: JobContext) -> Mapping[str, Any]:
        return finder.find(SourcesRequest.model_validate(context.job.input), context)

    def publish(connection: Connection, job: Job, result: Mapping[str, Any], now: datetime) -> None:
        texts = [result["statement"]]
        texts += [source[name] for source in result["primary_sources"] for name in ("title", "content")]
        seen_entities.record_sightings(connection, job.id, list_entities(rules.current, texts), at=now)

    return JobType(
        "sources",
        handle,
        concurrency=settings.source_job_slots,
        publish=publish,
        forget=seen_entities.delete_sightings,
    )
