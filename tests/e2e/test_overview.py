"""The frame and the Overview in a real browser, over the whole service in sample mode."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

pytestmark = pytest.mark.browser

IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
DESKTOP: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOOKS = {
    "light": DESKTOP,
    "dark": {**DESKTOP, "color_scheme": "dark"},
    "phone": PHONE,
    "dark phone": {**PHONE, "color_scheme": "dark"},
}
WATCH_SHIFTS = """window.shifted = 0;
new PerformanceObserver((list) => list.getEntries().forEach((shift) => {
  if (!shift.hadRecentInput) shifted += shift.value;
})).observe({ type: "layout-shift", buffered: true })"""


class Reader:
    """A browser with nothing stored; ``faults`` gathers script errors and requests to other hosts."""

    def __init__(self, browser: Browser, base: str, **options: Any) -> None:
        self.base = base
        self.faults: list[str] = []
        self.context: BrowserContext = browser.new_context(
            **{"locale": "en-US", "reduced_motion": "reduce", **options}
        )
        self.context.set_default_timeout(20_000)
        self.context.on("weberror", lambda fault: self.faults.append(str(fault.error)))
        self.context.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith(("data:", "blob:", self.base)):
            self.faults.append(url)

    def open(self, path: str = "/") -> Page:
        page = self.context.new_page()
        page.add_init_script(WATCH_SHIFTS)
        page.goto(self.base + path)
        page.locator(".cp-incidents").wait_for()
        page.wait_for_selector(IDLE)
        return page


@pytest.fixture
def reader(browser: Browser, running_dashboard: str) -> Iterator[Reader]:
    opened = Reader(browser, running_dashboard, **DESKTOP)
    yield opened
    opened.context.close()
    assert opened.faults == []


def violations(page: Page, axe_source: str) -> list[Any]:
    page.evaluate(axe_source)
    found: list[Any] = page.evaluate(
        "async (rules) => (await axe.run(document, { runOnly: rules })).violations"
        ".map((broken) => [broken.id, broken.nodes.map((node) => node.target.join(' '))])",
        RULES,
    )
    return found


@pytest.mark.parametrize("look", LOOKS)
def test_nobody_is_shut_out(browser: Browser, running_dashboard: str, axe_source: str, look: str) -> None:
    reader = Reader(browser, running_dashboard, **LOOKS[look])
    page = reader.open()
    assert violations(page, axe_source) == []
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("radio", name="日本語").wait_for()
    assert violations(page, axe_source) == []
    overflow = "document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth"
    assert page.evaluate(overflow) <= 0
    reader.context.close()
    assert reader.faults == []


@pytest.mark.parametrize("look", ["light", "phone"])
def test_nothing_jumps_while_the_page_comes_up(browser: Browser, running_dashboard: str, look: str) -> None:
    reader = Reader(browser, running_dashboard, **LOOKS[look])
    page = reader.open()
    page.locator(".cp-gainers img").first.wait_for()
    assert page.evaluate("shifted") < 0.1
    reader.context.close()


def test_a_choice_is_kept_for_the_next_visit_and_a_link_brings_its_language(reader: Reader) -> None:
    page = reader.open()
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("radio", name="日本語").click()
    expect(page.locator("h1")).to_have_text("マーケット概況")
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    page.get_by_role("radio", name="赤 ▲").click()
    page.wait_for_function("document.cookie.includes('colours=red')")
    again = reader.open()
    expect(again.locator("h1")).to_have_text("マーケット概況")
    assert "#b3261e" in again.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--up')")
    expect(reader.open("/?lang=zh").locator("h1")).to_have_text("市场概览")
    expect(reader.open().locator("h1")).to_have_text("マーケット概況")


def test_back_and_forward_walk_through_the_periods(reader: Reader) -> None:
    page = reader.open()
    page.get_by_role("radio", name="7 d").click()
    page.wait_for_url("**/?span=7d")
    expect(page.locator(".cp-breadth .cp-panel-note")).to_contain_text("7 d")
    page.go_back()
    expect(page.get_by_role("radio", name="24 h")).to_have_attribute("aria-checked", "true")
    expect(page.locator(".cp-breadth .cp-panel-note")).to_contain_text("24 h")
    page.go_forward()
    expect(page.get_by_role("radio", name="7 d")).to_have_attribute("aria-checked", "true")


def test_a_press_on_an_asset_opens_it_in_the_rankings_of_the_same_session(reader: Reader) -> None:
    page = reader.open()
    page.evaluate("window.same = true")
    row = page.locator(".cp-gainers a").first
    asset_id = row.get_attribute("data-open")
    row.click()
    page.wait_for_url(f"**/rankings?coin={asset_id}")
    assert page.evaluate("window.same") is True


def test_figures_move_in_place_and_the_focus_stays(reader: Reader) -> None:
    page = reader.open()
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("radio", name="5 s", exact=True).click()
    page.keyboard.press("Escape")
    link = page.locator(".cp-map a").first
    link.focus()
    before = page.locator(".cp-as-of time").get_attribute("datetime")
    page.evaluate("window.focused = document.activeElement")
    changed = "(before) => document.querySelector('.cp-as-of time').getAttribute('datetime') !== before"
    page.wait_for_function(changed, arg=before, timeout=60_000)
    page.wait_for_selector(IDLE)
    assert page.evaluate("document.activeElement === focused && focused.isConnected")


def test_icons_are_served_from_the_dashboards_own_address(reader: Reader) -> None:
    page = reader.open()
    page.locator(".cp-gainers img").first.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('.cp-gainers img').naturalWidth > 0")
    assert page.locator(".cp-coins img[data-broken]").count() == 0
