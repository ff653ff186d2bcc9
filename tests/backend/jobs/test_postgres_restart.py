"""Tests a worker whose PostgreSQL is restarted."""

import signal
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backend import migrations
from backend.jobs.model import Job
from backend.store.database import Database
from tests.support.jobs.submitted_jobs import submit, wait_for_end
from tests.support.processes.programs import Program, create_home, start
from tests.support.processes.running import free_port
from tests.support.store.databases import OwnServer
from tests.support.test_session import requirements, run_folder
from tests.support.waiting import wait_for

pytestmark = pytest.mark.processes
WAITS = "store_wait_started"
TEXT = "Bitcoin and Ethereum rose after the Federal Reserve held its rate."


@pytest.fixture
def server() -> Iterator[OwnServer]:
    """A server for this test alone, since the run's own serves other tests at the same time."""
    with tempfile.TemporaryDirectory(dir=run_folder.path()) as folder:
        try:
            server = OwnServer(Path(folder) / "pgdata")
        except Exception as error:  # noqa: BLE001 - whatever keeps PostgreSQL from starting on this machine
            requirements.skip_or_fail(f"No PostgreSQL for tests: {type(error).__name__}: {error}")
        yield server
        server.stop()


def wait_for_log(worker: Program, event: str) -> None:
    def is_logged() -> bool:
        assert worker.process.poll() is None, f"It ended: {worker.words}"
        return event in worker.words

    wait_for(is_logged, f"The event {event!r}")


def test_worker_survives_a_postgresql_restart_and_finishes_earlier_and_later_jobs(
    server: OwnServer, tmp_path: Path
) -> None:
    url = server.url.replace("postgresql://", "postgresql+psycopg://", 1)
    migrations.upgrade(url)
    database = Database(url)

    def submitted() -> Job:
        return submit(database, body={"text": TEXT}, now=datetime.now(UTC))

    with create_home(tmp_path) as home:
        worker = start(home, "worker", CHAINPROOF_DATABASE_URL=url, CHAINPROOF_LOG_LEVEL="info")
        wait_for_log(worker, "worker_started")
        before = [submitted() for _ in range(20)]
        server.stop(signal.SIGINT)
        wait_for_log(worker, WAITS)
        server.start()
        after = submitted()

        assert [wait_for_end(database, job).status for job in (*before, after)] == ["completed"] * 21
        assert worker.words.count("job_slot_lost") == 1
        assert worker.stop() == 0
    database.dispose()


def test_worker_that_waits_for_postgresql_stops_on_request(tmp_path: Path) -> None:
    url = f"postgresql+psycopg://127.0.0.1:{free_port()}/none"
    with create_home(tmp_path) as home:
        worker = start(home, "worker", "--slots-lost=1", CHAINPROOF_DATABASE_URL=url)
        wait_for_log(worker, WAITS)
        assert worker.stop() == 0
        assert worker.words.count(WAITS) == len(worker.words.splitlines()) == 1
