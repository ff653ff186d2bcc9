"""Tests jobs that run in this process with a manual clock."""

import threading
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from dbos import DBOS
from sqlalchemy.engine import Connection
from sqlalchemy.exc import OperationalError

from backend.errors import BadRequest
from backend.jobs import job_store, transitions
from backend.jobs.dispatcher import START_TIMEOUT
from backend.jobs.model import CANCELLED, INTERNAL_ERROR, Job
from backend.jobs.runner import JobContext, JobStopped, JobType, Runner
from backend.store.database import Database, bump, change_counters
from tests.support.apps.market_app import Clock
from tests.support.jobs.job_harness import TIMEOUT, JobHarness, runner
from tests.support.jobs.submitted_jobs import (
    NOW,
    long_jobs,
    read,
    short_jobs,
    submit,
    wait_for_end,
)
from tests.support.waiting import LIMIT_SECONDS, wait_for

Both = pytest.mark.parametrize("kind", ["sources", "extraction"])


class Work:
    """What jobs of the test wait for, and what they have come to."""

    def __init__(self) -> None:
        self.reached = threading.Semaphore(0)
        self.let_go = threading.Event()
        self.log: list[str] = []

    def hold(self, context: JobContext) -> dict[str, Any]:
        self.log.append(context.job.title)
        self.reached.release()
        assert self.let_go.wait(LIMIT_SECONDS)
        return {"held": True}

    def wait_for(self, jobs: int) -> None:
        for _ in range(jobs):
            assert self.reached.acquire(timeout=LIMIT_SECONDS)


@pytest.fixture
def work() -> Iterator[Work]:
    work = Work()
    yield work
    work.let_go.set()


def job_of(kind: str, handle: Any, **more: Any) -> JobType:
    return long_jobs(handle, **more) if kind == "sources" else short_jobs(handle, **more)


@Both
def test_a_submitted_job_is_completed(harness: JobHarness, kind: Any) -> None:
    harness.open(long_jobs(), short_jobs())

    job = wait_for_end(harness.database, submit(harness.database, kind, {"n": 21}))

    assert (job.status, job.result, job.error) == ("completed", {"twice": 42}, None)
    assert job.started_at == job.completed_at == NOW


def test_jobs_that_were_submitted_before_any_worker_started_are_run(harness: JobHarness) -> None:
    waiting = [submit(harness.database, body={"n": n}) for n in range(11)]
    harness.open(short_jobs())

    assert [wait_for_end(harness.database, job).result for job in waiting] == [
        {"twice": 2 * n} for n in range(11)
    ]


@Both
def test_failed_job_has_an_error_message(harness: JobHarness, kind: Any) -> None:
    def refuse(context: JobContext) -> dict[str, Any]:
        if context.job.input["n"] == 1:
            raise BadRequest("The page has no text.")
        raise ZeroDivisionError("secret detail")

    harness.open(job_of(kind, refuse))

    with_words = wait_for_end(harness.database, submit(harness.database, kind, {"n": 1}))
    fault = wait_for_end(harness.database, submit(harness.database, kind, {"n": 2}))

    assert (with_words.status, with_words.error) == ("failed", "The page has no text.")
    assert (fault.status, fault.error) == ("failed", INTERNAL_ERROR)


def test_non_json_result_fails_the_job(database: Database) -> None:
    job = submit(database)

    runner(database, short_jobs(lambda context: {"at": object()})).run("extraction", [job.id])

    assert (read(database, job).status, read(database, job).error) == ("failed", INTERNAL_ERROR)


