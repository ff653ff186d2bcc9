"""Deletes the dbos workflows of finished jobs after some days, and those of ticks after one day.

:mod:`backend.jobs.tasks` deletes the rows of submitted jobs.
"""

from datetime import datetime, timedelta

import structlog
from dbos import DBOS

from backend.jobs.schedules import HOUR, TICK_WORKFLOW, Schedule

log = structlog.get_logger(__name__)

FINISHED: list[str] = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
TICK_RETENTION = timedelta(days=1)
BATCH_WORKFLOWS = 500
"""Workflows deleted in one transaction of some 20 ms, during which other writers wait."""


def retention(keep_jobs: timedelta) -> Schedule:
    """Build the schedule. Hourly and not nightly, so that it also runs on computers that sleep at night."""

    def run(now: datetime) -> None:
        deleted = {
            "ticks": forget(now - TICK_RETENTION, name=TICK_WORKFLOW),
            "jobs": forget(now - keep_jobs),
        }
        if any(deleted.values()):
            log.info("old_workflows_deleted", **deleted)

    return Schedule("job-retention", HOUR, run, "Delete jobs and ticks that finished long ago.")


def forget(before: datetime, *, name: str | None = None) -> int:
    """Delete workflows (of one name, if given) that finished before an instant; returns their number."""
    deleted = 0
    while batch := _list_finished(before, name):
        DBOS.delete_workflows(batch)
        deleted += len(batch)
    return deleted


def _list_finished(before: datetime, name: str | None) -> list[str]:
    workflows = DBOS.list_workflows(
        status=FINISHED,
        completed_before=before.isoformat(),
        name=name,
        limit=BATCH_WORKFLOWS,
        load_input=False,
        load_output=False,
    )
    return [workflow.workflow_id for workflow in workflows]
