import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from dbos import DBOS, SetWorkflowID

from backend.jobs import worker_slots
from backend.jobs.worker_slots import (
    FileLocks,
    LockLost,
    Locks,
    PostgresLocks,
    Sweeper,
    open_locks,
    take_slot,
)
from tests.support.jobs.dbos_tables import Launch
from tests.support.waiting import LIMIT_SECONDS

calls: list[str] = []


@DBOS.step()
def counted_step() -> str:
    calls.append("step")
    return "made once"


@DBOS.workflow(name="one-counted-step")
def one_counted_step() -> str:
    calls.append("workflow")
    return counted_step()


@pytest.fixture
def open_process_locks(database_url: str, tmp_path: Path) -> Iterator[Callable[[], Locks]]:
    """Locks as each further process on the store would open them."""
    opened: list[Locks] = []

    def open_process_locks() -> Locks:
        opened.append(open_locks(database_url, tmp_path))
        return opened[-1]

    yield open_process_locks
    for locks in opened:
        locks.close()


def cut_every_line(store: sa.Engine) -> None:
    """End the sessions that hold locks, as a restart of PostgreSQL does."""
    query = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'chainproof_slot' AND datname = current_database()
    """
    with store.connect() as connection:
        connection.exec_driver_sql(query)


def test_each_process_takes_the_lowest_free_slot(open_process_locks: Callable[[], Locks]) -> None:
    first, second, third = open_process_locks(), open_process_locks(), open_process_locks()
    assert [take_slot(locks) for locks in (first, second)] == ["slot-0", "slot-1"]

    first.close()

    assert take_slot(third) == "slot-0"


def test_lock_excludes_other_processes_and_a_second_acquire_by_its_holder(
    open_process_locks: Callable[[], Locks],
) -> None:
    own_locks, other_locks = open_process_locks(), open_process_locks()

    assert own_locks.acquire("schedule-x")
    assert not own_locks.acquire("schedule-x")
    assert not other_locks.acquire("schedule-x")
    assert other_locks.acquire("schedule-y")


def test_a_released_lock_is_free_for_others(open_process_locks: Callable[[], Locks]) -> None:
    own_locks, other_locks = open_process_locks(), open_process_locks()
    own_locks.acquire("schedule-x")

    own_locks.release("schedule-x")

    assert other_locks.acquire("schedule-x")


def test_verifying_held_locks_raises_no_error(open_process_locks: Callable[[], Locks]) -> None:
    locks = open_process_locks()
    for number in range(20):
        locks.acquire(f"schedule-{number}")

    locks.verify()


def test_number_of_processes_is_limited_by_the_slots(
    open_process_locks: Callable[[], Locks], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_slots, "MAX_SLOTS", 1)
    take_slot(open_process_locks())

    with pytest.raises(RuntimeError, match="1 processes run jobs on this store already"):
        take_slot(open_process_locks())


def test_lock_type_depends_on_the_database(
    database_url: str, open_process_locks: Callable[[], Locks]
) -> None:
    kind = FileLocks if database_url.startswith("sqlite") else PostgresLocks
    assert isinstance(open_process_locks(), kind)


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_lost_connection_is_detected_and_releases_the_slot(
    open_process_locks: Callable[[], Locks], store: sa.Engine
) -> None:
    locks = open_process_locks()
    take_slot(locks)

    cut_every_line(store)

    with pytest.raises(LockLost, match="connection that holds the locks failed"):
        locks.verify()
    assert take_slot(open_process_locks()) == "slot-0"


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_locks_discarded_by_a_connection_pooler_are_detected(open_process_locks: Callable[[], Locks]) -> None:
    locks = open_process_locks()
    assert isinstance(locks, PostgresLocks)
    take_slot(locks)

    locks._connection.exec_driver_sql("DISCARD ALL")

    with pytest.raises(LockLost, match="no longer holds"):
        locks.verify()


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_a_process_that_lost_its_slot_stops_working(
    launch: Launch, store: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_slots, "VERIFY_SECONDS", 0.02)
    result = threading.Event()
    launch(on_slot_lost=result.set)

    cut_every_line(store)

    assert result.wait(LIMIT_SECONDS)


def test_database_outage_does_not_stop_the_process(
    open_process_locks: Callable[[], Locks], monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = open_process_locks()
    warnings: list[str] = []

    def raise_connection_error(**_: object) -> None:
        raise sa.exc.OperationalError("SELECT", {}, Exception("the server closed the connection"))

    monkeypatch.setattr(DBOS, "list_workflows", raise_connection_error)
    monkeypatch.setattr(worker_slots.log, "warning", lambda event, **_: warnings.append(event))
    sweeper = Sweeper(locks, take_slot(locks), on_lost=lambda: None)

    sweeper.sweep()
    sweeper.sweep()

    assert warnings == ["slot_takeover_failed"], "it is reported once"


@pytest.fixture
def orphan(launch: Launch, store: sa.Engine, workflows: sa.Table, monkeypatch: pytest.MonkeyPatch) -> str:
    """A job of slot-7 that had done its step when its process died; the engine's own thread leaves it."""
    monkeypatch.setattr(Sweeper, "sweep", lambda _: None)
    launch()
    calls.clear()
    with SetWorkflowID("orphan"):
        assert DBOS.start_workflow(one_counted_step).get_result() == "made once"
    dead = {"status": "PENDING", "executor_id": "slot-7", "completed_at": None, "output": None}
    with store.begin() as connection:
        connection.execute(sa.update(workflows).where(workflows.c.workflow_uuid == "orphan").values(**dead))
    return "orphan"


