"""Provides a worker over a sample market of a few assets."""

import pytest

from backend.store.database import Database
from tests.support.apps.market_app import Worker, build_sample_market


@pytest.fixture
def worker(sqlite_database: Database) -> Worker:
    return Worker(sqlite_database, build_sample_market())
