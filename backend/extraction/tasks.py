"""Defines extraction jobs. They take milliseconds, so a thread runs several in one batch."""

from typing import Any

from backend.articles.rules.active_rules import ActiveRules
from backend.extraction.mentions import build_entity_results, list_entities
from backend.jobs.runner import JobContext, JobType
from backend.settings import Settings

JOBS_PER_BATCH = 16


def extraction_jobs(settings: Settings, rules: ActiveRules) -> JobType:
    """Build the job type. A changed rule file applies from the next job on."""

    def handle(context: JobContext) -> dict[str, Any]:
        text: str = context.job.input["text"]
        rules.refresh()
        current = rules.current
        return {"entities": build_entity_results(current, list_entities(current, [text]))}

    return JobType("extraction", handle, concurrency=settings.extraction_job_slots, batch=JOBS_PER_BATCH)
