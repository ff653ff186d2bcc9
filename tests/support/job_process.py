"""A process that runs jobs, for tests that need several or have to kill one.

``python -m tests.support.job_process DATABASE_URL FOLDER`` works until SIGTERM. What happens is
written to ``FOLDER/events``, one line each: the process's slot, a word, and more.
"""

import os
import signal
import sys
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from dbos import DBOS

from backend.jobs.dispatcher import Dispatcher
from backend.jobs.engine import JobEngine
from backend.jobs.runner import JobContext, JobType
from backend.jobs.schedules import Schedule
from backend.store.database import Database, bump
from tests.support.waiting import LIMIT_SECONDS

HOLD = "hold"
"""While a file of this name is in the folder, the second step of a job does not end."""

folder = Path()
engine: JobEngine


def note(*words: object) -> None:
    line = " ".join(map(str, (engine.executor_id, *words)))
    with (folder / "events").open("a") as file:
        file.write(line + "\n")


if os.environ.get("CHAINPROOF_TEST_NEWER"):

    @DBOS.workflow(name="of-the-next-version")
    def of_the_next_version() -> None:
        """By one more workflow dbos would know a program of another version."""


def hold() -> None:
    while (folder / HOLD).exists():
        time.sleep(0.01)


def long_job(context: JobContext) -> dict[str, Any]:
    """Two steps, each of which notes who did it; the second is held."""

    def work(word: str, *, held: bool) -> int:
        note(word, os.getpid())
        if held:
            hold()
        return os.getpid()

    one = context.step("one", lambda: work("one", held=False), detail=lambda pid: {"pid": pid})
    two = context.step("two", lambda: work("two", held=True), detail=lambda pid: {"pid": pid})
    return {"pids": [one, two]}


def short_job(context: JobContext) -> dict[str, Any]:
    """Those whose number is one or more are held."""
    note("short", os.getpid(), context.job.input["n"])
    if context.job.input["n"] > 0:
        hold()
    return {"pid": os.getpid()}


def publish(connection: Any, job: Any, result: Any, now: datetime) -> None:
    bump(connection, f"published-{job.id}")


def job_types() -> list[JobType]:
    return [
        JobType("sources", long_job, concurrency=1, publish=publish),
        JobType("extraction", short_job, concurrency=1, batch=8, publish=publish),
    ]


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
        url,
        folder,
        schedules=schedules,
        dispatcher=Dispatcher(Database(url), job_types(), timeout=timedelta(seconds=120)),
    )
    engine.launch()
    note("started", os.getpid())
    while not stop.wait(0.05) and os.getppid() != 1:  # no orphans if the test run is killed
        pass
    engine.stop(timeout=LIMIT_SECONDS)  # a tick that was noted is recorded too


if __name__ == "__main__":
    # As a module of its own name, so that the jobs' functions are declared once.
    from tests.support import job_process

    job_process.main()
