"""A worker over a sample market of a few assets."""

import pytest

from backend.store.database import Database
from tests.support.market_app import Worker, few_in_sample


@pytest.fixture
def worker(sqlite_database: Database) -> Worker:
    return Worker(sqlite_database, few_in_sample())
