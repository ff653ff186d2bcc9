"""The coin panel in a browser: opening, chart, table, and explanations of doubtful figures."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.rankings.page import DRAWN, find_filter, find_panel, open_rankings, read_rows
from tests.support.dashboard.reader import Reader
from tests.support.processes.running import Service
from tests.support.waiting import wait_for

pytestmark = pytest.mark.browser
DOUBTFUL_STATES = ("stale", "divergent", "conflict", "jump", "depeg")


def test_disputed_figures_are_marked_filtered_and_explained(page: Page, running_service: Service) -> None:
    find_filter(page, "Stale or disputed").click()
    expect(page).to_have_url(re.compile("facet=flagged"))
    facts: dict[str, Any] = {}
    marks: list[list[str]] = []

    def are_marked() -> bool:
        """Allows one difference: the page may be one refresh behind the service."""
        facts.update(running_service.get("/markets/figures").json())
        marks[:] = read_rows(page, "row => [row.dataset.id, row.querySelector('.c-source').dataset.state]")
        doubtful = {asset for asset, fact in facts.items() if fact["flags"] or fact["stale"]}
        return bool(marks) and len({asset for asset, _ in marks} ^ doubtful) <= 1

    wait_for(are_marked, "A mark at each disputed figure")
    assert all(state in DOUBTFUL_STATES for _, state in marks)
    disputed = [asset for asset, state in marks if state in ("divergent", "conflict")]
    if all(fact["spread_pct"] is None for fact in facts.values()):
        assert disputed == [], "with only one view there are no disputes"
        return
    assert disputed
    row = page.locator(f".rk tr[data-id={disputed[0]}]")
    expect(row.locator(".c-source")).to_contain_text(re.compile("divergent|conflict"))
    expect(row.locator(".c-source .sr")).to_contain_text(re.compile(r"Quote spread: [\d.]+%"))
    row.locator(".c-price").click()
    expect(find_panel(page).locator(".rk-warn")).to_contain_text(re.compile("Divergent|Conflict"))
    expect(find_panel(page).get_by_text("differ by").first).to_be_visible()
    expect(find_panel(page).locator(".rk-spread")).to_be_visible()


def test_a_row_opens_its_coin_and_back_closes_it(page: Page, running_service: Service) -> None:
    page.locator(".rk tr[data-id=ethereum] .c-price").click()
    expect(find_panel(page).locator("h2")).to_contain_text("Ethereum")
    expect(page).to_have_url(re.compile("coin=ethereum"))
    quotes = running_service.get("/prices/ethereum/quotes").json()["quotes"]
    views = {quote["provider"][-1].upper() for quote in quotes}
    assert views, "the script never lets both views fail after a while"
    for view in views:
        expect(find_panel(page).get_by_text(f"Sample view {view}", exact=True)).to_be_visible()
    if len(views) > 1:
        expect(find_panel(page).locator(".rk-spread")).to_be_visible()
    expect(
        find_panel(page).get_by_role("img", name=re.compile("Largest spread of each half hour"))
    ).to_be_visible()
    expect(find_panel(page).locator(DRAWN).first).to_be_visible()
    expect(page.locator(".rk tr[aria-selected=true]")).to_have_attribute("data-id", "ethereum")
    page.go_back()
    expect(find_panel(page)).to_have_count(0)


def test_another_row_updates_the_same_chart_without_loading_a_library_again(
    browser: Browser, running_dashboard: str
) -> None:
    reader = Reader(browser, running_dashboard, prepares_charts=True)
    page = open_rankings(reader)
    requested_urls: list[str] = []
    page.on("request", lambda request: requested_urls.append(request.url))
    page.locator(".rk tr[data-id=ethereum] .c-price").click()
    chart = find_panel(page).locator(".cp-chart")
    expect(chart).to_have_attribute("aria-label", re.compile("Ethereum"))
    expect(chart.locator(DRAWN).first).to_be_visible()
    candles = chart.locator(".trace.boxes path").first
    before = candles.get_attribute("d")
    chart.locator(".js-plotly-plot").evaluate("plot => { plot.seenBefore = true }")
    page.locator(".rk tr[data-id=solana] .c-price").click()
    expect(page.locator(".rk tr[aria-selected=true]")).to_have_attribute("data-id", "solana")
    expect(chart).to_have_attribute("aria-label", re.compile("Solana"))
    expect(candles).not_to_have_attribute("d", before or "")
    assert chart.locator(".js-plotly-plot").evaluate("plot => plot.seenBefore === true")
    assert not [url for url in requested_urls if "PlotlyChart" in url]
    assert len([url for url in requested_urls if "/assets/lib/plotly-" in url]) <= 1
    reader.close()


def test_the_table_of_a_chart_follows_the_chart(page: Page) -> None:
    page.locator(".rk tr[data-id=ethereum] .c-price").click()
    folded = find_panel(page).locator(".cp-fold")
    folded.locator("summary").click()
    expect(folded.locator("caption")).to_have_text("Candles: Ethereum")
    expect(folded.locator("tbody tr").first).to_be_visible()
    page.locator(".rk tr[data-id=solana] .c-price").click()
    expect(folded.locator("caption")).to_have_text("Candles: Solana")


def test_without_the_chart_library_the_table_is_still_shown(browser: Browser, running_dashboard: str) -> None:
    reader = Reader(browser, running_dashboard)
    reader.context.route("**/assets/lib/*", lambda route: route.abort())
    page = open_rankings(reader, "?coin=bitcoin")
    expect(find_panel(page).locator(".cp-chart-failed")).to_have_text(re.compile("cannot be loaded"))
    find_panel(page).locator(".cp-fold summary").click()
    expect(find_panel(page).locator(".cp-fold tbody tr").first).to_be_visible()
    expect(find_panel(page).get_by_text("Spread").first).to_be_visible()
    reader.close()


def test_a_chart_follows_a_change_of_colour_mode(browser: Browser, running_dashboard: str) -> None:
    reader = Reader(browser, running_dashboard)
    page = open_rankings(reader, "?coin=bitcoin")
    label = find_panel(page).locator(".ytick text").first
    expect(label).to_have_css("fill", "rgb(19, 26, 38)")
    page.emulate_media(color_scheme="dark")
    expect(label).to_have_css("fill", "rgb(230, 235, 244)")
    reader.close()


def test_a_click_leaves_no_caret_in_the_rows_and_a_double_click_selects_a_word(page: Page) -> None:
    prices = page.locator(".rk tbody .c-price")
    prices.nth(3).click()
    expect(find_panel(page)).to_be_visible()
    assert page.evaluate("getSelection().rangeCount") == 0
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.rk-price'))")
    prices.nth(4).click()  # a selection elsewhere does not block the click
    expect(page.locator(".rk tbody tr").nth(4)).to_have_attribute("aria-selected", "true")

    def is_word_selected() -> bool:
        prices.nth(5).dblclick()
        selected = page.evaluate("String(getSelection())").strip()
        return bool(selected) and selected in prices.nth(5).inner_text()

    wait_for(is_word_selected, "The word under the pointer")  # new figures meanwhile replace the word
