"""Tests the states of jobs that followers get, on both databases."""

from datetime import timedelta
from typing import Any

import orjson
import pytest

from backend.http.events import Event
from backend.jobs import job_events, job_store, transitions
from backend.jobs.job_events import JobEvents
from backend.store.database import Database
from tests.support.jobs.submitted_jobs import NOW


def submit(database: Database, **later: float) -> str:
    now = NOW + timedelta(**later)
    job = job_store.submit(database, "sources", {}, submitted_by="x", idempotency_key=None, now=now)
    return job.id


def load(source: JobEvents, job_id: str, known: Event | None = None) -> Event:
    return source.load({job_id: known})[job_id]


def parse(event: Event) -> Any:
    return orjson.loads(event.body)["data"]


def test_each_step_of_a_job_gives_a_new_state_and_its_end_the_last(database: Database) -> None:
    source, job_id = JobEvents(database), submit(database)
    states = [load(source, job_id)]

    def look() -> None:
        states.append(load(source, job_id, states[-1]))

    job = transitions.start(database, job_id, now=NOW)
    assert job is not None
    look()
    transitions.begin_step(database, job_id, 0, "search", now=NOW)
    look()
    transitions.finish_step(database, job_id, 0, {"found": 3}, now=NOW)
    look()
    transitions.begin_step(database, job_id, 0, "search", now=NOW + timedelta(seconds=1))  # once more
    look()
    transitions.complete(database, job, {}, None, now=NOW)
    look()

    assert len({state.id for state in states}) == len(states)
    assert [state.is_last for state in states] == [False] * 5 + [True]
    assert parse(states[3])["steps"][0]["detail"] == {"found": 3}
    assert parse(states[-1])["status"] == "completed"


def test_unchanged_jobs_are_not_read_again_and_deleted_ones_are_left_out(sqlite_database: Database) -> None:
    source, job_id = JobEvents(sqlite_database), submit(sqlite_database)
    event = load(source, job_id)
    assert load(source, job_id, event) is event
    assert source.load({"4f7c2a9e-0b1d-4c3e-8f5a-6d7e8f9a0b1c": event}) == {}


def test_positions_in_the_queue_are_counted_again_a_few_at_a_time(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_events, "QUEUE_POSITION_SECONDS", 0.0)
    monkeypatch.setattr(job_events, "MAX_QUEUE_POSITIONS", 1)
    source = JobEvents(sqlite_database)
    first, *waiting = [submit(sqlite_database, seconds=number) for number in range(3)]
    known = source.load(dict.fromkeys(waiting))
    transitions.start(sqlite_database, first, now=NOW)
    for changed in (1, 2):
        states = source.load(known)
        assert sum(states[job_id] is not known[job_id] for job_id in waiting) == 1
        known = states
        ahead = [parse(known[job_id])["waiting"]["jobs_ahead"] for job_id in waiting]
        assert ahead == ([0, 2] if changed == 1 else [0, 1])
