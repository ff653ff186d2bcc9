from datetime import UTC, datetime

import pytest

import backend.auth.tables  # noqa: F401 - declares its tables


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 5, 18, 12, 0, tzinfo=UTC)
