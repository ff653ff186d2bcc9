"""Tests submitted jobs whose process is killed."""

import os
import signal
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from backend.jobs import job_store
from backend.jobs.engine import VERSION
from backend.jobs.model import Job
from backend.store.database import Database, change_counters
from tests.support.jobs.job_process import HOLD
from tests.support.jobs.submitted_jobs import read, submit, wait_for_end
from tests.support.jobs.worker_processes import WorkerProcesses

pytestmark = pytest.mark.processes


def now() -> datetime:
    return datetime.now(UTC)


def read_change_counters(database: Database) -> dict[str, int]:
    with database.read() as connection:
        return {row.topic: row.n for row in connection.execute(sa.select(change_counters))}


def kill(crew: WorkerProcesses, pid: str) -> str:
    """Gives the one that is left."""
    os.kill(int(pid), signal.SIGKILL)
    [survivor] = [str(process_id) for process_id in crew.processes if str(process_id) != pid]
    return survivor


def start_half_done_job(crew: WorkerProcesses, database: Database) -> tuple[Job, str]:
    """A long job whose second step waits, and the one of two processes that is at it."""
    (crew.folder / HOLD).touch()
    crew.start(2)
    job = submit(database, "sources", now=now())
    crew.wait_until(lambda: bool(crew.list_events("two")), "the second step has begun")
    [(_, victim)] = crew.list_events("one")
    return job, victim


def test_job_of_a_killed_worker_resumes_after_its_last_step_and_completes_once(
    crew: WorkerProcesses, database: Database
) -> None:
    job, victim = start_half_done_job(crew, database)

    survivor = kill(crew, victim)
    crew.wait_until(lambda: len(crew.list_events("two")) == 2, "the other process has begun the second step")
    assert read(database, job).status == "running"
    (crew.folder / HOLD).unlink()
    ended_job = wait_for_end(database, job)

    assert ended_job.result == {"pids": [int(victim), int(survivor)]}
    assert [pid for _, pid in crew.list_events("one")] == [victim], "a completed step is not done again"
    steps = job_store.list_steps(database, job.id)
    assert [(step.name, step.detail["pid"]) for step in steps] == [
        ("one", int(victim)),
        ("two", int(survivor)),
    ]
    assert read_change_counters(database) == {f"published-{job.id}": 1}
    assert ended_job.started_at is not None
    assert ended_job.attempt_at is not None
    assert ended_job.attempt_at > ended_job.started_at


def test_only_unfinished_jobs_of_a_killed_batch_run_again(crew: WorkerProcesses, database: Database) -> None:
    (crew.folder / HOLD).touch()
    jobs = [submit(database, body={"n": n}, now=now()) for n in range(3)]
    crew.start(1)
    crew.wait_until(lambda: len(crew.list_events("short")) == 2, "the second job has begun")
    [victim] = {pid for _, pid, _ in crew.list_events("short")}
    assert [read(database, job).status for job in jobs] == ["completed", "running", "pending"]

    os.kill(int(victim), signal.SIGKILL)
    (crew.folder / HOLD).unlink()
    crew.start(1)
    ended_jobs = [wait_for_end(database, job) for job in jobs]

    [survivor] = [str(pid) for pid in crew.processes if str(pid) != victim]
    assert [job.result for job in ended_jobs] == [{"pid": int(pid)} for pid in (victim, survivor, survivor)]
    assert sorted((n, pid == survivor) for _, pid, n in crew.list_events("short")) == [
        ("0", False),
        ("1", False),
        ("1", True),
        ("2", True),
    ]
    assert set(read_change_counters(database).values()) == {1}


def test_job_cancelled_after_its_worker_died_is_not_resumed(
    crew: WorkerProcesses, database: Database
) -> None:
    job, victim = start_half_done_job(crew, database)

    job_store.cancel(database, "sources", job.id, owner=None, now=now())
    kill(crew, victim)
    (crew.folder / HOLD).unlink()
    later = submit(database, "sources", now=now())

    assert wait_for_end(database, later).status == "completed"
    assert read(database, job).error == "The job was cancelled."
    assert read_change_counters(database) == {f"published-{later.id}": 1}


def test_newer_version_resumes_a_job_of_an_older_version_after_its_last_step(
    crew: WorkerProcesses, database: Database, store: sa.Engine, workflows: sa.Table
) -> None:
    (crew.folder / HOLD).touch()
    crew.start(1)
    job = submit(database, "sources", now=now())
    crew.wait_until(lambda: bool(crew.list_events("two")), "the second step has begun")
    waiting = submit(database, "sources", now=now())
    [(_, older)] = crew.list_events("one")
    crew.start(1, newer=True)
    newer = kill(crew, older)
    (crew.folder / HOLD).unlink()

    assert wait_for_end(database, job).result == {"pids": [int(older), int(newer)]}
    assert wait_for_end(database, waiting).result == {"pids": [int(newer), int(newer)]}
    with store.connect() as connection:
        versions = connection.execute(sa.select(workflows.c.application_version).distinct()).scalars().all()
    assert versions == [VERSION]
