"""Forgetting: finished jobs after some days, the ticks of schedules after one."""

from datetime import datetime, timedelta

import structlog
from dbos import DBOS

from backend.jobs.schedules import HOUR, TICK_WORKFLOW, Schedule

log = structlog.get_logger(__name__)

FINISHED: list[str] = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
TICKS_FOR = timedelta(days=1)
BATCH = 500
"""Jobs a transaction: some 20 ms, for which other writers wait."""


def retention(keep_jobs: timedelta) -> Schedule:
    """Every hour, not once a night: a computer that sleeps at night forgets as well."""

    def run(now: datetime) -> None:
        gone = {
            "ticks": forget(now - TICKS_FOR, name=TICK_WORKFLOW),
            "jobs": forget(now - keep_jobs),
        }
        if any(gone.values()):
            log.info("jobs_forgotten", **gone)

    return Schedule("job-retention", HOUR, run, "Delete jobs and ticks that finished long ago.")


def forget(before: datetime, *, name: str | None = None) -> int:
    """Delete the workflows (of one name, if given) that finished before an instant; gives how many."""
    gone = 0
    while batch := _finished(before, name):
        DBOS.delete_workflows(batch)
        gone += len(batch)
    return gone


def _finished(before: datetime, name: str | None) -> list[str]:
    found = DBOS.list_workflows(
        status=FINISHED,
        completed_before=before.isoformat(),
        name=name,
        limit=BATCH,
        load_input=False,
        load_output=False,
    )
    return [workflow.workflow_id for workflow in found]
