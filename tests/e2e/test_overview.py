"""The frame and the Overview in a browser, with the real service in sample mode."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.dashboard.reader import (
    DEVICES,
    IDLE,
    Reader,
    find_accessibility_violations,
    is_steady,
    measure_overflow,
)
from tests.support.processes.running import Service
from tests.support.waiting import wait_for

pytestmark = pytest.mark.browser


@pytest.fixture
def page(warm_reader: Reader) -> Iterator[Page]:
    """A new page of a returning reader without preferences."""
    warm_reader.context.clear_cookies()
    page = open_overview(warm_reader)
    yield page
    page.close()


def open_overview(reader: Reader, path: str = "/") -> Page:
    return reader.open(path, ".cp-incidents")


@pytest.mark.parametrize("device", DEVICES)
def test_the_page_is_accessible_without_layout_shift(
    browser: Browser, running_dashboard: str, axe_source: str, device: str
) -> None:
    reader = Reader(browser, running_dashboard, device)
    page = open_overview(reader)
    page.locator(".cp-gainers img").first.wait_for()
    assert is_steady(page, ".cp-gainers img")
    if device == "phone":
        page.get_by_role("button", name="Expand sidebar").click()  # the navigation on phones
        page.get_by_role("link", name="Rankings").first.wait_for()
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("radio", name="日本語").wait_for()
    assert find_accessibility_violations(page, axe_source) == []
    assert measure_overflow(page) <= 0
    reader.close()


def test_preferences_are_kept_for_the_next_visit_and_a_link_sets_the_language(
    page: Page, warm_reader: Reader
) -> None:
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("radio", name="日本語").click()
    expect(page.locator("h1")).to_have_text("市場概況")
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    page.get_by_role("radio", name="赤 ▲").click()
    page.wait_for_function("() => document.cookie.includes('colours=red')")
    second_page = open_overview(warm_reader)
    expect(second_page.locator("h1")).to_have_text("市場概況")
    assert "#b3261e" in second_page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--up')"
    )
    warm_reader.open("/?lang=zh", ".cp-incidents", second_page)
    expect(second_page.locator("h1")).to_have_text("市场概览")
    second_page.close()


def test_back_and_forward_change_the_period(page: Page) -> None:
    page.get_by_role("radio", name="7d").click()
    page.wait_for_url("**/?span=7d")
    expect(page.locator(".cp-breadth .cp-panel-note")).to_contain_text("7d")
    page.go_back()
    expect(page.get_by_role("radio", name="24h")).to_have_attribute("aria-checked", "true")
    expect(page.locator(".cp-breadth .cp-panel-note")).to_contain_text("24h")
    page.go_forward()
    expect(page.get_by_role("radio", name="7d")).to_have_attribute("aria-checked", "true")


def test_a_click_on_an_asset_opens_it_in_the_rankings_in_the_same_session_and_period(page: Page) -> None:
    page.evaluate("window.same = true")
    page.get_by_role("radio", name="7d").click()
    expect(page.locator(".cp-breadth .cp-panel-note")).to_contain_text("7d")
    image = page.locator(".cp-gainers img").first
    image.scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelector('.cp-gainers img').naturalWidth > 0")
    assert page.locator(".cp-coins img[data-broken]").count() == 0
    row = page.locator(".cp-gainers a").first
    asset_id = row.get_attribute("data-open")
    row.click()
    page.wait_for_url(f"**/rankings?coin={asset_id}&span=7d&chart=7d")
    assert page.evaluate("window.same") is True


def test_doubtful_figures_and_most_active_assets_match_the_service(
    page: Page, running_service: Service
) -> None:
    def match_service() -> bool:
        """Retried, because a refresh may happen between the two reads."""
        facts = running_service.get("/markets/figures").json()
        doubtful_ids, active = (
            page.locator(f".{panel} a[data-open]").evaluate_all("links => links.map(a => a.dataset.open)")
            for panel in ("cp-worries", "cp-active")
        )
        doubtful = {
            asset for asset, fact in facts.items() if fact["flags"] or fact["stale"] or fact["rule"] == "none"
        }
        volumes = sorted(
            (fact["volume_24h"] or 0 for fact in facts.values() if not fact["stale"]), reverse=True
        )
        assert doubtful_ids
        assert len(active) == 6
        return set(doubtful_ids) <= doubtful and all(
            facts[asset]["volume_24h"] >= volumes[11] for asset in active
        )

    wait_for(match_service, "The doubtful and the most active")


def test_figures_are_updated_in_place_and_the_focus_stays(warm_reader: Reader) -> None:
    warm_reader.remember(lang="en", refresh="5")
    page = open_overview(warm_reader)
    link = page.locator(".cp-map a").first
    link.focus()
    before = page.locator(".cp-as-of time").get_attribute("datetime")
    page.evaluate("window.focused = document.activeElement")
    changed = "(before) => document.querySelector('.cp-as-of time').getAttribute('datetime') !== before"
    page.wait_for_function(changed, arg=before)
    page.wait_for_selector(IDLE)
    assert page.evaluate("document.activeElement === focused && focused.isConnected")
    page.close()


def test_captions_of_lines_are_legible_and_stand_apart_from_the_bar_on_a_phone(
    browser: Browser, running_dashboard: str
) -> None:
    reader = Reader(browser, running_dashboard, "phone")
    reader.remember(lang="en")
    page = open_overview(reader)
    expect(page.locator(".cp-spark-caption")).to_have_count(3)
    for caption in page.locator(".cp-spark-caption").all():
        expect(caption).to_have_css("font-size", "12px")
    gap = page.evaluate("""() => {
  const [text, bar] = ['.cp-btc-share .cp-spark-caption', '.cp-btc-share .cp-bar']
    .map((name) => document.querySelector(name).getBoundingClientRect());
  return bar.top - text.bottom;
}""")
    assert gap >= 8
    reader.close()


TILE_TEXTS = """() => [...document.querySelectorAll('.cp-map-tiles li')].map((tile) => {
  const [symbol, change] = ['.cp-symbol', '.cp-map-change']
    .map((name) => tile.querySelector(name).getBoundingClientRect());
  const { width, height } = tile.getBoundingClientRect();
  const isCut = change.width > width || symbol.height + change.height > height;
  return { width, height, hasSymbol: symbol.width > 0, hasChange: change.width > 0, isCut };
})"""


@pytest.mark.parametrize(("width", "lang"), [(1440, "en"), (1100, "ja"), (390, "zh")])
def test_tiles_with_room_show_symbol_and_change_and_others_the_symbol(
    browser: Browser, running_dashboard: str, width: int, lang: str
) -> None:
    reader = Reader(browser, running_dashboard, viewport={"width": width, "height": 900})
    reader.remember(lang=lang)
    page = open_overview(reader)
    tiles = page.evaluate(TILE_TEXTS)
    assert all(tile["hasSymbol"] and not tile["isCut"] for tile in tiles)
    roomy = [tile for tile in tiles if tile["width"] >= 55 and tile["height"] >= 32]
    assert len(roomy) >= 5
    assert all(tile["hasChange"] for tile in roomy)
    reader.close()
