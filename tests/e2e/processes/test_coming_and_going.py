"""Pages over a service whose worker comes late and that goes away and comes back: they say so and recover."""

import re
import signal
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.dashboard.reader import Reader, find_accessibility_violations
from tests.support.processes.running import (
    Service,
    add_compiled_rules,
    dashboard,
    environment,
    free_port,
    is_answering,
    program,
    wait_for,
)
from tests.support.waiting import LIMIT_SECONDS

pytestmark = pytest.mark.browser

STATEMENT = "The SEC approved spot bitcoin exchange-traded products on 10 January 2024."
NO_FIGURES = ".cp-awaiting, .cp-stale"
"""What is said of the figures to come depends on how long no worker has been seen."""


def test_pages_wait_for_a_worker_outlive_their_service_and_recover(
    browser: Browser, tmp_path: Path, axe_source: str
) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    add_compiled_rules(tmp_path)
    settings = environment(tmp_path, CHAINPROOF_PORT=str(port))
    with program(["serve", "--no-worker"], settings) as process:
        wait_for(lambda: is_answering(f"{url}/healthz"), "A service that answers")
        with dashboard(Service(url, tmp_path)) as base:
            reader = Reader(browser, base)
            reader.remember(lang="en", refresh="5")
            research = job_without_a_worker(reader, axe_source)
            table = reader.open("/rankings", NO_FIGURES)
            overview = reader.open("/", NO_FIGURES)
            price = table.locator(".rk tr[data-id=bitcoin] .c-price")
            expect(price).to_have_text("–")

            with program(["worker"], settings):
                expect(price).to_have_text(re.compile(r"^\$[\d,.]+$"))
                expect(research.locator(".rs-supported")).to_be_visible()
                research.close()
                for page in (table, overview):
                    expect(page.locator(NO_FIGURES)).to_have_count(0)
                expect(overview.locator(".cp-gainers a").first).to_be_visible()
                outlive_a_pause(process, (table, overview))

            process.terminate()
            process.wait(LIMIT_SECONDS)
            for page in (table, overview):
                expect(page.locator(".cp-stale")).to_contain_text("Showing the last figures")
                expect(page.locator(".cp-stale")).to_contain_text("The service does not respond")
                expect(page.locator(".cp-stale")).to_contain_text("retries once a minute")
            expect(price).to_have_text(re.compile(r"^\$"))

            with program(["serve", "--no-worker"], settings):
                wait_for(lambda: is_answering(f"{url}/healthz"), "A service that answers again")
                for page in (table, overview):
                    page.get_by_role("button", name="Try again").click()
                    expect(page.locator(".cp-stale")).to_have_count(0)
            reader.close()


LEAST_OPACITY = """() => {
  const opacities = [...document.querySelectorAll(".cp-live, .rk, .stElementContainer")].map((shown) => {
    let opacity = 1;
    for (let e = shown; e instanceof Element; e = e.parentElement) opacity *= getComputedStyle(e).opacity;
    return opacity;
  });
  return Math.min(...opacities);
}"""


def outlive_a_pause(process: subprocess.Popen[bytes], pages: tuple[Page, ...]) -> None:
    """The service hangs: pages keep their figures, unfaded, and say so; they recover without a click."""
    process.send_signal(signal.SIGSTOP)
    try:
        for page in pages:
            expect(page.locator(".cp-stale")).to_contain_text("The service is slow. Showing the figures of")
            expect(page.locator(".cp-stale")).to_contain_text("Check its load and its log")
            assert page.evaluate(LEAST_OPACITY) == 1
    finally:
        process.send_signal(signal.SIGCONT)
    for page in pages:
        expect(page.locator(".cp-stale")).to_have_count(0)


def job_without_a_worker(reader: Reader, axe_source: str) -> Page:
    """A page that watches a job which waits for a worker, after another that its reader cancelled."""
    page = reader.open("/research", ".st-key-rs_statement textarea")
    box = page.locator(".st-key-rs_statement textarea")
    box.fill(STATEMENT)
    box.press("Control+Enter")
    expect(page.locator(".rs-state-text[role=status]")).to_contain_text("no worker has started it yet")
    assert find_accessibility_violations(page, axe_source) == []
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#rs-verdict")).to_contain_text("The job was cancelled.")
    focused = "() => document.activeElement.id === 'rs-verdict'"
    page.wait_for_function(focused)
    assert find_accessibility_violations(page, axe_source) == []
    page.get_by_role("button", name="Submit again").click()
    expect(page.locator(".rs-state-text")).to_be_visible()
    return page
