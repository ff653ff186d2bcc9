"""What every test may ask for: databases, and property tests that do the same each time."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import hypothesis
import pytest

from backend.db import Database
from tests.support import databases

hypothesis.settings.register_profile("chainproof", derandomize=True, deadline=None)
hypothesis.settings.load_profile("chainproof")


def _distributes(config: pytest.Config) -> bool:
    return not hasattr(config, "workerinput")


def pytest_configure(config: pytest.Config) -> None:
    if _distributes(config):
        databases.begin_run()


def pytest_unconfigure(config: pytest.Config) -> None:
    if _distributes(config):
        databases.end_run()


def _without_postgres(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def _fresh(store: databases.Store, folder: Path, *, migrated: bool) -> Iterator[str]:
    try:
        with databases.fresh(store, folder, migrated=migrated) as url:
            yield url
    except databases.NoPostgres as missing:
        _without_postgres(str(missing))


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a fresh, migrated database, on SQLite and on PostgreSQL."""
    yield from _fresh(request.param, tmp_path, migrated=True)


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a fresh database without a table, on SQLite and on PostgreSQL."""
    yield from _fresh(request.param, tmp_path, migrated=False)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A migrated database, on SQLite and on PostgreSQL."""
    opened = Database(database_url)
    yield opened
    opened.dispose()


@pytest.fixture
def sqlite_database(tmp_path: Path) -> Iterator[Database]:
    """A migrated database on SQLite, for tests in which the store does not matter."""
    with databases.fresh("sqlite", tmp_path) as url:
        opened = Database(url)
        yield opened
        opened.dispose()
