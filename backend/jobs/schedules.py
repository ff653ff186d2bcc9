"""What runs by the clock: each tick once across all processes on one store.

A domain declares a :class:`Schedule`; the job engine has dbos enqueue one workflow a tick, whose id
is the schedule and the instant, so that only one process can enqueue it and only one run it. Each
tick is one row and no steps: at every 15 seconds that is 5,760 rows a day, which
:mod:`backend.jobs.retention` deletes after a day.
"""

import contextvars
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import structlog
from dbos import DBOS

from backend.instants import Clock, utc_now
from backend.jobs.heartbeat import Heartbeat
from backend.jobs.slots import Locks

log = structlog.get_logger(__name__)

MINUTE, HOUR, DAY = 60, 3600, 86_400
TICK_WORKFLOW = "schedule-tick"
MIDNIGHT = datetime(1970, 1, 1, tzinfo=UTC)
LATE = timedelta(seconds=3)
"""A tick may start this late in ordinary operation: up to a tenth of its period (10 s at the most) of
jitter before it is enqueued and a second before it is taken up."""
ATTEMPTS = 2
"""How often a tick is taken over that kills the process that runs it."""

Outcome = Literal["ran", "failed", "stale", "overlapped", "unknown"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """Something to do every so many seconds, aligned to the clock in UTC.

    ``every_seconds`` divides a minute, an hour or a day evenly, since ticks are instants of the
    clock that all processes agree on. ``run`` is called with the present instant. It may be called
    again for a tick that a killed process had begun, so it does the same when repeated. What it
    raises is logged and ends that tick alone.
    """

    name: str
    every_seconds: int
    run: Callable[[datetime], None]
    description: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise ValueError(f"A schedule's name is lower-case words joined by hyphens, not {self.name!r}.")
        _cron(self.every_seconds)

    @property
    def cron(self) -> str:
        """Six fields, seconds first, in UTC."""
        return _cron(self.every_seconds)

    def last_tick(self, now: datetime) -> datetime:
        """The latest tick that is not after ``now``."""
        return now - (now - MIDNIGHT) % timedelta(seconds=self.every_seconds)

    @property
    def stale_after(self) -> timedelta:
        """A tick that starts later than this is left to the next one."""
        return max(timedelta(seconds=self.every_seconds), LATE)


def _cron(seconds: int) -> str:
    for unit, whole, pattern in (
        (1, MINUTE, "*/{} * * * * *"),
        (MINUTE, HOUR, "0 */{} * * * *"),
        (HOUR, DAY, "0 0 */{} * * *"),
    ):
        if 0 < seconds < whole and whole % seconds == 0 and seconds % unit == 0:
            return pattern.format(seconds // unit)
    if seconds == DAY:
        return "0 0 0 * * *"
    raise ValueError(f"A schedule's period divides a minute, an hour or a day evenly; {seconds} s does not.")


class Ticker:
    """Runs the ticks that this process takes up."""

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
        """Run a schedule for the tick of ``scheduled_at``, unless that is past or the last one runs still."""
        if self._heartbeat is not None:
            self._heartbeat.tick()
        schedule = self.schedules.get(name)
        if schedule is None:
            log.warning("tick_of_unknown_schedule", schedule=name)
            return "unknown"
        if self._clock() - scheduled_at > schedule.stale_after:
            return "stale"  # after a suspend all missed ticks come at once
        lock = f"schedule-{name}"
        if not self._locks.acquire(lock):
            log.warning("tick_skipped_while_another_runs", schedule=name, tick=scheduled_at.isoformat())
            return "overlapped"
        try:
            return self._run(schedule, scheduled_at)
        finally:
            self._locks.release(lock)

    def _run(self, schedule: Schedule, scheduled_at: datetime) -> Outcome:
        """In an empty context, in which dbos records no steps: a tick is repeated whole, not resumed."""
        try:
            contextvars.Context().run(schedule.run, self._clock())
        except Exception:
            log.exception("schedule_failed", schedule=schedule.name, tick=scheduled_at.isoformat())
            return "failed"
        return "ran"


_ticker: Ticker | None = None


def use(ticker: Ticker | None) -> None:
    """Say what runs the ticks of this process, in which dbos is one alone as well."""
    global _ticker
    _ticker = ticker


def apply(schedules: Iterable[Schedule]) -> None:
    """Have dbos, once launched, tick these schedules and no others."""
    declared = {schedule.name: schedule for schedule in schedules}
    for found in DBOS.list_schedules():
        if found["schedule_name"] not in declared:
            DBOS.delete_schedule(found["schedule_name"])
    workflow: Any = _tick
    DBOS.apply_schedules(
        [
            {"schedule_name": name, "workflow_fn": workflow, "schedule": schedule.cron, "context": name}
            for name, schedule in declared.items()
        ]
    )


@DBOS.workflow(name=TICK_WORKFLOW, max_recovery_attempts=ATTEMPTS)
def _tick(scheduled_at: datetime, name: str) -> Outcome:
    """The outcome is kept with the tick until both are forgotten."""
    if _ticker is None:
        raise RuntimeError("A tick came while no job engine runs in this process.")
    return _ticker.tick(name, scheduled_at)
