"""Tests several processes on one store, and processes that are killed."""

import signal
from collections import Counter

import pytest
import sqlalchemy as sa
from dbos import DBOSClient

from backend.jobs.engine import LOST_SLOT_EXIT_CODE
from backend.jobs.schedules import TICK_WORKFLOW
from tests.support.jobs.worker_processes import WorkerProcesses
from tests.support.waiting import LIMIT_SECONDS

pytestmark = pytest.mark.processes


def test_each_tick_runs_once_across_three_processes_and_failures_are_isolated(
    crew: WorkerProcesses, client: DBOSClient
) -> None:
    crew.start(3)
    assert {slot for slot, _ in crew.list_events("started")} == {"slot-0", "slot-1", "slot-2"}

    crew.wait_until(lambda: len(crew.list_events("tick")) >= 2, "two ticks have run")
    crew.wait_until(lambda: len(crew.list_events("failing")) >= 2, "the schedule that fails has run twice")
    for process in crew.processes.values():
        process.send_signal(signal.SIGTERM)
    codes = [process.wait(LIMIT_SECONDS) for process in crew.processes.values()]

    assert codes == [0, 0, 0]
    ticks = client.list_workflows(name=TICK_WORKFLOW)
    ran = Counter((tick.workflow_id.split("-2")[0], tick.output) for tick in ticks)
    assert len(crew.list_events("tick")) == ran["sched-test-second", "ran"], "each tick ran once"
    assert len(crew.list_events("failing")) == ran["sched-test-failing", "failed"]


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_process_that_loses_its_slot_connection_exits_immediately(
    crew: WorkerProcesses, store: sa.Engine
) -> None:
    crew.start(1)

    with store.connect() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'chainproof_slot' AND datname = current_database()"
        )

    [process] = crew.processes.values()
    assert process.wait(LIMIT_SECONDS) == LOST_SLOT_EXIT_CODE
