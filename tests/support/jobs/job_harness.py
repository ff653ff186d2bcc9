"""Runs jobs within the process of a test."""

from datetime import timedelta

from backend.jobs.dispatcher import Dispatcher
from backend.jobs.engine import JobEngine
from backend.jobs.runner import JobType, Runner
from backend.store.database import Database
from tests.support.apps.market_app import Clock
from tests.support.jobs.dbos_tables import Launch
from tests.support.jobs.submitted_jobs import NOW

TIMEOUT = timedelta(seconds=120)


class JobHarness:
    """Starts a job engine with a dispatcher for chosen job types."""

    def __init__(self, launch: Launch, database: Database) -> None:
        self._launch = launch
        self.database = database
        self.clock = Clock(NOW)

    def open(self, *job_types: JobType) -> Dispatcher:
        dispatcher = Dispatcher(self.database, job_types, timeout=TIMEOUT, clock=self.clock)
        self.engine: JobEngine = self._launch(dispatcher=dispatcher)
        return dispatcher


def runner(database: Database, *job_types: JobType, clock: Clock | None = None) -> Runner:
    return Runner(database, job_types, timeout=TIMEOUT, clock=clock or Clock(NOW))
