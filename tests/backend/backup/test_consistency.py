"""Tests that a backup during writes contains each job accepted before its start once, and no later one."""

import threading
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from backend.backup.archive import ArchiveMember, ArchiveWriter
from backend.jobs import job_store
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.engine import JobEngine
from backend.jobs.model import Job
from backend.jobs.runner import JobContext
from backend.jobs.tables import job_steps, jobs, submissions
from backend.store.database import Database, bump, change_counters
from tests.backend.backup.conftest import Install, Installation
from tests.support.jobs.submitted_jobs import long_jobs, short_jobs, submit, wait_for_end
from tests.support.store.databases import Store
from tests.support.waiting import LIMIT_SECONDS


class Writer:
    """Submits a job with an idempotency key from its own thread, each time ``write`` is called."""

    def __init__(self, database: Database) -> None:
        self.accepted: list[str] = []
        self._database = database
        self._go, self._done, self._end = threading.Semaphore(0), threading.Semaphore(0), False
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def write(self) -> None:
        self._go.release()
        assert self._done.acquire(timeout=LIMIT_SECONDS), "a writer waits for the backup"

    def end(self) -> None:
        self._end = True
        self._go.release()
        self._thread.join(timeout=LIMIT_SECONDS)

    def _write(self) -> None:
        while self._go.acquire() and not self._end:
            job = submit(self._database, key=f"key-{len(self.accepted)}")
            self.accepted.append(job.id)
            self._done.release()


def test_a_backup_is_one_snapshot_and_blocks_no_writer(
    install: Install, tmp_path: Path, kind: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = install(kind), install(kind, empty=True)
    add = ArchiveWriter.add

    with source.open() as database:
        writer = Writer(database)
        for _ in range(3):
            writer.write()
        before = list(writer.accepted)

        def add_while_others_write(self: ArchiveWriter, path: str, chunks: Iterable[bytes]) -> ArchiveMember:
            writer.write()  # before each table
            return add(self, path, chunks)

        monkeypatch.setattr(ArchiveWriter, "add", add_while_others_write)
        file = source.back_up(tmp_path / "b.zip").file
        writer.end()

    assert len(writer.accepted) > len(before) + 20
    target.restore(file)
    assert {row.id for row in target.read_rows(jobs)} == set(before)
    assert {row.job_id for row in target.read_rows(submissions)} == set(before)


def test_each_accepted_job_completes_once_after_a_restore(
    install: Install, tmp_path: Path, kind: Store
) -> None:
    source, target = install(kind), install(kind, empty=True)
    release, started = threading.Event(), threading.Semaphore(0)
    runs: list[str] = []

    def handle(context: JobContext) -> dict[str, int]:
        runs.append(context.job.id)
        started.release()
        assert release.wait(LIMIT_SECONDS)
        return {"n": 1}

    def publish(connection: sa.Connection, job: Job, _result: object, _now: datetime) -> None:
        bump(connection, f"published-{job.id}")

    def build_engine(installation: Installation, database: Database) -> JobEngine:
        types = [long_jobs(handle, publish=publish, concurrency=1), short_jobs(handle, publish=publish)]
        return JobEngine(
            installation.settings.jobs_database_url,
            installation.home,
            schedules=[],
            dispatcher=Dispatcher(database, types, timeout=timedelta(seconds=LIMIT_SECONDS)),
        )

    with source.open() as database, build_engine(source, database):
        release.set()
        done = submit(database, "sources", now=datetime.now(UTC))
        assert wait_for_end(database, done).status == "completed"
        assert started.acquire(timeout=LIMIT_SECONDS)
        release.clear()
        running = submit(database, "sources", now=datetime.now(UTC))
        assert started.acquire(timeout=LIMIT_SECONDS)
        waiting = submit(database, "sources", now=datetime.now(UTC))
        claimed = submit(database, "sources", now=datetime.now(UTC))
        with database.write() as connection:  # claimed by a process that died before it started the job
            statement = sa.update(jobs).where(jobs.c.id == claimed.id).values(enqueued_at=datetime.now(UTC))
            connection.execute(statement)
        file = source.back_up(tmp_path / "b.zip").file
        release.set()
        assert wait_for_end(database, running).status == "completed", "after the backup"
        assert wait_for_end(database, waiting).status == "completed"

    target.restore(file)
    runs.clear()
    unfinished = {running.id, waiting.id, claimed.id}
    assert {row.id for row in target.read_rows(jobs) if row.status == "pending"} == unfinished
    assert target.read_rows(job_steps) == []
    with target.open() as database, build_engine(target, database):
        for job in (running, waiting, claimed):
            assert wait_for_end(database, job).status == "completed"
        assert job_store.read(database, "sources", done.id, owner=None) is not None
    assert sorted(runs) == sorted(unfinished)
    published = {
        row.topic: row.n % 1_000 for row in target.read_rows(change_counters) if "published" in row.topic
    }
    assert published == {f"published-{job.id}": 1 for job in (done, running, waiting, claimed)}