def test_failed_job_does_not_affect_other_jobs_of_its_batch(database: Database) -> None:
    def handle(context: JobContext) -> dict[str, Any]:
        return {"part": 12 // context.job.input["n"]}

    jobs = [submit(database, body={"n": n}) for n in (3, 0, 4)]

    runner(database, short_jobs(handle)).run("extraction", [job.id for job in jobs])

    assert [read(database, job).result for job in jobs] == [{"part": 4}, None, {"part": 3}]


def test_batch_skips_jobs_that_have_ended(database: Database) -> None:
    def cancel_the_other(context: JobContext) -> dict[str, Any]:
        job_store.cancel(database, "extraction", second.id, owner=None, now=NOW)
        return {"done": context.job.id}

    first, second = submit(database), submit(database)

    runner(database, short_jobs(cancel_the_other)).run("extraction", [first.id, second.id])

    assert read(database, first).result == {"done": first.id}
    assert read(database, second).error == CANCELLED


def test_a_result_is_published_in_the_transaction_that_completes_the_job(database: Database) -> None:
    def publish(connection: Connection, job: Job, result: Mapping[str, Any], now: datetime) -> None:
        bump(connection, f"n-{job.input['n']}")
        if job.input["n"] == 2:
            raise RuntimeError("cannot be published")

    jobs = [submit(database, body={"n": n}) for n in (1, 2)]

    runner(database, short_jobs(publish=publish)).run("extraction", [job.id for job in jobs])

    assert [read(database, job).status for job in jobs] == ["completed", "failed"]
    with database.read() as connection:
        assert connection.execute(sa.select(change_counters.c.topic)).scalars().all() == ["n-1"]


def test_running_job_lists_its_steps(harness: JobHarness, work: Work) -> None:
    def handle(context: JobContext) -> dict[str, Any]:
        found = context.step("search", lambda: [1, 2, 3], detail=lambda found: {"found": len(found)})
        context.step("read", lambda: work.hold(context))
        return {"found": found}

    harness.open(long_jobs(handle))
    job = submit(harness.database, "sources")
    work.wait_for(1)

    search, reading = job_store.list_steps(harness.database, job.id)
    assert (search.name, search.finished_at, search.detail) == ("search", NOW, {"found": 3})
    assert (reading.name, reading.finished_at) == ("read", None)

    work.let_go.set()
    assert wait_for_end(harness.database, job).result == {"found": [1, 2, 3]}
    assert job_store.list_steps(harness.database, job.id)[1].finished_at == NOW


def test_a_cancelled_job_stops_before_its_next_step(harness: JobHarness, work: Work) -> None:
    def handle(context: JobContext) -> dict[str, Any]:
        context.step("one", lambda: work.hold(context))
        context.step("two", lambda: work.log.append("never"))
        return {}

    harness.open(long_jobs(handle))
    job = submit(harness.database, "sources", title="mine")
    work.wait_for(1)

    job_store.cancel(harness.database, "sources", job.id, owner=None, now=NOW)
    work.let_go.set()
    harness.engine.stop(timeout=LIMIT_SECONDS)

    assert read(harness.database, job).error == CANCELLED
    assert work.log == ["mine"]
    assert [step.name for step in job_store.list_steps(harness.database, job.id)] == ["one"]


def test_timed_out_job_fails_before_its_next_step(database: Database) -> None:
    clock, stops = Clock(NOW), []

    def handle(context: JobContext) -> dict[str, Any]:
        assert context.remaining() == 120
        clock.at += timedelta(seconds=121)
        assert context.remaining() == -1
        try:
            context.step("two", lambda: pytest.fail("there is no time for it"))
        except JobStopped as stop:
            stops.append(str(stop))
            raise
        return {}

    job = submit(database)
    runner(database, short_jobs(handle), clock=clock).run("extraction", [job.id])

    sentence = "The job did not end within 120 seconds and was stopped."
    assert stops == [sentence]
    assert (read(database, job).status, read(database, job).error) == ("failed", sentence)


def test_job_with_a_hanging_thread_times_out_and_its_result_is_discarded(
    harness: JobHarness, work: Work
) -> None:
    dispatcher = harness.open(long_jobs(work.hold))
    job = submit(harness.database, "sources")
    work.wait_for(1)

    harness.clock.at += TIMEOUT + timedelta(seconds=1)
    dispatcher.sweep()

    assert "did not end within 120 seconds" in (read(harness.database, job).error or "")
    work.let_go.set()
    harness.engine.stop(timeout=LIMIT_SECONDS)
    assert read(harness.database, job).status == "failed"
    assert read(harness.database, job).result is None


def test_new_worker_waits_before_failing_old_interrupted_jobs(harness: JobHarness) -> None:
    job = submit(harness.database, "sources")
    transitions.start(harness.database, job.id, now=NOW - timedelta(hours=1))
    dispatcher = harness.open(long_jobs())

    harness.clock.at += START_TIMEOUT - timedelta(seconds=1)
    dispatcher.sweep()
    assert read(harness.database, job).status == "running"
    harness.clock.at += timedelta(seconds=1)
    dispatcher.sweep()

    assert "did not end within" in (read(harness.database, job).error or "")


def test_hanging_threads_are_replaced_once_and_their_number_is_limited(
    harness: JobHarness, work: Work
) -> None:
    harness.open(long_jobs(work.hold, concurrency=2))

    for already in (0, 2):
        for n in range(2):
            submit(harness.database, "sources", title=f"{already + n}", now=harness.clock.at)
        work.wait_for(2)
        harness.clock.at += TIMEOUT + timedelta(seconds=1)
    waiting = submit(harness.database, "sources", title="4")

    assert not work.reached.acquire(timeout=0.5)
    assert read(harness.database, waiting).status == "pending"
    work.let_go.set()
    assert wait_for_end(harness.database, waiting).status == "completed"


def test_number_of_concurrent_jobs_is_limited_by_the_threads_of_their_kind(
    harness: JobHarness, work: Work
) -> None:
    harness.open(long_jobs(work.hold, concurrency=3), short_jobs())
    jobs = [submit(harness.database, "sources", title=f"{n}") for n in range(8)]
    work.wait_for(3)

    assert wait_for_end(harness.database, submit(harness.database)).status == "completed", (
        "other kinds have their own"
    )
    assert len(work.log) == 3
    assert [read(harness.database, job).status for job in jobs].count("pending") == 5

    work.let_go.set()
    assert {wait_for_end(harness.database, job).status for job in jobs} == {"completed"}


def test_pending_jobs_are_distributed_over_idle_threads(harness: JobHarness, work: Work) -> None:
    jobs = [submit(harness.database) for _ in range(4)]
    harness.open(short_jobs(work.hold, concurrency=2, batch=4))

    work.wait_for(2)

    states = sorted(read(harness.database, job).status for job in jobs)
    assert states == ["pending", "pending", "running", "running"]
    work.let_go.set()
    assert {wait_for_end(harness.database, job).status for job in jobs} == {"completed"}


def test_dbos_stores_only_the_id_of_a_job(harness: JobHarness, store: sa.Engine) -> None:
    harness.open(short_jobs(lambda context: {"text": context.job.input["text"]}))

    job = wait_for_end(harness.database, submit(harness.database, body={"text": "a long secret " * 1000}))

    assert job.status == "completed"
    harness.engine.stop(timeout=LIMIT_SECONDS)
    prefix = "" if store.dialect.name == "sqlite" else "dbos."
    with store.connect() as connection:
        [stored] = connection.exec_driver_sql(f"SELECT inputs FROM {prefix}workflow_input").scalars()
        outputs = connection.exec_driver_sql(f"SELECT output FROM {prefix}workflow_output").scalars().all()
    assert job.id in stored
    assert len(stored) < 200
    assert "secret" not in f"{stored}{outputs}"


def test_jobs_that_dbos_rejects_become_pending_again(
    harness: JobHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    dispatcher = harness.open(short_jobs())

    def refuse(*args: Any) -> None:
        raise OperationalError("INSERT", {}, Exception("the disk is full"))

    with monkeypatch.context() as broken:
        broken.setattr(DBOS, "start_workflow", refuse)
        job = submit(harness.database)
        wait_for(lambda: dispatcher._failing, "A dispatcher that has seen the fault")

    assert wait_for_end(harness.database, job).status == "completed"


def test_jobs_claimed_by_a_dead_process_are_released_by_another(harness: JobHarness) -> None:
    job = submit(harness.database)
    transitions.claim(harness.database, "extraction", limit=1, now=NOW)
    dispatcher = harness.open(short_jobs())

    harness.clock.at += START_TIMEOUT
    dispatcher.sweep()
    assert read(harness.database, job).status == "pending"
    harness.clock.at += timedelta(seconds=1)
    dispatcher.sweep()

    assert wait_for_end(harness.database, job).status == "completed"


def test_stopped_dispatcher_claims_no_jobs(harness: JobHarness) -> None:
    dispatcher = harness.open(short_jobs())
    dispatcher.stop()

    job = submit(harness.database)

    assert not dispatcher._thread.is_alive()
    assert read(harness.database, job).status == "pending"


def test_duplicate_job_kinds_are_rejected(database: Database) -> None:
    with pytest.raises(ValueError, match="Two job types have one kind"):
        runner(database, short_jobs(), short_jobs())


def test_each_job_of_a_batch_has_its_own_start_time(database: Database) -> None:
    clock = Clock(NOW)

    def slow(context: JobContext) -> dict[str, Any]:
        clock.move(seconds=1)
        return {}

    jobs = [submit(database) for _ in range(3)]
    Runner(database, [short_jobs(slow)], timeout=TIMEOUT, clock=clock).run(
        "extraction", [job.id for job in jobs]
    )

    spans = [(read(database, job).started_at, read(database, job).completed_at) for job in jobs]
    second = timedelta(seconds=1)
    assert spans == [(NOW + n * second, NOW + (n + 1) * second) for n in range(3)]


def test_batch_skips_a_job_that_another_worker_claimed_meanwhile(database: Database) -> None:
    clock = Clock(NOW)
    first, second = submit(database), submit(database)

    def long(context: JobContext) -> dict[str, Any]:
        clock.at += 2 * START_TIMEOUT
        assert transitions.release_stale_claims(database, taken_before=clock.at - START_TIMEOUT) == [
            second.id
        ]
        return {}

    transitions.claim(database, "extraction", limit=2, now=NOW)
    Runner(database, [short_jobs(long)], timeout=TIMEOUT, clock=clock).run(
        "extraction", [first.id, second.id], NOW
    )

    assert [read(database, job).status for job in (first, second)] == ["completed", "pending"]
