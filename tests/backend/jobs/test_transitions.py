"""Tests the state transitions of jobs."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.jobs import job_store, transitions
from backend.jobs.model import MAX_WAIT, NEVER_STARTED, Job
from backend.store.database import Database, bump, change_counters
from tests.support.jobs.submitted_jobs import MINUTE, NOW, read, submit

TIMEOUT = timedelta(seconds=120)


def publish(connection: Connection, job: Job, result: Mapping[str, Any], now: datetime) -> None:
    bump(connection, f"published-{result['n']}")


def list_published_topics(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.execute(sa.select(change_counters.c.topic)).scalars())


def start_job(database: Database, *, now: datetime = NOW) -> Job:
    job = submit(database)
    transitions.claim(database, job.kind, limit=1, now=now)
    found = transitions.start(database, job.id, now=now)
    assert found is not None
    return found


def test_the_oldest_jobs_are_claimed_first_and_once(database: Database) -> None:
    last = submit(database, now=NOW + MINUTE)
    first = submit(database, now=NOW - MINUTE)
    middle = submit(database, now=NOW)
    submit(database, "sources")

    assert transitions.has_waiting_jobs(database, ["extraction"])
    assert transitions.claim(database, "extraction", limit=2, now=NOW) == [first.id, middle.id]
    assert transitions.claim(database, "extraction", limit=2, now=NOW) == [last.id]
    assert transitions.claim(database, "extraction", limit=2, now=NOW) == []
    assert not transitions.has_waiting_jobs(database, ["extraction"])
    assert transitions.has_waiting_jobs(database, ["extraction", "sources"])


def test_concurrent_workers_never_claim_the_same_job(database: Database) -> None:
    ids = {submit(database).id for _ in range(40)}

    with ThreadPoolExecutor(8) as pool:
        claimed = pool.map(lambda _: transitions.claim(database, "extraction", limit=3, now=NOW), range(40))
        parts = list(claimed)
    all_taken = [job_id for part in parts for job_id in part]

    assert max(map(len, parts)) == 3
    assert len(all_taken) == len(set(all_taken))
    assert set(all_taken) == ids


def test_stale_claims_are_released(database: Database) -> None:
    forgotten, claimed, running = submit(database), submit(database), submit(database)
    transitions.claim(database, "extraction", limit=3, now=NOW)
    transitions.start(database, running.id, now=NOW)
    transitions.release_claims(database, [claimed.id])
    transitions.claim(database, "extraction", limit=1, now=NOW + MINUTE)

    assert transitions.release_stale_claims(database, taken_before=NOW + MINUTE) == [forgotten.id]

    assert transitions.claim(database, "extraction", limit=3, now=NOW) == [forgotten.id]
    assert read(database, running).status == "running"


def test_restarted_job_keeps_its_first_start_time(database: Database) -> None:
    job = start_job(database)

    assert transitions.start(database, job.id, now=NOW + MINUTE) is not None

    restarted = read(database, job)
    assert (restarted.status, restarted.started_at, restarted.attempt_at) == ("running", NOW, NOW + MINUTE)


def test_jobs_that_have_ended_are_not_started(database: Database) -> None:
    cancelled, waiting = submit(database), submit(database)
    job_store.cancel(database, "extraction", cancelled.id, owner=None, now=NOW)

    assert transitions.start(database, cancelled.id, now=NOW) is None
    assert transitions.start(database, "unknown", now=NOW) is None
    assert transitions.start(database, waiting.id, now=NOW) == read(database, waiting)


def test_a_stale_claim_cannot_start_a_released_job(database: Database) -> None:
    job = submit(database)
    transitions.claim(database, "extraction", limit=1, now=NOW)
    transitions.release_stale_claims(database, taken_before=NOW + MINUTE)
    assert transitions.start(database, job.id, now=NOW + MINUTE, taken_at=NOW) is None

    transitions.claim(database, "extraction", limit=1, now=NOW + MINUTE)
    assert transitions.start(database, job.id, now=NOW + MINUTE, taken_at=NOW) is None
    assert transitions.start(database, job.id, now=NOW + MINUTE, taken_at=NOW + MINUTE) is not None


def test_a_job_that_no_worker_claimed_for_a_day_fails_with_a_message(database: Database) -> None:
    old, claimed = submit(database), submit(database)
    transitions.start(database, claimed.id, now=NOW)
    fresh = submit(database, now=NOW + MAX_WAIT)

    assert transitions.fail_never_started(database, now=NOW + MAX_WAIT) == []
    assert transitions.fail_never_started(database, now=NOW + MAX_WAIT + MINUTE) == [old.id]

    failed = read(database, old)
    assert (failed.status, failed.error, failed.started_at) == ("failed", NEVER_STARTED, None)
    assert [read(database, job).status for job in (claimed, fresh)] == ["running", "pending"]


def test_a_result_is_stored_and_published_once(database: Database) -> None:
    job = start_job(database)

    assert transitions.complete(database, job, {"n": 1}, publish, now=NOW)
    assert not transitions.complete(database, job, {"n": 2}, publish, now=NOW + MINUTE)
    assert not transitions.fail(database, job.id, "Too late.", now=NOW + MINUTE)

    finished_job = read(database, job)
    assert (finished_job.status, finished_job.result, finished_job.error) == ("completed", {"n": 1}, None)
    assert finished_job.completed_at == NOW
    assert list_published_topics(database) == ["published-1"]


def test_a_failing_publish_rolls_back_completion(database: Database) -> None:
    job = start_job(database)

    def publish_and_fail(connection: Connection, job: Job, result: Mapping[str, Any], now: datetime) -> None:
        publish(connection, job, result, now)
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        transitions.complete(database, job, {"n": 1}, publish_and_fail, now=NOW)

    assert read(database, job) == job
    assert list_published_topics(database) == []


def test_the_result_of_a_cancelled_job_is_discarded(database: Database) -> None:
    job = start_job(database)
    job_store.cancel(database, "extraction", job.id, owner=None, now=NOW)

    assert not transitions.complete(database, job, {"n": 1}, publish, now=NOW)

    assert read(database, job).status == "failed"
    assert read(database, job).result is None
    assert list_published_topics(database) == []


def test_an_overdue_job_fails_with_the_timeout_counted_from_its_latest_start(database: Database) -> None:
    overdue = start_job(database, now=NOW)
    in_time = start_job(database, now=NOW + MINUTE)
    waiting = submit(database, now=NOW - timedelta(days=1))
    at_the_end = NOW + TIMEOUT

    assert transitions.fail_overdue(database, timeout=TIMEOUT, now=at_the_end) == []
    later = at_the_end + timedelta(seconds=1)
    assert transitions.fail_overdue(database, timeout=TIMEOUT, now=later) == [overdue.id]

    failed = read(database, overdue)
    assert failed.error == "The job did not end within 120 seconds and was stopped."
    assert (failed.status, failed.completed_at) == ("failed", later)
    assert read(database, in_time).status == "running"
    assert read(database, waiting).status == "pending"


def test_a_repeated_step_is_listed_once(database: Database) -> None:
    transitions.begin_step(database, "job", 0, "search", now=NOW)
    transitions.begin_step(database, "job", 0, "search", now=NOW + MINUTE)

    [step] = job_store.list_steps(database, "job")
    assert (step.started_at, step.finished_at) == (NOW + MINUTE, None)
