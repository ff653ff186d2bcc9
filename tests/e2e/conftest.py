"""The whole product as a user meets it: service, worker and dashboard as processes, and a browser."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.support import running
from tests.support.prerequisites import chromium

BROWSER_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All browser tests go to one worker, since they share one service, dashboard and browser."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def running_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[running.Service]:
    with running.service(tmp_path_factory.mktemp("home")) as service:
        yield service


@pytest.fixture(scope="session")
def running_dashboard(running_service: running.Service) -> Iterator[str]:
    """The address of a dashboard over a sample service that has figures."""
    with running.dashboard(running_service) as url:
        yield url


expect.set_options(timeout=30_000)  # a limit for what hangs; a busy machine draws slowly


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        reason = "No Chromium here: install one (Debian: apt-get install chromium)."
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=BROWSER_OPTIONS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def axe_source() -> str:
    """The accessibility checker that runs inside the page."""
    import axe_playwright_python

    return next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()
