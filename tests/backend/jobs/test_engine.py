import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest
import sqlalchemy as sa
from dbos import DBOS, DBOSClient, SetWorkflowID
from structlog.testing import capture_logs

from backend.jobs.engine import VERSION, JobEngine
from backend.jobs.schedules import Schedule
from backend.jobs.serializer import RecordedError
from backend.jobs.worker_slots import open_locks
from backend.markets.model import ErrorKind, ProviderError
from tests.support.jobs.dbos_tables import Launch
from tests.support.waiting import LIMIT_SECONDS

QUICKLY = 0.01
held = threading.Event()
reached = threading.Event()
holding: list[threading.Thread] = []


@DBOS.workflow(name="echo")
def echo(value: object) -> object:
    return value


@DBOS.workflow(name="fails")
def fails(provider: str) -> None:
    raise ProviderError(provider, ErrorKind.UNAVAILABLE, "no answer", retry_after=1.5)


@DBOS.workflow(name="holds")
def block_until_released() -> str:
    holding.append(threading.current_thread())
    reached.set()
    held.wait(LIMIT_SECONDS)
    return "let go"


def do_nothing(now: datetime) -> None:
    """A schedule that does nothing."""


def test_second_engine_in_one_process_is_rejected(launch: Launch) -> None:
    launch()

    with pytest.raises(RuntimeError, match="A job engine runs in this process already"):
        launch()


def test_stopped_engine_releases_its_slot(launch: Launch) -> None:
    first = launch()
    assert first.executor_id == "slot-0"

    first.stop(timeout=0)

    assert first.executor_id is None
    assert launch().executor_id == "slot-0"


def test_an_engine_takes_a_slot_that_no_other_process_holds(
    launch: Launch, database_url: str, tmp_path: Path
) -> None:
    other_locks = open_locks(database_url, tmp_path)
    other_locks.acquire("slot-0")

    assert launch().executor_id == "slot-1"
    other_locks.close()


def test_failed_launch_leaves_no_state_behind(launch: Launch, database_url: str, tmp_path: Path) -> None:
    unreachable = JobEngine("postgresql+psycopg://nobody@127.0.0.1:1/none", tmp_path, schedules=[])

    with pytest.raises(sa.exc.OperationalError):
        unreachable.launch()

    assert launch().executor_id == "slot-0"


