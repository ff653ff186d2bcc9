"""The bar of pages at the bottom of a phone, with the real service in sample mode."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.dashboard.reader import (
    IDLE,
    Reader,
    find_accessibility_violations,
    is_steady,
    measure_overflow,
)

pytestmark = pytest.mark.browser
BAR = ".cp-bottom-bar"
STATEMENT = ".st-key-rs_statement textarea"
WATCH_BAR = """window.barShifts = 0;
new PerformanceObserver((list) => list.getEntries().forEach(({ sources }) => {
  barShifts += sources.filter(({ node }) => node?.closest?.(".st-key-bottom_bar")).length;
})).observe({ type: "layout-shift", buffered: true })"""
"""Counts the shifts of the bar; those of the page's content are the content's own."""


def measure_space_above_bar(page: Page) -> float:
    """Scroll to the end; returns the pixels between the end of the page's footer and the bar."""
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 1e6)")
    footer, bar = page.locator(".cp-footer").bounding_box(), page.locator(BAR).bounding_box()
    assert footer is not None
    assert bar is not None
    assert bar["y"] + bar["height"] == 844
    return bar["y"] - footer["y"] - footer["height"]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_phone_has_five_pages_at_the_bottom_which_hide_nothing(
    browser: Browser, running_dashboard: str, axe_source: str, lang: str
) -> None:
    reader = Reader(browser, running_dashboard, "phone")
    reader.context.add_init_script(WATCH_BAR)
    page = reader.open(f"/research?lang={lang}", STATEMENT)
    links = page.locator(f"{BAR} a")
    expect(links).to_have_count(5)
    expect(page.locator(f"{BAR} [aria-current=page]")).to_have_attribute("data-cp-open", "research")
    for link in links.all():
        box = link.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    assert page.evaluate("barShifts") == 0
    assert is_steady(page, STATEMENT)
    assert measure_space_above_bar(page) >= 0
    assert find_accessibility_violations(page, axe_source) == []
    page.evaluate("window.sameDocument = true")
    page.locator(f"{BAR} [data-cp-open=rankings]").click()
    page.locator(".rk tbody tr").first.wait_for()
    page.wait_for_selector(IDLE)
    expect(page.locator(f"{BAR} [aria-current=page]")).to_have_attribute("data-cp-open", "rankings")
    assert page.evaluate("window.sameDocument") is True
    assert measure_space_above_bar(page) >= 0
    assert measure_overflow(page) <= 0
    reader.close()


def test_a_wide_screen_has_no_bar(warm_reader: Reader) -> None:
    page = warm_reader.open("/research", STATEMENT)
    expect(page.locator(BAR)).to_be_hidden()
    page.close()
