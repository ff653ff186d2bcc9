"""Source finding as jobs, what is noted of each as it completes, and how long pages are kept."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy.engine import Connection

from backend.articles.rules.active_rules import Rules
from backend.documents.store import DocumentStore
from backend.extraction import seen_entities
from backend.extraction.mentions import entities_of
from backend.jobs.model import Job
from backend.jobs.runner import JobContext, JobType
from backend.jobs.schedules import DAY, Schedule
from backend.settings import Settings
from backend.sources.schemas import SourcesRequest
from backend.sources.service import Finder
from backend.store.database import Database

log = structlog.get_logger(__name__)


def source_schedules(settings: Settings, database: Database) -> list[Schedule]:
    store = DocumentStore(database)

    def forget(now: datetime) -> None:
        gone = store.forget("page", before=now - timedelta(days=settings.pages_keep_days))
        if gone:
            log.info("pages_forgotten", pages=gone)

    return [Schedule("pages-retention", DAY, forget, "Delete pages that were read long ago.")]


def source_jobs(settings: Settings, database: Database, rules: Rules) -> JobType:
    """Jobs whose steps are recorded; the finder's archive is brought into the store beforehand."""
    finder = Finder(settings, database, rules)
    finder.prepare()

    def handle(context: JobContext) -> Mapping[str, Any]:
        return finder.find(SourcesRequest.model_validate(context.job.input), context)

    def publish(connection: Connection, job: Job, result: Mapping[str, Any], now: datetime) -> None:
        texts = [result["statement"]]
        texts += [source[name] for source in result["primary_sources"] for name in ("title", "content")]
        seen_entities.record(connection, job.id, entities_of(rules.current, texts), at=now)

    return JobType(
        "sources",
        handle,
        concurrency=settings.source_job_slots,
        publish=publish,
        forget=seen_entities.forget,
    )
