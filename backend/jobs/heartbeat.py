"""Records the heartbeat of a worker, and reports the state of all workers on a store.

The job dispatcher writes the heartbeat after it has looked for jobs, and the heartbeat carries the time of
the last schedule that ran. A worker whose threads hang, or whose start fails, shows as missing although its
process lives.
"""

import os
import socket
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa

from backend.formats.timestamps import Clock, utc_now, write_instant
from backend.jobs.tables import workers
from backend.store.database import Database, upsert

BEAT_SECONDS = 5.0
MISSING_AFTER = timedelta(seconds=30)
STALLED_AFTER = timedelta(seconds=120)
"""Twice the longest period that ``CHAINPROOF_TICK_SECONDS`` allows."""
ENDED_AFTER = timedelta(seconds=20)
"""A worker without a sign of life for this time counts as ended, even without an orderly stop."""
EARLY_EXIT_WITHIN = timedelta(seconds=60)
RESTART_WINDOW = timedelta(minutes=5)
RESTARTING_COUNT = 3
ROW_RETENTION = timedelta(days=1)
MAX_CLOCK_SKEW = timedelta(seconds=60)
"""The clocks of several machines may differ by this much. A heartbeat from further ahead is from a clock that
has been set back since."""

State = Literal["working", "waiting", "stalled", "restarting", "missing"]


@dataclass(frozen=True, slots=True)
class WorkerState:
    """The state of the workers on a store.

    - ``working``: a worker looks for jobs and runs schedules.
    - ``waiting``: none does, but one has started, was seen or was stopped in the last 30 seconds.
    - ``stalled``: a worker looks for jobs, but no schedule has run for two minutes.
    - ``restarting``: a worker died at least three times in five minutes, each time within a minute.
    - ``missing``: no worker has been seen for 30 seconds; ``seen_at`` is None if none ever was.

    ``started_at``, ``seen_at`` and ``ticked_at`` are the latest of all workers.
    ``workers`` counts those that work now; ``restarts`` those of the last five minutes that died within a
    minute.
    """

    state: State
    started_at: datetime | None = None
    seen_at: datetime | None = None
    ticked_at: datetime | None = None
    workers: int = 0
    restarts: int = 0

    @property
    def is_fault(self) -> bool:
        return self.state in ("stalled", "restarting", "missing")

    def sentence(self, now: datetime) -> str:
        """Describe the state and what to do about it."""
        match self.state:
            case "working":
                count = "1 worker is" if self.workers == 1 else f"{self.workers} workers are"
                return f"{count} running; last seen {_format_seconds_since(self.seen_at, now)} ago."
            case "waiting":
                return "No worker is running yet; one is starting, or stopped less than 30 seconds ago."
            case "stalled":
                return (
                    f"A worker is running, but no schedule has run since {_format_utc(self.ticked_at)}. "
                    "Restart the worker; its log says why."
                )
            case "restarting":
                return (
                    f"The worker keeps failing: {self.restarts} starts in the last 5 minutes ended within "
                    "a minute. Its log says why."
                )
        if self.seen_at is None and self.started_at is not None:
            started_at = _format_utc(self.started_at)
            return f"A worker started at {started_at} and never looked for jobs. Its log says why."
        if self.seen_at is None:
            return f"No worker has run on this store. {START_HINT}"
        return f"No worker has been seen since {_format_utc(self.seen_at)}. {START_HINT}"

    def as_wire(self) -> dict[str, Any]:
        """Return the fields of ``worker`` in ``GET /markets/status``."""
        seen_text = None if self.seen_at is None else write_instant(self.seen_at.replace(microsecond=0))
        return {"state": self.state, "seen_at": seen_text, "restarts": self.restarts}


START_HINT = "Start one with 'chainproof worker', or everything with 'chainproof up'."


def worker_state(database: Database, now: datetime, *, up_since: datetime | None = None) -> WorkerState:
    """Determine the state of the store's workers at ``now``; reads one small table.

    ``up_since`` is the start of the calling service: a worker that starts with it gets 30 seconds.
    """
    with database.read() as connection:
        rows = connection.execute(sa.select(workers)).all()
    state = _evaluate(rows, now)
    if state.state == "missing" and up_since is not None and _is_recent(up_since, now, MISSING_AFTER):
        return WorkerState("waiting", seen_at=state.seen_at)
    return state


