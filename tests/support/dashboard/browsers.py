"""Starts a real browser, if the machine has one."""

import contextlib
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

from tests.support.test_session.prerequisites import chromium
from tests.support.test_session.requirements import skip_unless

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


@contextlib.contextmanager
def open_chromium() -> Iterator[Browser]:
    """Start a Chromium for this process.

    While it runs, this thread has a running event loop; ``asyncio.run`` works only after the block.
    """
    path = chromium()
    skip_unless(path is not None, "Chromium is not installed. Install it (Debian: apt-get install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=BROWSER_OPTIONS)
        try:
            yield browser
        finally:
            browser.close()
