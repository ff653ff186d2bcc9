"""Tests submitting, reading, listing and cancelling jobs without a worker."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from backend.errors import BadRequest, Conflict
from backend.jobs import job_store, transitions
from backend.jobs.idempotency import Submission, bind_key, compute_digest
from backend.jobs.model import CANCELLED
from backend.jobs.tables import submissions
from backend.store.database import Database
from tests.support.jobs.submitted_jobs import MINUTE, NOW, count, read, submit

DAY = timedelta(hours=24)


def test_submitted_job_is_stored_when_it_is_accepted(database: Database) -> None:
    body = {"text": "Bitcoin \0 億 🚀", "nested": {"list": [1, None, 2.5]}}

    job = submit(database, "sources", body, title="  Bitcoin \0\n億 ", by="key-7")

    other_process = Database(database.url)
    try:
        assert job_store.read(other_process, "sources", job.id, owner=None) == job
    finally:
        other_process.dispose()
    assert (job.status, job.created_at, job.submitted_by) == ("pending", NOW, "key-7")
    assert (job.started_at, job.completed_at, job.error, job.result) == (None, None, None, None)
    assert job.input == body
    assert job.title == "Bitcoin 億"


def test_long_title_is_truncated_and_the_body_is_not(database: Database) -> None:
    job = submit(database, body={"text": "x" * 200_000}, title="x" * 200_000)

    assert len(read(database, job).title) == 200
    assert len(read(database, job).input["text"]) == 200_000


def test_non_json_body_is_rejected_and_not_stored(database: Database) -> None:
    with pytest.raises(TypeError):
        submit(database, body={"at": object()})

    assert count(database) == 0


def test_jobs_of_another_kind_and_unknown_ids_are_not_found(database: Database) -> None:
    job = submit(database, "sources")

    assert job_store.read(database, "extraction", job.id, owner=None) is None
    assert job_store.read(database, "sources", str(uuid.uuid4()), owner=None) is None
    assert job_store.cancel(database, "extraction", job.id, owner=None, now=NOW) is None
    assert read(database, job).status == "pending"


def test_repeated_submission_returns_the_first_job_for_a_day(database: Database) -> None:
    first = submit(database, body={"a": 1, "b": 2}, key="k")

    repeated = submit(database, body={"b": 2, "a": 1}, key="k", now=NOW + DAY - MINUTE)
    after_a_day = submit(database, body={"a": 1, "b": 2}, key="k", now=NOW + DAY)
    then = submit(database, body={"a": 1, "b": 2}, key="k", now=NOW + DAY + MINUTE)

    assert repeated.id == first.id
    assert after_a_day.id != first.id
    assert then.id == after_a_day.id
    assert count(database) == 2


def test_repeated_submission_returns_the_current_state_of_the_first_job(database: Database) -> None:
    first = submit(database, key="k")
    job_store.cancel(database, "extraction", first.id, owner=None, now=NOW)

    assert submit(database, key="k").error == CANCELLED


def test_same_idempotency_key_with_another_body_or_kind_conflicts(database: Database) -> None:
    submit(database, "sources", {"n": 1}, key="k")

    with pytest.raises(Conflict, match="Send a new key with a new submission"):
        submit(database, "sources", {"n": 2}, key="k")
    with pytest.raises(Conflict):
        submit(database, "extraction", {"n": 1}, key="k")
    assert count(database) == 1


def test_idempotency_key_can_be_reused_with_another_body_after_a_day(database: Database) -> None:
    submit(database, body={"n": 1}, key="k")

    assert submit(database, body={"n": 2}, key="k", now=NOW + DAY).input == {"n": 2}


def test_idempotency_keys_are_scoped_by_credential_and_optional(database: Database) -> None:
    ids = {
        submit(database, key="k", by="one").id,
        submit(database, key="k", by="two").id,
        submit(database).id,
        submit(database).id,
    }

    assert len(ids) == 4


def test_idempotency_key_of_a_deleted_job_creates_a_new_job(database: Database) -> None:
    submit(database, key="k")
    with database.write() as connection:
        connection.execute(sa.update(submissions).values(job_id="gone"))

    job = submit(database, key="k")

    assert submit(database, key="k").id == job.id


def test_key_of_a_submission_of_another_kind_conflicts(database: Database) -> None:
    scan = Submission("a-key", "k", compute_digest("scan", []))
    with database.write() as connection:
        assert bind_key(connection, scan, "a-scan", answer=b"found", now=NOW) is None
        earlier = bind_key(connection, scan, "another", answer=b"other", now=NOW)
    assert earlier is not None
    assert (earlier.job_id, earlier.answer) == ("a-scan", b"found")
    with pytest.raises(Conflict):
        submit(database, key="k")


def test_ten_concurrent_identical_submissions_create_one_job(database: Database) -> None:
    with ThreadPoolExecutor(10) as pool:
        ids = set(pool.map(lambda _: submit(database, key="k").id, range(10)))

    assert len(ids) == 1
    assert count(database) == 1


def test_cancelled_job_is_failed_with_an_error_message(database: Database) -> None:
    job = submit(database)

    cancelled = job_store.cancel(database, "extraction", job.id, owner=None, now=NOW + MINUTE)

    assert cancelled == read(database, job)
    assert (cancelled.status, cancelled.error) == ("failed", "The job was cancelled.")
    assert cancelled.completed_at == NOW + MINUTE
    assert transitions.claim(database, "extraction", limit=10, now=NOW) == []


def test_ended_job_is_not_cancelled(database: Database) -> None:
    job = submit(database)
    transitions.start(database, job.id, now=NOW)
    transitions.complete(database, job, {"n": 1}, None, now=NOW)

    found = job_store.cancel(database, "extraction", job.id, owner=None, now=NOW + MINUTE)

    assert found == read(database, job)
    assert (found.status, found.error, found.result) == ("completed", None, {"n": 1})


def test_jobs_are_listed_by_kind_newest_first_with_pagination(database: Database) -> None:
    same_instant = [submit(database, title=f"{n}") for n in range(3)]
    later = submit(database, now=NOW + MINUTE)
    submit(database, "sources", now=NOW + 2 * MINUTE)

    listed, cursor, pages = [], None, 0
    while pages == 0 or cursor is not None:
        page = job_store.list_recent(database, "extraction", owner=None, limit=2, before=cursor)
        listed += [job.id for job in page.jobs]
        cursor, pages = page.next_cursor, pages + 1

    oldest_last = sorted((job.id for job in same_instant), reverse=True)
    assert listed == [later.id, *oldest_last]
    assert pages == 2


@pytest.mark.parametrize("cursor", ["", "x", "ü", "AAAA", "A" * 33, "~" * 32])
def test_invalid_cursor_is_rejected(database: Database, cursor: str) -> None:
    with pytest.raises(BadRequest, match="next_cursor"):
        job_store.list_recent(database, "sources", owner=None, limit=2, before=cursor)


def test_steps_are_listed_in_order_with_their_outcomes(database: Database) -> None:
    job = submit(database)
    for position, name in enumerate(["search", "read"]):
        transitions.begin_step(database, job.id, position, name, now=NOW + position * MINUTE)
    transitions.finish_step(database, job.id, 0, {"found": 3}, now=NOW + MINUTE)

    search, reading = job_store.list_steps(database, job.id)

    assert (search.name, search.started_at, search.finished_at) == ("search", NOW, NOW + MINUTE)
    assert search.detail == {"found": 3}
    assert (reading.name, reading.finished_at, reading.detail) == ("read", None, {})
    assert job_store.list_steps(database, "another") == []


def test_pending_job_counts_the_jobs_ahead_and_running(database: Database) -> None:
    first, second, last = (submit(database, now=NOW + n * MINUTE) for n in range(3))
    submit(database, "sources", now=NOW)
    transitions.start(database, first.id, now=NOW)

    assert job_store.count_waiting(database, last) == {"jobs_ahead": 1, "jobs_running": 1}
    assert job_store.count_waiting(database, second) == {"jobs_ahead": 0, "jobs_running": 1}
