"""When schedules tick: each in a thread of dbos's, by a clock that may be set or have slept.

dbos counts the ticks of a schedule from the one before and sleeps until the next. Where a clock is put
forth, or a computer wakes up, it makes up for each tick that was missed, one after the other: some 6,000 a
day for the refresh alone, while the present ones wait behind them. Where a clock is put back by an hour, it
sleeps for that hour, and then leaves out the instants that had their tick before. So the threads are ours,
which is the second use of what is private in dbos (see :mod:`backend.jobs.slots` for the first).
"""

from datetime import datetime, timedelta
from typing import Any, Protocol

import structlog
from dbos import _scheduler
from dbos._dbos import _get_dbos_instance

from backend.http_client.jitter import jitter
from backend.instants import utc_now
from backend.jobs.schedules import Schedule

log = structlog.get_logger(__name__)
LOOK_SECONDS = 1.0
"""Between two looks at the clock while nothing is due."""
MOST_JITTER = 1.0
"""Seconds by which processes that see a tick at once are spread."""
AHEAD = timedelta(minutes=1)
"""So much may the clocks of several machines differ: what was ticked later than that was so by a clock that
has been put back since."""


def due(schedule: Schedule, following: datetime, now: datetime) -> tuple[datetime | None, datetime]:
    """The tick that is due at ``now``, if any, and the one after it.

    ``following`` is the tick that was waited for. Of ticks that were missed the last one alone is due; a
    clock that was put back brings the next one nearer.
    """
    period = timedelta(seconds=schedule.every_seconds)
    last = schedule.last_tick(now)
    if now < following:
        return None, min(following, last + period)
    return last, last + period


class Store(Protocol):
    """What is used of dbos's own store."""

    def get_workflow_status(self, workflow_uuid: str) -> Any: ...


def free_id(store: Store, name: str, at: datetime, now: datetime) -> str | None:
    """The id that a tick is to have; null when it was ticked already, by whichever process.

    An instant that a clock comes to a second time, put back, has its tick a second time.
    """
    first = f"sched-{name}-{at.isoformat()}"
    for workflow_id in (first, f"{first}-again"):
        known = store.get_workflow_status(workflow_id)
        if known is None:
            return workflow_id
        if known["created_at"] <= (now + AHEAD).timestamp() * 1000:
            return None
    return None


class Clockwork(_scheduler._ScheduleThread):
    """The thread of one schedule, in place of dbos's."""

    declared: dict[str, Schedule] = {}  # noqa: RUF012 - one for all, as dbos is one in a process

    def _loop(self) -> None:
        schedule = self.declared.get(self.schedule_name)
        if schedule is None:  # it is another version's
            return
        following = due(schedule, datetime.max.replace(tzinfo=utc_now().tzinfo), utc_now())[1]
        while not self._stop_event.wait(self._pause(following)):
            at, following = due(schedule, following, utc_now())
            if at is None:
                continue
            if self._stop_event.wait(jitter() * min(schedule.every_seconds / 10, MOST_JITTER)):
                return
            try:
                self._tick(at)
            except Exception:
                log.warning("tick_not_begun", schedule=self.schedule_name, exc_info=True)

    @staticmethod
    def _pause(following: datetime) -> float:
        return min(LOOK_SECONDS, max(0.0, (following - utc_now()).total_seconds()))

    def _tick(self, at: datetime) -> None:
        store = _get_dbos_instance()._sys_db
        workflow_id = free_id(store, self.schedule_name, at, utc_now())
        if workflow_id is not None:
            _scheduler._enqueue_scheduled_workflow(
                store,
                self.workflow_name,
                at,
                workflow_id,
                self.schedule_name,
                self.context,
                self.class_name,
                self.queue_name,
                self.application_name,
                self.shard_key,
            )


def install(schedules: list[Schedule]) -> None:
    """Have dbos, which is not launched yet, tick these by such threads."""
    Clockwork.declared = {schedule.name: schedule for schedule in schedules}
    _scheduler._ScheduleThread = Clockwork  # type: ignore[misc]
