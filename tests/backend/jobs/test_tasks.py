"""Tests which submitted jobs are deleted, and when."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.jobs import job_store, tasks, transitions
from backend.jobs.model import Job
from backend.jobs.tables import job_steps, submissions
from backend.jobs.tasks import job_schedules
from backend.store import response_cache
from backend.store.database import Database
from tests.support.jobs.submitted_jobs import MINUTE, NOW, count, short_jobs, submit

MONTH = timedelta(days=30)


def ended_at(database: Database, ago: timedelta) -> Job:
    """A job with a step that was cancelled so long ago."""
    job = submit(database, now=NOW - ago - MINUTE)
    transitions.begin_step(database, job.id, 0, "search", now=NOW - ago)
    job_store.cancel(database, job.kind, job.id, owner=None, now=NOW - ago)
    return job


def is_stored(database: Database, job: Job) -> bool:
    return job_store.read(database, job.kind, job.id, owner=None) is not None


def test_ended_jobs_and_their_steps_are_deleted_after_a_month(database: Database) -> None:
    old = ended_at(database, MONTH + MINUTE)
    young = ended_at(database, MONTH - MINUTE)
    never_ended = submit(database, now=NOW - 2 * MONTH)

    [schedule] = job_schedules(database, [], keep=MONTH)
    schedule.run(NOW)

    assert [is_stored(database, job) for job in (old, young, never_ended)] == [False, True, True]
    with database.read() as connection:
        assert connection.execute(sa.select(job_steps.c.job_id)).scalars().all() == [young.id]


def test_job_and_its_job_type_data_are_deleted_together_or_not_at_all(database: Database) -> None:
    old, result = ended_at(database, 2 * MONTH), []

    def forget(connection: Connection, ids: Sequence[str]) -> None:
        result.append(list(ids))
        if len(result) == 1:
            raise RuntimeError("not now")

    [schedule] = job_schedules(database, [short_jobs(forget=forget)], keep=MONTH)
    with pytest.raises(RuntimeError):
        schedule.run(NOW)
    assert is_stored(database, old)
    schedule.run(NOW)

    assert result == [[old.id], [old.id]]
    assert not is_stored(database, old)


def test_more_ended_jobs_than_one_batch_are_all_deleted(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "BATCH_JOBS", 2)
    for _ in range(5):
        ended_at(database, 2 * MONTH)

    assert tasks.delete_ended_jobs(database, [], before=NOW - MONTH) == 5
    assert count(database) == 0


def test_idempotency_keys_are_deleted_after_a_day_and_cached_responses_on_expiry(database: Database) -> None:
    submit(database, key="old", now=NOW - timedelta(hours=24))
    submit(database, key="young", now=NOW - timedelta(hours=23))
    answer = response_cache.key_of("page", "https://example.org/")
    response_cache.keep(database, answer, "page", {}, keep_for=MINUTE, now=NOW - 2 * MINUTE)

    [schedule] = job_schedules(database, [], keep=MONTH)
    schedule.run(NOW)

    with database.read() as connection:
        assert connection.execute(sa.select(submissions.c.idempotency_key)).scalars().all() == ["young"]
        assert (
            connection.execute(sa.select(sa.func.count()).select_from(response_cache.kept_answers)).scalar()
            == 0
        )
