"""The job engine: dbos, launched once a process, with all that it needs to be left alone.

Jobs and schedules outlive the process that runs them: they are kept in ``jobs.db`` or in
PostgreSQL's schema ``dbos``, and another process takes over what a dead one had begun. The functions
that jobs consist of are declared with ``@DBOS.workflow`` and ``@DBOS.step`` before the launch.
"""

import contextlib
import logging
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sa
import structlog
from dbos import DBOS, DBOSConfig

from backend.jobs import schedules as ticking
from backend.jobs.retention import retention
from backend.jobs.schedules import Schedule, Ticker
from backend.jobs.serializer import JsonSerializer
from backend.jobs.slots import Locks, Sweeper, open_locks, take_slot

log = structlog.get_logger(__name__)

APPLICATION = "chainproof"
VERSION = "1"
"""Fixed, since a job of another version would wait for ever. A change of a job's steps keeps those it
has in their order, or gives the job another name."""
THREADS = 64
"""How many jobs and ticks one process runs at once at the most."""
LOST_SLOT_EXIT_CODE = 70


@dataclass(frozen=True, slots=True)
class JobQueue:
    """Jobs that wait for their turn: at most ``concurrency`` at once in each process.

    One process starts at most ``concurrency / poll_seconds`` jobs a second.
    """

    name: str
    concurrency: int
    poll_seconds: float = 1.0


def exit_at_once() -> None:
    """End the process without another line of work: its jobs may be another's by now."""
    logging.shutdown()
    os._exit(LOST_SLOT_EXIT_CODE)


class JobEngine:
    """Runs schedules and jobs until it is stopped; one at a time in a process, as dbos is.

    Every process on one store may have one, each under a slot of its own (``executor_id``). A
    process that only submits jobs needs none: a ``DBOSClient`` with :class:`JsonSerializer` does that.
    """

    _running: "JobEngine | None" = None

    def __init__(
        self,
        database_url: str,
        home: Path,
        *,
        schedules: Sequence[Schedule],
        queues: Sequence[JobQueue] = (),
        keep_jobs: timedelta = timedelta(days=30),
        on_slot_lost: Callable[[], None] = exit_at_once,
    ) -> None:
        self._database_url = database_url
        self._home = home
        self._schedules = [*schedules, retention(keep_jobs)]
        self._queues = queues
        self._on_slot_lost = on_slot_lost
        self._ends = contextlib.ExitStack()
        self.executor_id: str | None = None
        """The slot that this process holds, while it runs."""
        names = [schedule.name for schedule in self._schedules]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"Two schedules have one name: {', '.join(twice)}.")

    def launch(self) -> None:
        """Start to work. Unfinished jobs of this process's slot go on where they stopped."""
        if JobEngine._running is not None:
            raise RuntimeError("A job engine runs in this process already; stop it first.")
        JobEngine._running = self
        with contextlib.ExitStack() as ends:  # undoes what was done if the launch fails
            ends.callback(setattr, JobEngine, "_running", None)
            locks = open_locks(self._database_url, self._home)
            ...
