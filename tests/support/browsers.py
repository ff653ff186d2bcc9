"""A real browser, where the machine has one."""

import contextlib
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

from tests.support.needs import needs
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


@contextlib.contextmanager
def chromium_browser() -> Iterator[Browser]:
    """A Chromium of this process's own.

    While it runs, this thread has a running event loop: ``asyncio.run`` works again when the block ends.
    """
    path = chromium()
    needs(path is not None, "No Chromium here: install one (Debian: apt-get install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=BROWSER_OPTIONS)
        try:
            yield browser
        finally:
            browser.close()
