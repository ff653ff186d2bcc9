"""Defines schedules and runs their ticks, each once across all processes on one store.

A domain declares a :class:`Schedule`. The scheduler starts one dbos workflow for each tick. Its id is the
schedule and the instant, so that only one process runs it. A tick is one row without steps: every 15 seconds
that is 5,760 rows a day, which :mod:`backend.jobs.workflow_retention` deletes after a day.
"""

import contextvars
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

import structlog
from dbos import DBOS

from backend.formats.timestamps import Clock, utc_now
from backend.jobs.heartbeat import Heartbeat
from backend.jobs.worker_slots import Locks
from backend.runtime import tracing

log = structlog.get_logger(__name__)

MINUTE, HOUR, DAY = 60, 3600, 86_400
TICK_WORKFLOW = "schedule-tick"
MIDNIGHT = datetime(1970, 1, 1, tzinfo=UTC)
NORMAL_DELAY = timedelta(seconds=3)
"""A tick may start this late in ordinary operation: the scheduler looks at the clock once a second."""
MAX_RECOVERY_ATTEMPTS = 2
"""Limits the recoveries of a tick, since it may be the cause of the crashes."""

Outcome = Literal["ran", "failed", "stale", "overlapped", "unknown"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A function to call every ``every_seconds``, aligned to the clock in UTC.

    ``every_seconds`` divides a minute, an hour or a day evenly, so that all processes compute the same
    ticks. ``run`` is called with the present instant. It must be idempotent: it is called again for a tick
    that a killed process had begun. An exception is logged and ends only that tick.
    """

    name: str
    every_seconds: int
    run: Callable[[datetime], None]
    description: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise ValueError(f"A schedule's name is lower-case words joined by hyphens, not {self.name!r}.")
        _check_period(self.every_seconds)

    def last_tick(self, now: datetime) -> datetime:
        """Return the latest tick that is not after ``now``."""
        return now - (now - MIDNIGHT) % timedelta(seconds=self.every_seconds)

    @property
    def stale_after(self) -> timedelta:
        """A tick that would start later than this is skipped in favour of the next one."""
        return max(timedelta(seconds=self.every_seconds), NORMAL_DELAY)


def _check_period(seconds: int) -> None:
    for unit, next_unit in ((1, MINUTE), (MINUTE, HOUR), (HOUR, DAY)):
        if 0 < seconds <= next_unit and next_unit % seconds == 0 and seconds % unit == 0:
            return
    raise ValueError(f"A schedule's period divides a minute, an hour or a day evenly; {seconds} s does not.")


class Ticker:
    """Runs the ticks that this process started or took over."""

    def __init__(
        self,
        schedules: Iterable[Schedule],
        locks: Locks,
        *,
        clock: Clock = utc_now,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        self.schedules = {schedule.name: schedule for schedule in schedules}
        self._heartbeat = heartbeat
        self._locks = locks
        self._clock = clock

    def tick(self, name: str, scheduled_at: datetime) -> Outcome:
        """Run a schedule for the tick ``scheduled_at``, unless it is stale or the last tick still runs."""
        if self._heartbeat is not None:
            self._heartbeat.tick()
        schedule = self.schedules.get(name)
        if schedule is None:
            log.warning("tick_of_unknown_schedule", schedule=name)
            return "unknown"
        if self._clock() - scheduled_at > schedule.stale_after:
            return "stale"  # after a suspend all missed ticks arrive at once
        lock = f"schedule-{name}"
        if not self._locks.acquire(lock):
            log.warning("tick_skipped_while_running", schedule=name, tick=scheduled_at.isoformat())
            return "overlapped"
        try:
            return self._run(schedule, scheduled_at)
        finally:
            self._locks.release(lock)

    def register(self) -> Callable[[datetime, str], Outcome]:
        """Declare the workflow of a tick, before dbos is launched. dbos stores the outcome with the tick."""

        @DBOS.workflow(name=TICK_WORKFLOW, max_recovery_attempts=MAX_RECOVERY_ATTEMPTS)
        def tick(scheduled_at: datetime, name: str) -> Outcome:
            return self.tick(name, scheduled_at)

        return tick

    def _run(self, schedule: Schedule, scheduled_at: datetime) -> Outcome:
        """Run in an empty context, so that dbos records no steps: a tick is repeated as a whole."""
        try:
            contextvars.Context().run(_run_traced, schedule, self._clock())
        except Exception:
            log.exception("schedule_failed", schedule=schedule.name, tick=scheduled_at.isoformat())
            return "failed"
        return "ran"


def _run_traced(schedule: Schedule, now: datetime) -> None:
    with tracing.trace(f"schedule {schedule.name}", {}):
        schedule.run(now)