def test_launch_that_fails_inside_dbos_releases_its_slot(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise RuntimeError("the schedules cannot be read")

    with monkeypatch.context() as broken:
        broken.setattr(DBOS, "list_schedules", refuse)
        with pytest.raises(RuntimeError, match="cannot be read"):
            launch()

    assert launch().executor_id == "slot-0"


def test_duplicate_schedule_names_are_rejected(tmp_path: Path) -> None:
    twice = [Schedule("x", 15, do_nothing), Schedule("x", 30, do_nothing)]

    with pytest.raises(ValueError, match=r"Two schedules have one name: x\."):
        JobEngine("sqlite://", tmp_path, schedules=twice)


def test_workflow_inputs_and_outputs_are_stored_as_json(launch: Launch, store: sa.Engine) -> None:
    launch()
    value = {"price": 1.5, "at": datetime(2026, 5, 18, tzinfo=UTC), "pair": [1, "a"]}

    assert DBOS.start_workflow(echo, value).get_result() == value

    prefix = "" if store.dialect.name == "sqlite" else "dbos."
    with store.connect() as connection:
        for table, column in (("workflow_input", "inputs"), ("workflow_output", "output")):
            stored = connection.exec_driver_sql(f"SELECT {column} FROM {prefix}{table}").scalar_one()
            assert '"at":{"$datetime":"2026-05-18T00:00:00+00:00"}' in stored


def test_failed_workflow_reports_its_error_to_clients(launch: Launch, client: DBOSClient) -> None:
    launch()
    with SetWorkflowID("the-failed-one"), pytest.raises(ProviderError):
        DBOS.start_workflow(fails, "coingecko").get_result()

    with pytest.raises(RecordedError, match="ProviderError: coingecko: no answer"):
        client.retrieve_workflow("the-failed-one").get_result()


def test_jobs_have_a_fixed_version_so_that_new_code_can_resume_old_jobs(
    launch: Launch, store: sa.Engine, workflows: sa.Table
) -> None:
    launch()
    DBOS.start_workflow(echo, 1).get_result()

    with store.connect() as connection:
        versions = connection.execute(sa.select(workflows.c.application_version)).scalars().all()
    assert versions == [VERSION] == ["1"]


def test_tick_runs_once_across_successive_engines_and_stores_one_row(
    launch: Launch, store: sa.Engine, workflows: sa.Table
) -> None:
    ran: list[datetime] = []
    schedule = Schedule("daily", 86_400, ran.append)
    at = schedule.last_tick(datetime.now(UTC))
    outcomes = []
    for _ in range(2):
        engine = launch(schedules=[schedule])
        with SetWorkflowID("one-tick"):
            tick = DBOS.start_workflow(engine.tick_workflow, at, "daily")
        outcomes.append(tick.get_result(polling_interval_sec=QUICKLY))
        assert DBOS.list_workflow_steps(tick.workflow_id) == []
        engine.stop(timeout=0)

    assert outcomes == ["ran", "ran"]
    assert len(ran) == 1
    with store.connect() as connection:
        assert connection.execute(sa.select(workflows.c.name)).scalars().all() == ["schedule-tick"]


def test_schedules_that_an_earlier_release_stored_are_deleted(launch: Launch) -> None:
    engine = launch(schedules=[Schedule("old", 15, do_nothing)])
    tick: Any = engine.tick_workflow
    DBOS.create_schedule(schedule_name="old", workflow_fn=tick, schedule="*/15 * * * * *", context="old")
    engine.stop(timeout=0)

    launch(schedules=[Schedule("old", 15, do_nothing)])

    assert DBOS.list_schedules() == []


def test_idle_engine_stops_before_the_timeout(launch: Launch) -> None:
    engine = launch(schedules=[Schedule("x", 15, do_nothing)])
    started = time.monotonic()

    engine.stop(timeout=2 * LIMIT_SECONDS)

    assert time.monotonic() - started < LIMIT_SECONDS


def test_job_that_outlasts_the_stop_timeout_keeps_its_slot_until_it_finishes(
    launch: Launch, database_url: str, tmp_path: Path
) -> None:
    held.clear()
    reached.clear()
    engine = launch()
    DBOS.start_workflow(block_until_released)
    assert reached.wait(LIMIT_SECONDS)

    engine.stop(timeout=0)

    other_locks = open_locks(database_url, tmp_path)
    try:
        assert not other_locks.acquire("slot-0"), "or its job would run twice at once"
    finally:
        held.set()
        other_locks.close()


def test_job_that_outlasts_the_stop_timeout_is_logged_and_ends_without_a_traceback(
    launch: Launch, caplog: pytest.LogCaptureFixture
) -> None:
    held.clear()
    reached.clear()
    engine = launch()
    DBOS.start_workflow(block_until_released)
    assert reached.wait(LIMIT_SECONDS)

    with capture_logs() as events:
        engine.stop(timeout=0)
    held.set()
    holding.pop().join(LIMIT_SECONDS)

    assert [event["event"] for event in events] == ["jobs_still_running"]
    assert [record.getMessage() for record in caplog.records if record.name == "dbos"] == []


def test_engine_opens_no_port_and_prints_nothing(
    launch: Launch, database_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    before = set(psutil.Process().net_connections())
    launch()
    DBOS.start_workflow(echo, 1).get_result()

    after = {line for line in psutil.Process().net_connections() if line not in before}
    printed = capfd.readouterr()
    assert [line for line in after if line.status == psutil.CONN_LISTEN] == []
    assert "dbos" not in (printed.out + printed.err).lower()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_accepted_jobs_survive_a_power_cut_on_sqlite(launch: Launch, store: sa.Engine) -> None:
    launch()

    with store.connect() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000}
