"""Tests the documentation page in a real browser without a network: it works with this host alone."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.backend.http.pages.docs_page_app import application
from tests.support.dashboard.browsers import open_chromium
from tests.support.http.uvicorn_thread import serve_app

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as started:
        yield started


@contextmanager
def browser_page(browser: Browser, base: str, faults: list[str], **options: Any) -> Iterator[Page]:
    """A page that may reach ``base`` alone; whatever it complains of goes to ``faults``."""

    def guard(route: Route) -> None:
        if urlsplit(route.request.url).netloc == urlsplit(base).netloc:
            route.continue_()
        else:
            faults.append(f"asked for {route.request.url}")
            route.abort()

    page = browser.new_page(**options)
    page.route("**/*", guard)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    yield page
    page.close()


def test_offline_browser_shows_every_operation_and_sends_a_request(browser: Browser) -> None:
    faults: list[str] = []
    with serve_app(application()) as base, browser_page(browser, base, faults) as page:
        page.goto(f"{base}/docs")
        expect(page.locator(".opblock")).to_have_count(2)
        expect(page.get_by_role("button", name="Authorize")).to_be_visible()
        page.locator(".opblock", has_text="/ping").get_by_role("button").first.click()
        page.get_by_role("button", name="Try it out").click()
        page.get_by_role("button", name="Execute").click()
        expect(page.locator(".live-responses-table")).to_contain_text("pong of the test")
    assert faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_follows_the_preferred_color_scheme(browser: Browser, scheme: str) -> None:
    faults: list[str] = []
    with serve_app(application()) as base, browser_page(browser, base, faults, color_scheme=scheme) as page:
        page.goto(f"{base}/docs")
        expect(page.locator(".opblock")).to_have_count(2)
        shade = page.evaluate("getComputedStyle(document.querySelector('.swagger-ui .info .title')).color")
        ink = sum(int(part) for part in re.findall(r"\d+", shade)[:3]) / 3
        assert (ink > 128) is (scheme == "dark")
    assert faults == []
