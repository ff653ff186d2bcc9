"""Several processes on one store, and processes that are killed."""

import os
import signal
from collections import Counter

import pytest
import sqlalchemy as sa
from dbos import DBOSClient, WorkflowHandle

from backend.jobs.engine import LOST_SLOT_EXIT_CODE
from backend.jobs.schedules import TICK_WORKFLOW
from tests.support.job_crew import Crew
from tests.support.job_process import HOLD, QUEUE
from tests.support.waiting import LIMIT_SECONDS

pytestmark = pytest.mark.processes


def test_each_tick_runs_once_across_three_processes_and_a_failing_one_stops_no_other(
    crew: Crew, client: DBOSClient
) -> None:
    crew.start(3)
    assert {slot for slot, _ in crew.told("started")} == {"slot-0", "slot-1", "slot-2"}

    crew.wait_until(lambda: len(crew.told("tick")) >= 2, "two ticks have run")
    crew.wait_until(lambda: len(crew.told("failing")) >= 2, "the schedule that fails has run twice")
    for process in crew.processes.values():
        process.send_signal(signal.SIGTERM)
    codes = [process.wait(LIMIT_SECONDS) for process in crew.processes.values()]

    assert codes == [0, 0, 0]
    ran = Counter((tick.schedule_name, tick.output) for tick in client.list_workflows(name=TICK_WORKFLOW))
    assert len(crew.told("tick")) == ran["test-second", "ran"], "each tick ran once"
    assert len(crew.told("failing")) == ran["test-failing", "failed"]


def test_a_killed_process_job_is_finished_by_another_without_repeating_its_steps(
    crew: Crew, client: DBOSClient
) -> None:
    (crew.folder / HOLD).touch()
    crew.start(2)
    job: WorkflowHandle[list[int]] = client.enqueue({"workflow_name": "two-steps", "queue_name": QUEUE})
    crew.wait_until(lambda: bool(crew.told("second")), "the second step has begun")
    [(_, victim)] = crew.told("first")

    os.kill(int(victim), signal.SIGKILL)
    (crew.folder / HOLD).unlink()
    crew.wait_until(lambda: job.get_status().status == "SUCCESS", "the other process has finished the job")
    result = job.get_result()

    [survivor] = [str(pid) for pid in crew.processes if str(pid) != victim]
    assert result == [int(victim), int(survivor)]
    assert [pid for _, pid in crew.told("first")] == [victim], "a completed step is not done again"
    assert [pid for _, pid in crew.told("second")] == [victim, survivor]


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_a_process_whose_line_to_its_slot_is_cut_ends_at_once(crew: Crew, store: sa.Engine) -> None:
    crew.start(1)

    with store.connect() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'chainproof_slot' AND datname = current_database()"
        )

    [process] = crew.processes.values()
    assert process.wait(LIMIT_SECONDS) == LOST_SLOT_EXIT_CODE
