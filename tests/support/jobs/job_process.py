"""Runs jobs in a process of its own, for tests that need several or kill one.

``python -m tests.support.jobs.job_process DATABASE_URL FOLDER`` runs until SIGTERM. It writes each event to a
line of ``FOLDER/events``: the process's slot, the name of the event, and details.
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
"""While a file of this name exists in the folder, the second step of a job waits."""

folder = Path()
engine: JobEngine


def record(*words: object) -> None:
    line = " ".join(map(str, (engine.executor_id, *words)))
    with (folder / "events").open("a") as file:
        file.write(line + "\n")


if os.environ.get("CHAINPROOF_TEST_NEWER"):

    @DBOS.workflow(name="of-the-next-version")
    def of_the_next_version() -> None:
        """One more workflow makes dbos see another version of the program."""


def wait_while_held() -> None:
    while (folder / HOLD).exists():
        time.sleep(0.01)


def long_job(context: JobContext) -> dict[str, Any]:
    """Two steps that record their process; the second waits while held."""

    def work(word: str, *, held: bool) -> int:
        record(word, os.getpid())
        if held:
            wait_while_held()
        return os.getpid()

    first = context.step("one", lambda: work("one", held=False), detail=lambda pid: {"pid": pid})
    two = context.step("two", lambda: work("two", held=True), detail=lambda pid: {"pid": pid})
    return {"pids": [first, two]}


def short_job(context: JobContext) -> dict[str, Any]:
    """Jobs with a number of at least one wait while held."""
    record("short", os.getpid(), context.job.input["n"])
    if context.job.input["n"] > 0:
        wait_while_held()
    return {"pid": os.getpid()}


def publish(connection: Any, job: Any, result: Any, now: datetime) -> None:
    bump(connection, f"published-{job.id}")


def job_types() -> list[JobType]:
    return [
        JobType("sources", long_job, concurrency=1, publish=publish),
        JobType("extraction", short_job, concurrency=1, batch=8, publish=publish),
    ]


def tick(now: datetime) -> None:
    record("tick")


def failing_tick(now: datetime) -> None:
    record("failing")
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
    record("started", os.getpid())
    while not stop.wait(0.05) and os.getppid() != 1:  # no orphans if the test run is killed
        pass
    engine.stop(timeout=LIMIT_SECONDS)  # so that a recorded tick is also stored


if __name__ == "__main__":
    # Import under its own name, so that the jobs' functions are declared once.
    from tests.support.jobs import job_process

    job_process.main()
