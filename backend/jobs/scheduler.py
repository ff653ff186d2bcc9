"""Starts the ticks of schedules by the clock, with workflow ids that are equal in all processes.

dbos's own scheduler counts the ticks of a schedule from the last one. After a clock is put forward or a
computer wakes up, it replays every missed tick; after a clock is put back by an hour, it waits for an hour.
No setting changes that, so this thread looks at the clock once a second. See
docs/decisions/0007-jobs-through-dbos.md.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

import structlog
from dbos import DBOS, SetWorkflowID, WorkflowStatus

from backend.formats.timestamps import utc_now
from backend.jobs.schedules import Outcome, Schedule

log = structlog.get_logger(__name__)
POLL_SECONDS = 1.0
"""Maximum time between two readings of the clock."""
MAX_CLOCK_SKEW = timedelta(minutes=1)
"""The clocks of several machines may differ by this much. A tick that was started later than that was started
by a clock that has been set back since."""

TickWorkflow = Callable[[datetime, str], Outcome]


def find_due(schedule: Schedule, following: datetime, now: datetime) -> tuple[datetime | None, datetime]:
    """Return the tick that is due at ``now`` (or null) and the next tick to wait for.

    ``following`` is the expected tick. Of several missed ticks only the last one is due. If the clock was
    set back, the next tick comes earlier than ``following``.
    """
    last = schedule.last_tick(now)
    next_tick = last + timedelta(seconds=schedule.every_seconds)
    if now < following:
        return None, min(following, next_tick)
    return last, next_tick


def find_free_id(
    status_of: Callable[[str], WorkflowStatus | None], name: str, at: datetime, now: datetime
) -> str | None:
    """Return the workflow id for a tick; None if a process has started the tick already.

    An instant that occurs again, because the clock was set back, gets a second tick.
    """
    first = f"sched-{name}-{at.isoformat()}"
    for workflow_id in (first, f"{first}-again"):
        status = status_of(workflow_id)
        if status is None:
            return workflow_id
        if (status.created_at or 0) <= (now + MAX_CLOCK_SKEW).timestamp() * 1000:
            return None
    return None


class Scheduler:
    """Starts ticks in a thread. Needs dbos launched; dbos runs each tick in another thread."""

    def __init__(self, schedules: Sequence[Schedule], workflow: TickWorkflow) -> None:
        self._schedules = schedules
        self._workflow = workflow
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Start no more ticks; running ticks continue."""
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        started_at = utc_now()
        following = {
            schedule.name: schedule.last_tick(started_at) + timedelta(seconds=schedule.every_seconds)
            for schedule in self._schedules
        }
        while not self._stop.wait(_compute_pause_seconds(following.values())):
            now = utc_now()
            for schedule in self._schedules:
                at, following[schedule.name] = find_due(schedule, following[schedule.name], now)
                if at is not None and not self._stop.is_set():
                    self._start_tick(schedule.name, at)

    def _start_tick(self, name: str, at: datetime) -> None:
        try:
            workflow_id = find_free_id(DBOS.get_workflow_status, name, at, utc_now())
            if workflow_id is not None:
                with SetWorkflowID(workflow_id):  # only one process can create and run this id
                    DBOS.start_workflow(self._workflow, at, name)
        except Exception:  # the thread must outlive any fault of the database
            log.warning("tick_not_started", schedule=name, exc_info=True)


def _compute_pause_seconds(following: Iterable[datetime]) -> float:
    now = utc_now()
    return min(POLL_SECONDS, *(max(0.0, (at - now).total_seconds()) for at in following))
