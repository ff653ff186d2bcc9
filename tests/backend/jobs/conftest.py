"""Provides job engines in this process, stopped at the end of each test."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from dbos import DBOSClient

from backend.jobs.engine import JobEngine, store_engine
from backend.jobs.serializer import JsonSerializer
from backend.store.database import Database
from tests.support.jobs import dbos_tables
from tests.support.jobs.dbos_tables import Launch
from tests.support.jobs.job_harness import JobHarness
from tests.support.jobs.worker_processes import WorkerProcesses


@pytest.fixture
def launch(database_url: str, tmp_path: Path) -> Iterator[Launch]:
    """Launch an engine on the test's store."""
    with contextlib.ExitStack() as running:

        def start(**options: Any) -> JobEngine:
            engine = JobEngine(database_url, tmp_path, **{"schedules": [], **options})
            engine.launch()
            running.callback(engine.stop, timeout=0)
            return engine

        yield start


@pytest.fixture
def harness(launch: Launch, database: Database) -> JobHarness:
    return JobHarness(launch, database)


@pytest.fixture
def store(database_url: str) -> Iterator[sa.Engine]:
    """The job store itself, for looking into it and for what only time would do."""
    engine = store_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def client(store: sa.Engine) -> Iterator[DBOSClient]:
    """Someone who asks for jobs and runs none."""
    client = DBOSClient(system_database_engine=store, serializer=JsonSerializer())
    yield client
    client.destroy()


@pytest.fixture
def workflows(store: sa.Engine) -> sa.Table:
    return dbos_tables.workflows(store)


@pytest.fixture
def crew(database_url: str, tmp_path: Path) -> Iterator[WorkerProcesses]:
    """Processes that run jobs on the test's store, none yet; all are killed at the end."""
    crew = WorkerProcesses(database_url, tmp_path)
    yield crew
    crew.end()
