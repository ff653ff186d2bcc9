"""A reader's page while the service begins, goes away and comes back: it says so, and heals by itself."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.reader import Reader
from tests.support.running import Service, answers, dashboard, environment, free_port, program, wait_for
from tests.support.waiting import LIMIT_SECONDS

pytestmark = pytest.mark.browser


def test_a_page_fills_by_itself_outlives_its_service_and_recovers(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = environment(tmp_path, CHAINPROOF_PORT=str(port))
    with program(["serve", "--no-worker"], settings) as process:
        wait_for(lambda: answers(f"{url}/healthz"), "A service that answers")
        service = Service(url, tmp_path)
        with dashboard(service) as base:
            reader = Reader(browser, base)
            reader.remember(lang="en", refresh="5")
            # What is said of the figures to come depends on how long no worker has been seen.
            table = reader.open("/rankings", ".cp-awaiting, .cp-stale")
            overview = reader.open("/", ".cp-awaiting, .cp-stale")
            price = table.locator(".rk tr[data-id=bitcoin] .c-price")
            expect(price).to_have_text("–")

            with program(["worker"], settings):
                expect(price).to_have_text(re.compile(r"^\$[\d,.]+$"))
            expect(table.locator(".cp-awaiting, .cp-stale")).to_have_count(0)
            expect(overview.locator(".cp-awaiting, .cp-stale")).to_have_count(0)
            expect(overview.locator(".cp-gainers a").first).to_be_visible()

            process.terminate()
            process.wait(LIMIT_SECONDS)
            for page in (table, overview):
                expect(page.locator(".cp-stale")).to_contain_text("Showing the last figures")
                expect(page.locator(".cp-stale")).to_contain_text("The service does not answer")
                expect(page.locator(".cp-stale")).to_contain_text("tries again once a minute")
            expect(price).to_have_text(re.compile(r"^\$"))

            with program(["serve", "--no-worker"], settings):
                wait_for(lambda: answers(f"{url}/healthz"), "A service that answers again")
                for page in (table, overview):
                    page.get_by_role("button", name="Try again").click()
                    expect(page.locator(".cp-stale")).to_have_count(0)
            reader.close()