class WorkerWatch:
    """Reports the state of a store's workers to a service, with its own start time as the grace period."""

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self.clock = clock
        self._up_since = clock()

    def state(self) -> WorkerState:
        return worker_state(self._database, self.clock(), up_since=self._up_since)


class Heartbeat:
    """The row of this worker process. Its methods may be called by several threads."""

    def __init__(
        self,
        database: Database,
        *,
        clock: Clock = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._clock = clock
        self._monotonic = monotonic
        self._row: dict[str, Any] = {
            "id": str(uuid.uuid4()),
            "host": socket.gethostname()[:255],
            "pid": os.getpid(),
            "started_at": clock(),
        }
        self._last_beat: float | None = None
        self._last_tick = monotonic()  # no schedule is late yet

    def start(self) -> None:
        """Record that a worker process starts, before it does anything that may fail."""
        sign = sa.func.coalesce(workers.c.seen_at, workers.c.started_at)
        with self._database.write() as connection:
            connection.execute(sa.delete(workers).where(sign < self._row["started_at"] - ROW_RETENTION))
            upsert(connection, workers, [self._row])

    def beat(self) -> None:
        """Record that the worker looks for jobs; at most every five seconds. Called by the dispatcher."""
        at = self._monotonic()
        if self._last_beat is not None and at - self._last_beat < BEAT_SECONDS:
            return
        now = self._clock()
        tick_age = timedelta(seconds=at - self._last_tick)  # the clock may have been set since the tick
        self._write(seen_at=now, ticked_at=now - tick_age)
        self._last_beat = at

    def tick(self) -> None:
        """Record in memory that a schedule ran; the next heartbeat stores it."""
        self._last_tick = self._monotonic()

    def stop(self) -> None:
        """Record an orderly stop, which does not count as a failed start."""
        self._write(stopped_at=self._clock())

    def _write(self, **values: datetime) -> None:
        with self._database.write() as connection:  # upsert: the row may be deleted after a day of sleep
            upsert(connection, workers, [{**self._row, **values}])


def _evaluate(rows: Sequence[Any], now: datetime) -> WorkerState:
    working = [row for row in rows if row.stopped_at is None and _is_recent(row.seen_at, now, MISSING_AFTER)]
    ticked_at = max((row.ticked_at or row.started_at for row in working), default=None)
    ended_young = [row for row in rows if _has_died_early(row, now)]
    if len(ended_young) >= RESTARTING_COUNT and any(
        _is_recent(_find_last_sign_of_life(row), now, EARLY_EXIT_WITHIN) for row in ended_young
    ):
        state: State = "restarting"
    elif working:
        state = "working" if _is_recent(ticked_at, now, STALLED_AFTER) else "stalled"
    else:
        signs = [row.stopped_at or _find_last_sign_of_life(row) for row in rows]
        state = "waiting" if any(_is_recent(sign, now, MISSING_AFTER) for sign in signs) else "missing"
    return WorkerState(
        state,
        started_at=max((row.started_at for row in rows), default=None),
        seen_at=max((row.seen_at for row in rows if row.seen_at is not None), default=None),
        ticked_at=ticked_at,
        workers=len(working),
        restarts=len(ended_young),
    )


def _has_died_early(row: Any, now: datetime) -> bool:
    """Whether a recently started worker died within a minute."""
    return (
        row.stopped_at is None
        and _is_recent(row.started_at, now, RESTART_WINDOW)
        and not _is_recent(_find_last_sign_of_life(row), now, ENDED_AFTER)
        and _find_last_sign_of_life(row) - row.started_at < EARLY_EXIT_WITHIN
    )


def _find_last_sign_of_life(row: Any) -> datetime:
    """Return the last heartbeat, or the start if there is none."""
    at: datetime = row.seen_at or row.started_at
    return at


def _is_recent(at: datetime | None, now: datetime, max_age: timedelta) -> bool:
    return at is not None and -MAX_CLOCK_SKEW <= now - at <= max_age


def _format_seconds_since(at: datetime | None, now: datetime) -> str:
    seconds = 0 if at is None else max(0, round((now - at).total_seconds()))
    return "1 second" if seconds == 1 else f"{seconds} seconds"


def _format_utc(at: datetime | None) -> str:
    return "its start" if at is None else f"{at:%Y-%m-%d %H:%M:%S} UTC"
