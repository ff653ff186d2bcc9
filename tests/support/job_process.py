"""A process that runs jobs, for tests that need several or have to kill one.

``python -m tests.support.job_process DATABASE_URL FOLDER`` works until SIGTERM. What happens is
written to ``FOLDER/events``, one line each: the process's slot, a word, and more.
"""

import os
import signal
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

from dbos import DBOS

from backend.jobs.engine import JobEngine, JobQueue
from backend.jobs.schedules import Schedule

QUEUE = "test-process"
HOLD = "hold"
"""While a file of this name is in the folder, the second step of a job does not end."""

folder = Path()
engine: JobEngine


def note(*words: object) -> None:
    line = " ".join(map(str, (engine.executor_id, *words)))
    with (folder / "events").open("a") as file:
        file.write(line + "\n")


@DBOS.step()
def first_step() -> int:
    note("first", os.getpid())
    return os.getpid()


@DBOS.step()
def second_step() -> int:
    note("second", os.getpid())
    while (folder / HOLD).exists():
        time.sleep(0.01)
    return os.getpid()


@DBOS.workflow(name="two-steps")
def two_steps() -> list[int]:
    return [first_step(), second_step()]


def tick(now: datetime) -> None:
    note("tick")


def failing_tick(now: datetime) -> None:
    note("failing")
    raise ValueError("this tick fails each time")


def main() -> None:
    global folder, engine
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    url, folder = sys.argv[1], Path(sys.argv[2])
    schedules = [Schedule("test-second", 1, tick), Schedule("test-failing", 1, failing_tick)]
    engine = JobEngine(
        url, folder, schedules=schedules, queues=[JobQueue(QUEUE, concurrency=4, poll_seconds=0.1)]
    )
    engine.launch()
    note("started", os.getpid())
    while not stop.wait(0.05) and os.getppid() != 1:  # no orphans if the test run is killed
        pass
    engine.stop(timeout=1)


if __name__ == "__main__":
    # As a module of its own name, so that the jobs' functions are declared once.
    from tests.support import job_process

    job_process.main()