def load_owner(store: sa.Engine, workflows: sa.Table, job: str) -> tuple[Any, ...]:
    with store.connect() as connection:
        query = sa.select(workflows.c.status, workflows.c.executor_id)
        return tuple(connection.execute(query.where(workflows.c.workflow_uuid == job)).one())


def test_a_dead_process_job_is_resumed_without_repeating_its_steps(
    orphan: str, store: sa.Engine, workflows: sa.Table, open_process_locks: Callable[[], Locks]
) -> None:
    assert worker_slots.take_over(open_process_locks(), "slot-0") == {"slot-7": 1}

    assert DBOS.retrieve_workflow(orphan).get_result(polling_interval_sec=0.01) == "made once"
    assert load_owner(store, workflows, orphan) == ("SUCCESS", "slot-0")
    assert calls == ["workflow", "step", "workflow"]


def test_job_is_cancelled_after_too_many_takeovers(
    orphan: str, store: sa.Engine, workflows: sa.Table, open_process_locks: Callable[[], Locks]
) -> None:
    DBOS.update_workflow_attributes(orphan, {"take_overs": worker_slots.MAX_TAKE_OVERS})

    assert worker_slots.take_over(open_process_locks(), "slot-0") == {}

    assert load_owner(store, workflows, orphan)[0] == "CANCELLED"


def test_takeover_increments_the_takeover_count_of_the_job(
    orphan: str, open_process_locks: Callable[[], Locks]
) -> None:
    worker_slots.take_over(open_process_locks(), "slot-0")

    [found] = DBOS.list_workflows(workflow_ids=[orphan])
    assert found.attributes == {"take_overs": 1}


def test_job_of_a_running_process_is_not_taken_over(
    orphan: str, store: sa.Engine, workflows: sa.Table, open_process_locks: Callable[[], Locks]
) -> None:
    open_process_locks().acquire("slot-7")

    assert worker_slots.take_over(open_process_locks(), "slot-0") == {}
    assert load_owner(store, workflows, orphan) == ("PENDING", "slot-7")


def test_a_process_never_takes_over_its_own_jobs(
    orphan: str, store: sa.Engine, workflows: sa.Table, open_process_locks: Callable[[], Locks]
) -> None:
    assert worker_slots.take_over(open_process_locks(), "slot-7") == {}
    assert load_owner(store, workflows, orphan) == ("PENDING", "slot-7")


def test_a_slot_is_free_again_after_its_jobs_were_taken_over(
    orphan: str, store: sa.Engine, open_process_locks: Callable[[], Locks]
) -> None:
    worker_slots.take_over(open_process_locks(), "slot-0")

    assert open_process_locks().acquire("slot-7")
