from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from dbos import DBOS, SetWorkflowID

from backend.jobs import workflow_retention
from tests.support.jobs.dbos_tables import Launch

NOW = datetime(2026, 5, 18, 12, tzinfo=UTC)
MONTH = timedelta(days=30)


@DBOS.step()
def a_step() -> str:
    return "done"


@DBOS.workflow(name="a-job")
def a_job() -> str:
    return a_step()


@pytest.fixture
def jobs(launch: Launch, store: sa.Engine, workflows: sa.Table) -> "Jobs":
    launch()
    return Jobs(store, workflows)


class Jobs:
    """Finished jobs of chosen ages."""

    def __init__(self, store: sa.Engine, workflows: sa.Table) -> None:
        self.store = store
        self.workflows = workflows

    def add(
        self, name: str, *, finished_ago: timedelta | None, status: str = "SUCCESS", tick: bool = False
    ) -> None:
        with SetWorkflowID(name):
            DBOS.start_workflow(a_job).get_result()
        at = None if finished_ago is None else int((NOW - finished_ago).timestamp() * 1000)
        created_at = int((NOW - timedelta(days=100)).timestamp() * 1000)
        values = {"status": status, "completed_at": at, "created_at": created_at}
        kind = {"name": "schedule-tick"} if tick else {}
        with self.store.begin() as connection:
            table = self.workflows
            connection.execute(sa.update(table).where(table.c.workflow_uuid == name).values(**values, **kind))

    def names(self) -> set[str]:
        with self.store.connect() as connection:
            return set(connection.execute(sa.select(self.workflows.c.workflow_uuid)).scalars())


def test_finished_jobs_are_kept_for_a_month_and_ticks_for_a_day(jobs: Jobs) -> None:
    jobs.add("job-of-31-days", finished_ago=timedelta(days=31))
    jobs.add("job-of-29-days", finished_ago=timedelta(days=29))
    jobs.add("tick-of-25-hours", finished_ago=timedelta(hours=25), tick=True)
    jobs.add("tick-of-23-hours", finished_ago=timedelta(hours=23), tick=True)

    workflow_retention.retention(MONTH).run(NOW)

    assert jobs.names() == {"job-of-29-days", "tick-of-23-hours"}


def test_failed_and_cancelled_jobs_are_deleted(jobs: Jobs) -> None:
    for status in ("ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"):
        jobs.add(status, finished_ago=timedelta(days=40), status=status)

    assert workflow_retention.forget(NOW - MONTH) == 3
    assert jobs.names() == set()


def test_unfinished_jobs_are_kept_regardless_of_age(jobs: Jobs) -> None:
    for status in ("ENQUEUED", "PENDING", "DELAYED"):
        jobs.add(status, finished_ago=None, status=status)

    workflow_retention.retention(MONTH).run(NOW)

    assert jobs.names() == {"ENQUEUED", "PENDING", "DELAYED"}


def test_steps_of_a_deleted_job_are_deleted(jobs: Jobs) -> None:
    jobs.add("old", finished_ago=timedelta(days=40))
    jobs.add("new", finished_ago=timedelta(days=1))
    assert [step["function_name"] for step in DBOS.list_workflow_steps("old")] != []

    workflow_retention.forget(NOW - MONTH)

    assert DBOS.list_workflow_steps("old") == []
    assert DBOS.list_workflow_steps("new") != []


def test_more_jobs_than_one_batch_are_all_deleted(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflow_retention, "BATCH_WORKFLOWS", 2)
    for number in range(5):
        jobs.add(f"old-{number}", finished_ago=timedelta(days=40))

    assert workflow_retention.forget(NOW - MONTH) == 5
    assert jobs.names() == set()


def test_engine_deletes_old_workflows_on_a_schedule(
    launch: Launch, store: sa.Engine, workflows: sa.Table
) -> None:
    engine = launch()
    jobs = Jobs(store, workflows)
    jobs.add("tick-of-long-ago", finished_ago=timedelta(days=103), tick=True)

    tick = DBOS.start_workflow(engine.tick_workflow, datetime.now(UTC), "job-retention")

    assert tick.get_result() == "ran"
    assert jobs.names() == {tick.workflow_id}
