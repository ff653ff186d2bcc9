"""The search palette and the copied link in a browser, with the real service in sample mode."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.dashboard.reader import IDLE, Reader, find_accessibility_violations

pytestmark = pytest.mark.browser
STATEMENT = ".st-key-rs_statement textarea"
FIELD = ".cp-palette input"
SELECTED = ".cp-palette [aria-selected=true]"
INDEX_REQUESTS = (
    "performance.getEntriesByType('resource').filter((e) => e.name.includes('search-index')).length"
)
INDEX_GROUP = '.cp-palette [role=group]:has([href^="/rankings?coin"])'


@pytest.fixture
def page(warm_reader: Reader) -> Iterator[Page]:
    """The Research page, which loads the least."""
    warm_reader.context.clear_cookies()
    page = warm_reader.open("/research?lang=en", STATEMENT)
    yield page
    page.close()
    warm_reader.context.clear_cookies()


def search(page: Page, query: str, first: str) -> None:
    """Open the palette by its keys and search; waits until the best match is ``first``."""
    page.keyboard.press("Control+k")
    page.locator(FIELD).fill(query)
    expect(page.locator(SELECTED)).to_contain_text(first)


def test_a_reader_finds_a_coin_by_any_name_opens_it_without_a_reload_and_goes_back(page: Page) -> None:
    page.evaluate("window.sameDocument = true")
    assert page.evaluate(INDEX_REQUESTS) == 0
    search(page, "比特币", "Bitcoin")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape("/rankings?coin=bitcoin&lang=en") + "$"))
    expect(page.locator(".rk-coin h2")).to_contain_text("Bitcoin")
    expect(page).to_have_title(re.compile(r"^Bitcoin \$[\d,.]+ .*% · Chainproof$"))
    page.go_back()
    expect(page).to_have_title("Research · Chainproof")
    expect(page.locator(STATEMENT)).to_be_visible()
    search(page, "ｅｔｈ", "Ethereum")
    page.keyboard.press("ArrowDown")
    expect(page.locator(SELECTED)).not_to_contain_text("Ethereum ETH")
    page.keyboard.press("ArrowUp")
    page.locator(SELECTED).click()
    expect(page.locator(".rk-coin h2")).to_contain_text("Ethereum")
    assert page.evaluate("window.sameDocument") is True
    assert page.evaluate(INDEX_REQUESTS) == 1


def test_entities_profiles_pages_and_unknown_words_lead_to_their_pages(page: Page) -> None:
    search(page, "美国证监会", "U.S. Securities and Exchange Commission")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape("/topics?entity=sec")))
    search(page, "harbor small", "sample Harbor Small")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape("/timelines?profiles=sample+Harbor+Small")))
    expect(page).to_have_title("sample Harbor Small · Timelines · Chainproof")
    search(page, "文章校对", "Corrections")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Corrections")
    search(page, "no such name", "Search topics for “no such name”")
    expect(page.locator(".cp-palette [role=status]")).to_have_text("No matches.")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape("/topics?find=no+such+name")))
    expect(page.locator(".st-key-tp_find input")).to_have_value("no such name")
    search(page, "clear filters", "Clear filters and selection")
    page.keyboard.press("Enter")
    # The field of the view before stands below the new one until the run has ended.
    expect(page.locator(".st-key-tp_find input").first).to_have_value("")


def test_escape_closes_the_palette_and_returns_the_focus(page: Page) -> None:
    box = page.locator(STATEMENT)
    box.focus()
    page.keyboard.press("Control+k")
    expect(page.locator(FIELD)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(FIELD)).to_have_count(0)
    expect(box).to_be_focused()
    button = page.get_by_role("button", name="Search", exact=True)
    button.click()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(button).to_be_focused()


def test_an_action_changes_the_theme_and_the_link_is_copied(page: Page, warm_reader: Reader) -> None:
    search(page, "Theme: D", "Theme: Dark")
    page.keyboard.press("Enter")
    expect(page.locator(".stApp")).to_have_css("background-color", "rgb(11, 18, 32)")
    page.wait_for_function("() => document.cookie.includes('theme=dark')")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{warm_reader.base}/research?lang=en"


@pytest.mark.parametrize(("device", "lang"), [("desktop", "ja"), ("phone", "zh")])
def test_the_palette_is_accessible_and_as_wide_as_a_phone(
    browser: Browser, running_dashboard: str, axe_source: str, device: str, lang: str
) -> None:
    reader = Reader(browser, running_dashboard, device)
    page = reader.open(f"/research?lang={lang}", STATEMENT)
    page.locator("[data-cp-do=search]").click()
    expect(page.locator(FIELD)).to_be_visible()
    assert find_accessibility_violations(page, axe_source) == []
    page.locator(FIELD).fill("ビット")
    page.locator(INDEX_GROUP).wait_for()
    assert find_accessibility_violations(page, axe_source) == []
    if device == "phone":
        box = page.locator(".cp-palette").bounding_box()
        assert box is not None
        assert (box["x"], box["width"]) == (0, 390)
    page.wait_for_selector(IDLE)
    reader.close()
