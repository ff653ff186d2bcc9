"""Tests jobs whose store is read-only or unreachable for a moment."""

from typing import Any

import pytest
from dbos._sys_db import SystemDatabase
from sqlalchemy.exc import OperationalError

from backend.jobs import transitions
from backend.jobs.runner import JobContext
from backend.store.database import Database
from tests.support.jobs.job_harness import JobHarness, runner
from tests.support.jobs.submitted_jobs import long_jobs, read, short_jobs, submit, wait_for_end


def test_short_database_outage_does_not_lose_a_job_result(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete, failures = transitions.complete, [1, 1]

    def sometimes(*args: Any, **more: Any) -> bool:
        if failures:
            failures.pop()
            raise OperationalError("UPDATE", {}, Exception("the server closed the connection"))
        return complete(*args, **more)

    monkeypatch.setattr(transitions, "complete", sometimes)
    job = submit(database, body={"n": 5})

    runner(database, short_jobs()).run("extraction", [job.id])

    assert read(database, job).result == {"twice": 10}


def fails_twice(monkeypatch: pytest.MonkeyPatch, place: object, name: str) -> None:
    """As a full disk does until there is room again."""
    real, failures = getattr(place, name), [1, 1]

    def sometimes(*args: Any, **more: Any) -> Any:
        if failures:
            failures.pop()
            raise OperationalError("INSERT", {}, Exception("database or disk is full"))
        return real(*args, **more)

    monkeypatch.setattr(place, name, sometimes)


def two_steps(context: JobContext) -> dict[str, Any]:
    return {"found": [context.step("search", lambda: 3), context.step("weigh", lambda: 5)]}


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (transitions, "is_running"),
        (transitions, "begin_step"),
        (transitions, "finish_step"),
        (SystemDatabase, "_check_operation_execution_txn"),
        (SystemDatabase, "_record_operation_result_txn"),
    ],
)
def test_temporary_write_failures_between_steps_do_not_fail_a_job(
    harness: JobHarness, monkeypatch: pytest.MonkeyPatch, place: object, name: str
) -> None:
    fails_twice(monkeypatch, place, name)
    harness.open(long_jobs(two_steps))
    end = wait_for_end(harness.database, submit(harness.database, "sources"))
    assert (end.status, end.error) == ("completed", None)
    assert end.result == {"found": [3, 5]}


def test_no_step_is_recorded_after_an_unrecorded_step(
    harness: JobHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, recorded = SystemDatabase._record_operation_result_txn, []

    def but_not_the_first(self: SystemDatabase, result: Any, *args: Any, **more: Any) -> None:
        if result["function_name"] == "search":
            raise OperationalError("INSERT", {}, Exception("database or disk is full"))
        recorded.append(result["function_name"])
        record(self, result, *args, **more)

    monkeypatch.setattr(SystemDatabase, "_record_operation_result_txn", but_not_the_first)
    harness.open(long_jobs(two_steps))
    assert wait_for_end(harness.database, submit(harness.database, "sources")).result == {"found": [3, 5]}
    assert "weigh" not in recorded
