"""The whole product as a user meets it: service, worker and dashboard as processes, and a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support import running, stack
from tests.support.browsers import open_chromium
from tests.support.reader import Reader
from tests.support.waiting import LIMIT_MS


@pytest.fixture(scope="session")
def running_service() -> running.Service:
    """A sample service that has figures, one for all processes of the run."""
    return stack.start_shared().service


@pytest.fixture(scope="session")
def running_dashboard() -> str:
    """The address of a dashboard over it."""
    return stack.start_shared().dashboard


expect.set_options(timeout=LIMIT_MS)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all pages that a process opens, gone when it goes on to other tests."""
    with open_chromium() as started:
        yield started


@pytest.fixture(scope="package")
def axe_source() -> str:
    """The accessibility checker that runs inside the page."""
    import axe_playwright_python

    return next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()


@pytest.fixture(scope="module")
def warm_reader(browser: Browser, running_dashboard: str) -> Iterator[Reader]:
    """A reader who has been here before."""
    reader = Reader(browser, running_dashboard, rehearses=False)
    yield reader
    reader.close()
