"""What every test may ask for: databases, and property tests that do the same each time."""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import structlog

from backend.runtime import garbage_collection
from backend.store.database import Database
from tests.support.processes import shared_stack
from tests.support.store import databases
from tests.support.test_session import (
    assertion_rewriting,
    file_order,
    property_tests,
    quick_marker,
    shipped_data_cache,
)

HOWEVER_SLOWLY: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [hypothesis.HealthCheck.too_slow],
}
hypothesis.settings.register_profile(
    "chainproof", derandomize=True, max_examples=property_tests.EVERYDAY, **HOWEVER_SLOWLY
)
hypothesis.settings.register_profile(
    "quick", derandomize=True, max_examples=property_tests.QUICK, **HOWEVER_SLOWLY
)
hypothesis.settings.register_profile("thorough", max_examples=2_000, **HOWEVER_SLOWLY)
hypothesis.settings.load_profile("chainproof")


def _distributes(config: pytest.Config) -> bool:
    return not hasattr(config, "workerinput")


def pytest_configure(config: pytest.Config) -> None:
    shipped_data_cache.cache_shipped_packs()
    if _distributes(config):
        databases.set_up_run()
        if config.getoption("numprocesses", None):
            assertion_rewriting.compile_tests(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _distributes(config):
        shared_stack.stop()
        databases.tear_down_run()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays to the end, so the garbage collector need not walk over it."""
    with garbage_collection.making_what_stays():
        return (yield)


@pytest.hookimpl(tryfirst=True)  # before ``-m`` deselects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = file_order.sort_tests(items)
    for item in items:
        quick_marker.mark(item)


@pytest.fixture(scope="session", autouse=True)
def _new_stores_are_copies() -> Iterator[None]:
    with databases.start_new_files_from_template():
        yield


@pytest.fixture(scope="session", autouse=True)
def _asset_books_are_read_once() -> Iterator[None]:
    with shipped_data_cache.cache_asset_books():
        yield


@pytest.fixture(scope="session", autouse=True)
def _loggers_follow_their_configuration() -> Iterator[None]:
    """In a program they keep the first one that they log by; here one test's would be another's."""
    configure = structlog.configure

    def uncached(**options: Any) -> None:
        configure(**{**options, "cache_logger_on_first_use": False})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structlog, "configure", uncached)
        yield


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a fresh, migrated database, on SQLite and on PostgreSQL."""
    with databases.create_database(request.param, tmp_path) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a fresh database without a table, on SQLite and on PostgreSQL."""
    with databases.create_database(request.param, tmp_path, migrated=False) as url:
        yield url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A migrated database, on SQLite and on PostgreSQL."""
    opened = Database(database_url)
    yield opened
    opened.dispose()


@pytest.fixture
def sqlite_database(tmp_path: Path) -> Iterator[Database]:
    """A migrated database on SQLite, for tests in which the store does not matter."""
    with databases.create_database("sqlite", tmp_path) as url:
        opened = Database(url)
        yield opened
        opened.dispose()
