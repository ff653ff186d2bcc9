"""The application over the profiles ``one`` and ``two``."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.runs.timeline_app import TimelinesApp, run_timelines_app


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[TimelinesApp]:
    """On SQLite and on PostgreSQL."""
    with run_timelines_app(tmp_path, database_url) as running:
        yield running


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TimelinesApp]:
    """One for all tests of a file that add nothing."""
    with run_timelines_app(tmp_path_factory.mktemp("refusing")) as running:
        yield running


@pytest.fixture
def sqlite_service(tmp_path: Path) -> Iterator[TimelinesApp]:
    """For tests in which the store does not matter."""
    with run_timelines_app(tmp_path) as running:
        yield running
