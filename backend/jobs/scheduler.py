"""Starts the ticks of schedules by the clock, each under an id that all processes agree on.

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
LOOK_SECONDS = 1.0
"""Longest time between two looks at the clock."""
CLOCKS_DIFFER = timedelta(minutes=1)
"""The clocks of several machines may differ by this much. A tick that was started later than that was started
by a clock that has been set back since."""

TickWorkflow = Callable[[datetime, str], Outcome]


def find_due(schedule: Schedule, following: datetime, now: datetime) -> tuple[datetime | None, datetime]:
    """The tick that is due at ``now``, if any, and the one to wait for next.

    ``following`` is the tick that was waited for. Of several missed ticks only the last one is due. A clock
    that was put back brings the next tick nearer.
    """
    last = schedule.last_tick(now)
    next_tick = last + timedelta(seconds=schedule.every_seconds)
    if now < following:
        return None, min(following, next_tick)
    return last, next_tick


def find_free_id(
    status_of: Callable[[str], WorkflowStatus | None], name: str, at: datetime, now: datetime
) -> str | None:
    """The workflow id for a tick; null if some process has started the tick already.

    An instant that comes a second time, because the clock was put back, has a second tick.
    """
    first = f"sched-{name}-{at.isoformat()}"
    for workflow_id in (first, f"{first}-again"):
        known = status_of(workflow_id)
        if known is None:
            return workflow_id
        if (known.created_at or 0) <= (now + CLOCKS_DIFFER).timestamp() * 1000:
            return None
    return None


class Scheduler:
    """The thread that starts ticks. Needs dbos launched; dbos runs a tick in a thread of its own."""

    def __init__(self, schedules: Sequence[Schedule], workflow: TickWorkflow) -> None:
        self._schedules = schedules
        self._workflow = workflow
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Start nothing more; ticks that run go on."""
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        begun = utc_now()
        following = {
            each.name: each.last_tick(begun) + timedelta(seconds=each.every_seconds)
            for each in self._schedules
        }
        while not self._stop.wait(_pause(following.values())):
            now = utc_now()
            for schedule in self._schedules:
                at, following[schedule.name] = find_due(schedule, following[schedule.name], now)
                if at is not None and not self._stop.is_set():
                    self._start_tick(schedule.name, at)

    def _start_tick(self, name: str, at: datetime) -> None:
        try:
            workflow_id = find_free_id(DBOS.get_workflow_status, name, at, utc_now())
            if workflow_id is not None:
                with SetWorkflowID(workflow_id):  # which one process alone creates, and runs
                    DBOS.start_workflow(self._workflow, at, name)
        except Exception:  # the thread must outlive any fault of the database
            log.warning("tick_not_started", schedule=name, exc_info=True)


def _pause(following: Iterable[datetime]) -> float:
    now = utc_now()
    return min(LOOK_SECONDS, *(max(0.0, (at - now).total_seconds()) for at in following))
