"""Tests when a worker counts as working, and how its state is reported."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from backend.jobs.dispatcher import Dispatcher
from backend.jobs.heartbeat import Heartbeat, WorkerState, WorkerWatch, worker_state
from backend.jobs.schedules import Schedule
from backend.jobs.tables import workers
from backend.store.database import Database
from tests.support.apps.market_app import Clock
from tests.support.jobs.dbos_tables import Launch
from tests.support.jobs.submitted_jobs import NOW
from tests.support.waiting import wait_for

Start = Callable[..., None]


@pytest.fixture
def started(sqlite_database: Database) -> Start:
    """Store a worker that started so many seconds ago, with what else is known of it, in seconds ago too."""

    def add(ago: float, **ages: float) -> None:
        row: dict[str, Any] = {"host": "here", "pid": 1, "started_at": NOW - timedelta(seconds=ago)}
        row |= {name: NOW - timedelta(seconds=seconds) for name, seconds in ages.items()}
        with sqlite_database.write() as connection:
            count = connection.execute(sa.select(sa.func.count()).select_from(workers)).scalar_one()
            connection.execute(sa.insert(workers).values(id=str(count), **row))

    return add


def state(database: Database) -> str:
    return worker_state(database, NOW).state


def test_missing_worker_is_reported_on_a_new_database(sqlite_database: Database) -> None:
    found = worker_state(sqlite_database, NOW)
    assert (found.state, found.seen_at, found.is_fault) == ("missing", None, True)
    assert found.sentence(NOW).startswith("No worker has run on this store.")


@pytest.mark.parametrize(
    ("worker", "expected"),
    [
        ({"ago": 900, "seen_at": 4, "ticked_at": 10}, "working"),
        ({"ago": 20, "seen_at": 4}, "working"),
        ({"ago": 900, "seen_at": 30, "ticked_at": 40}, "working"),
        ({"ago": 900, "seen_at": 31, "ticked_at": 40}, "missing"),
        ({"ago": 900, "seen_at": -3, "ticked_at": -3}, "working"),  # another machine's clock is ahead
        ({"ago": 900, "seen_at": -3600, "ticked_at": -3600}, "missing"),  # the clock was set back
        ({"ago": 900, "seen_at": 4, "ticked_at": 121}, "stalled"),
        ({"ago": 121, "seen_at": 4}, "stalled"),
        ({"ago": 6}, "waiting"),
        ({"ago": 31}, "missing"),
        ({"ago": 900, "seen_at": 5, "ticked_at": 5, "stopped_at": 3}, "waiting"),
        ({"ago": 900, "seen_at": 35, "ticked_at": 35, "stopped_at": 33}, "missing"),
    ],
)
def test_worker_state_depends_on_its_last_poll_and_schedule_run(
    sqlite_database: Database, started: Start, worker: dict[str, float], expected: str
) -> None:
    started(**worker)
    assert state(sqlite_database) == expected


def test_one_working_worker_of_several_is_sufficient(sqlite_database: Database, started: Start) -> None:
    started(900, seen_at=400, ticked_at=400)
    started(900, seen_at=3, ticked_at=500)
    started(900, seen_at=2, ticked_at=7)
    found = worker_state(sqlite_database, NOW)
    assert (found.state, found.workers) == ("working", 2)
    assert found.sentence(NOW) == "2 workers are running; last seen 2 seconds ago."


def test_three_early_crashes_are_a_fault_even_with_a_working_worker(
    sqlite_database: Database, started: Start
) -> None:
    started(900, seen_at=3, ticked_at=3)
    started(70)
    started(55, seen_at=50)
    assert state(sqlite_database) == "working"
    started(40)
    found = worker_state(sqlite_database, NOW)
    assert (found.state, found.restarts, found.is_fault) == ("restarting", 3, True)
    assert "3 starts in the last 5 minutes" in found.sentence(NOW)


@pytest.mark.parametrize(
    "died",
    [
        {"ago": 200},  # long enough ago that it is over
        {"ago": 280, "seen_at": 50},  # lived for minutes
        {"ago": 50, "stopped_at": 45},  # was stopped
    ],
)
def test_old_long_lived_or_stopped_starts_do_not_count_as_crashes(
    sqlite_database: Database, started: Start, died: dict[str, float]
) -> None:
    for _ in range(4):
        started(**died)
    started(40, seen_at=3, ticked_at=3)
    assert state(sqlite_database) == "working"


def test_new_service_waits_30_seconds_for_its_worker(sqlite_database: Database) -> None:
    clock = Clock(NOW)
    watch = WorkerWatch(sqlite_database, clock)
    assert watch.state().state == "waiting"
    clock.move(seconds=31)
    assert watch.state().state == "missing"


def test_heartbeat_reports_a_worker_from_start_to_stop(database: Database) -> None:
    clock, seconds = Clock(NOW), [100.0]
    heartbeat = Heartbeat(database, clock=clock, monotonic=lambda: seconds[0])

    def now() -> WorkerState:
        return worker_state(database, clock.at)

    def move(by: float) -> None:
        seconds[0] += by
        clock.move(seconds=by)

    heartbeat.start()
    assert now().state == "waiting"
    heartbeat.tick()
    move(2)
    heartbeat.beat()
    assert (now().state, now().seen_at, now().ticked_at) == ("working", clock.at, NOW)
    move(4)
    heartbeat.beat()
    assert now().seen_at == NOW + timedelta(seconds=2), "every beat would be a write"
    move(1)
    heartbeat.beat()
    assert now().seen_at == clock.at
    heartbeat.stop()
    assert now().state == "waiting"
    move(31)
    assert now().state == "missing"


def test_old_starts_are_deleted_and_a_deleted_worker_can_register_again(database: Database) -> None:
    clock = Clock(NOW)
    asleep = Heartbeat(database, clock=clock)
    asleep.start()
    clock.move(days=2)
    Heartbeat(database, clock=clock).start()
    with database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(workers)).scalar_one() == 1
    asleep.beat()
    assert worker_state(database, clock.at).state == "working"


def test_dispatcher_polls_and_schedule_runs_update_the_heartbeat(launch: Launch, database: Database) -> None:
    seconds = [100.0]
    heartbeat = Heartbeat(database, clock=Clock(NOW), monotonic=lambda: seconds[0])
    heartbeat.start()
    seconds[0] += 3600  # so that only a tick makes schedules look on time
    nothing = Schedule("nothing", 1, lambda _now: None)
    dispatcher = Dispatcher(database, [], timeout=timedelta(seconds=1), heartbeat=heartbeat)
    launch(schedules=[nothing], dispatcher=dispatcher, heartbeat=heartbeat)

    def state_later() -> str:
        seconds[0] += 10
        return state(database)

    wait_for(lambda: state_later() == "working", "A recorded tick")


def test_failing_dispatcher_sends_no_heartbeat(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    heartbeat = Heartbeat(sqlite_database)
    heartbeat.start()
    dispatcher = Dispatcher(sqlite_database, [], timeout=timedelta(seconds=1), heartbeat=heartbeat)
    tries = []

    def fail() -> int:
        tries.append(1)
        if len(tries) > 1:
            dispatcher._stop.set()
        raise RuntimeError("no such table")

    monkeypatch.setattr(dispatcher, "take", fail)
    dispatcher._work()
    with sqlite_database.read() as connection:
        assert connection.execute(sa.select(workers.c.seen_at)).scalar_one() is None
