"""The extraction of entities as jobs: milliseconds each, so that a thread takes several at once."""

from typing import Any

from backend.articles.rules.active_rules import ActiveRules
from backend.extraction.mentions import entities_of, shown
from backend.jobs.runner import JobContext, JobType
from backend.settings import Settings

BATCH = 16


def extraction_jobs(settings: Settings, rules: ActiveRules) -> JobType:
    """Jobs that read with the rules in force; a changed file of rules counts from the next job on."""

    def handle(context: JobContext) -> dict[str, Any]:
        text: str = context.job.input["text"]
        rules.refresh()
        current = rules.current
        return {"entities": shown(current, entities_of(current, [text]))}

    return JobType("extraction", handle, concurrency=settings.extraction_job_slots, batch=BATCH)
