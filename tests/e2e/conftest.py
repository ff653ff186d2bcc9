"""Fixtures: service, worker and dashboard as processes, and a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.dashboard.browsers import open_chromium
from tests.support.dashboard.reader import Reader
from tests.support.processes import running, shared_stack
from tests.support.waiting import LIMIT_MS


@pytest.fixture(scope="session")
def running_service() -> running.Service:
    """A sample service with figures, shared by all processes of the test run."""
    return shared_stack.start_shared().service


@pytest.fixture(scope="session")
def running_dashboard() -> str:
    """The URL of a dashboard of that service."""
    return shared_stack.start_shared().dashboard


expect.set_options(timeout=LIMIT_MS)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all pages of a test package."""
    with open_chromium() as started:
        yield started


@pytest.fixture(scope="package")
def axe_source() -> str:
    """The script of the accessibility checker that runs in the page."""
    import axe_playwright_python

    return next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()


@pytest.fixture(scope="module")
def warm_reader(browser: Browser, running_dashboard: str) -> Iterator[Reader]:
    """A returning reader, whose browser has a warm cache."""
    reader = Reader(browser, running_dashboard)
    yield reader
    reader.close()
