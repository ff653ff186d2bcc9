from datetime import UTC, datetime

import pytest

import backend.auth.tables  # noqa: F401 - declares its tables
from backend.store.database import Database
from tests.backend.auth.gated_app import Service


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


@pytest.fixture
def notes(database: Database, now: datetime) -> Service:
    return Service(database, now)
