from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import backend.auth.tables  # noqa: F401 - declares its tables
from backend.db import Database, metadata


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(f"sqlite:///{tmp_path / 'chainproof.db'}")
    metadata.create_all(made.engine)
    yield made
    made.dispose()


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 5, 18, 12, 0, tzinfo=UTC)
