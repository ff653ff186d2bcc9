"""The rank table in a browser: rows, order, filters, columns, and slow connections."""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from dashboard.i18n import LANGUAGES
from tests.e2e.rankings.page import (
    find_filter,
    find_panel,
    find_toolbar,
    list_row_ids,
    open_rankings,
    read_rows,
)
from tests.support.dashboard.reader import IDLE, Reader, find_accessibility_violations
from tests.support.processes.running import wait_for

pytestmark = pytest.mark.browser


def find_export(page: Page) -> Locator:
    return page.get_by_test_id("stPopoverBody").get_by_role("button", name="JSON", exact=True)


def export_rows(page: Page) -> list[dict[str, Any]]:
    if not find_export(page).is_visible():
        page.locator(".st-key-rk_export button").first.click()
    for _ in range(3):  # a refresh may remove the file at the moment of the click
        with page.expect_download() as download:
            find_export(page).click()
        if download.value.failure() is None:
            break
    assert download.value.suggested_filename == "rankings-sample.json"
    rows: list[dict[str, Any]] = json.loads(Path(download.value.path()).read_text("utf-8"))["rows"]
    return rows


def export_shown_rows(page: Page) -> list[dict[str, Any]]:
    """Waits until the export has the shown rows, because the server learns a view a moment later."""
    rows: list[dict[str, Any]] = []

    def has_shown_rows() -> bool:
        page.wait_for_selector(IDLE)
        rows[:] = export_rows(page)
        return [row["id"] for row in rows] == list_row_ids(page)

    wait_for(has_shown_rows, "An export of what is shown")
    return rows


def has_changed(page: Page, before: list[str]) -> bool:
    return list_row_ids(page) != before


def test_every_enabled_asset_has_a_row_with_its_price_source_and_icon(
    page: Page, running_dashboard: str
) -> None:
    assert len(list_row_ids(page)) >= 150
    first = page.locator(".rk tbody tr").first
    expect(first.locator(".c-price")).to_have_text(re.compile(r"^\$[\d,.]+$"))
    expect(first.locator(".c-source")).to_contain_text("sample")
    expect(first.locator(".c-24h")).to_have_text(re.compile(r"^(▲\+|▼−)?[\d.,]+%$"))
    image = page.locator(".rk tr[data-id=bitcoin] img")
    wait_for(lambda: image.evaluate("image => image.complete && image.currentSrc !== ''"), "The icon")
    assert image.evaluate("image => image.currentSrc").startswith(running_dashboard)
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")


def test_sorting_is_immediate_takes_several_keys_and_applies_to_the_export(
    blank: Page, warm_reader: Reader
) -> None:
    warm_reader.remember(lang="en", refresh="off")  # otherwise rows would move during the test
    page = open_rankings(warm_reader, page=blank)
    head = page.locator(".rk thead")
    for column, direction in (("24h", "descending"), ("name", "ascending"), ("rank", "ascending")):
        before = list_row_ids(page)
        head.locator(f"[data-sort='{column}']").click()
        expect(head.locator(f"th.c-{column}")).to_have_attribute("aria-sort", direction)
        wait_for(partial(has_changed, page, before), "The new order")
        rows = export_shown_rows(page)
        page.keyboard.press("Escape")
    priced = [row for row in rows if row["price_usd"] is not None]
    assert len(priced) > 0.95 * len(rows), "the script withdraws a price or two"
    assert all("Sample data" in row["note"] and row["source"] and row["as_of"] for row in priced)
    ranks = read_rows(page, "row => row.querySelector('.c-rank').textContent")
    known_ranks = [int(rank) for rank in ranks if rank != "–"]
    assert known_ranks == sorted(known_ranks)
    assert "–" in ranks
    assert ranks[: len(known_ranks)] == [str(rank) for rank in known_ranks], "unknown ranks stand at the end"
    head.locator("[data-sort='rank']").click()
    expect(page.locator(".rk tbody .c-rank").last).to_have_text("–")  # in the other direction too
    head.locator("[data-sort='name']").click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile(r"sort=-rank%2Cname"))


def test_filters_are_in_the_link_but_add_no_history_entries(blank: Page, warm_reader: Reader) -> None:
    warm_reader.remember(lang="en", refresh="off")
    page = open_rankings(warm_reader, page=blank)
    page.wait_for_selector(IDLE)  # the page has finished its own changes of the URL
    everything, before = len(list_row_ids(page)), page.evaluate("history.length")
    page.locator(".rk input[type=search]").fill("bit")
    find_filter(page, "No stablecoins").click()
    expect(page).to_have_url(re.compile(r"q=bit&facet=unpegged"))
    page.wait_for_selector(IDLE)
    assert page.evaluate("history.length") == before
    narrowed = list_row_ids(page)
    assert 0 < len(narrowed) < everything
    assert "bitcoin" in narrowed
    assert [row["id"] for row in export_shown_rows(page)] == narrowed
    page.reload()
    page.locator(".rk tbody tr").first.wait_for()
    assert list_row_ids(page) == narrowed
    find_filter(page, "Clear filters").click()
    assert len(list_row_ids(page)) == everything


SLOW_SOCKET_SCRIPT = """const plain = WebSocket.prototype.addEventListener;
const arrived = [];
WebSocket.prototype.addEventListener = function (type, listener, ...rest) {
  const wait = (event) => {
    if (window.isHeld) arrived.push({ event, listener });
    else setTimeout(() => listener(event), 400);
  };
  return plain.call(this, type, type === "message" ? wait : listener, ...rest);
};
const text = ({ event }) => new TextDecoder().decode(event.data);
window.hasArrived = (part) => arrived.some((each) => text(each).includes(part));
window.deliverNext = () => {
  const next = arrived.shift();
  if (next) next.listener(next.event);
}"""


@pytest.fixture
def slow(browser: Browser, running_dashboard: str) -> Iterator[Page]:
    """The table on a slow connection: messages arrive late, or one by one while ``window.isHeld``.

    The table waits for each response without a timeout, so that a slow machine changes nothing.
    """
    reader = Reader(browser, running_dashboard)
    reader.context.add_init_script(SLOW_SOCKET_SCRIPT)
    page = open_rankings(reader)
    page.evaluate(
        "Object.assign(chainproofRankTable.table, { responseTimeoutMs: 1e9, staleUrlTimeoutMs: 1e9 })"
    )
    yield page
    reader.close()


def test_actions_before_a_slow_response_are_kept_and_add_no_history_entries(
    slow: Page,
) -> None:
    everything, before = len(list_row_ids(slow)), slow.evaluate("history.length")
    for name in ("No stablecoins", "Stale or disputed", "No stablecoins"):
        find_filter(slow, name).click()
    slow.locator(".rk tbody .c-price").first.click()
    coin = list_row_ids(slow)[0]
    expect(slow).to_have_url(re.compile(f"facet=flagged&coin={coin}$"))
    expect(find_panel(slow).locator("h2")).to_be_visible()
    slow.wait_for_selector(IDLE)
    assert slow.evaluate("history.length") == before + 1, "only the open coin adds an entry"
    slow.go_back()
    expect(find_panel(slow)).to_have_count(0)
    expect(slow).to_have_url(re.compile("facet=flagged$"))
    find_filter(slow, "Clear filters").click()
    expect(slow).to_have_url(re.compile("/rankings$"))
    slow.wait_for_selector(IDLE)
    assert len(list_row_ids(slow)) == everything


def test_columns_and_span_are_chosen_and_reopened_by_the_link(page: Page) -> None:
    page.locator(".rk summary", has_text="Columns").click()
    find_toolbar(page).get_by_label("24h volume").check()
    find_toolbar(page).get_by_label("Change 30d").check()
    find_toolbar(page).get_by_label("Rank", exact=True).uncheck()
    page.keyboard.press("Escape")
    page.locator(".rk .seg button", has_text="7d").click()
    expect(page).to_have_url(re.compile(r"span=7d"))
    expect(page.locator(".rk th.c-trend").first).to_contain_text("7d")
    page.reload()
    expect(page.locator(".rk th.c-30d").first).to_be_visible()
    expect(page.locator(".rk th.c-rank")).to_have_count(0)
    expect(page.locator(".rk tr[data-id=bitcoin] .c-volume")).to_have_text(re.compile(r"^\$[\d.]+[MBT]$"))


def deliver_until(page: Page, address: str) -> None:
    """Delivers held messages one by one until the page's URL matches."""

    def is_there() -> bool:
        page.evaluate("deliverNext()")
        expect(page.locator(".rk th.c-30d").first).to_be_visible()
        return re.search(address, page.url) is not None

    wait_for(is_there, address)


def test_a_choice_survives_a_late_response_to_an_earlier_action(slow: Page) -> None:
    slow.locator(".rk tbody .c-price").first.click()  # Streamlit then sends the last URL that it received
    expect(find_panel(slow).locator("h2")).to_be_visible()
    slow.wait_for_selector(IDLE)
    slow.evaluate("isHeld = true; chainproofRankTable.table.responseTimeoutMs = 0")
    slow.locator(".rk summary", has_text="Columns").click()
    find_toolbar(slow).get_by_label("24h volume").check()
    slow.wait_for_function(
        "() => hasArrived('%2Cvolume')"
    )  # the server has started its response to the first choice
    find_toolbar(slow).get_by_label("Change 30d").check()
    expect(slow).to_have_url(re.compile("30d"))
    deliver_until(slow, r"cols=(?!.*30d).*volume")  # after the response to the first choice
    deliver_until(slow, r"cols=(?=.*30d).*volume")  # after the response to the second
    find_toolbar(slow).get_by_label("Rank", exact=True).uncheck()
    deliver_until(slow, r"cols=(?!.*rank)(?=.*30d).*volume")
    expect(slow.locator(".rk th.c-rank")).to_have_count(0)


def test_a_coin_that_is_closed_before_the_response_to_its_opening_stays_closed(slow: Page) -> None:
    slow.evaluate("isHeld = true; chainproofRankTable.table.responseTimeoutMs = 0")
    slow.locator(".rk tbody .c-price").first.click()
    slow.keyboard.press("Escape")
    slow.wait_for_function("() => hasArrived('coin=')")
    slow.evaluate("isHeld = false; while (hasArrived('')) deliverNext()")
    slow.wait_for_function("() => chainproofRankTable.table.sent.size === 0")
    expect(find_panel(slow)).to_have_count(0)
    expect(slow).to_have_url(re.compile("/rankings$"))


EVERY_COLUMN = "cols=rank,name,price,1h,24h,7d,30d,cap,volume,trend,source"
MISALIGNED_CELLS_SCRIPT = """() => {
    const hosts = [...document.querySelectorAll('*')].filter(node => node.shadowRoot);
    const root = hosts.map(host => host.shadowRoot).find(root => root.querySelector('.rk'));
    const heads = [...root.querySelectorAll('thead th')];
    const found = [];
    for (const row of root.querySelectorAll('tbody tr')) [...row.children].forEach((cell, n) => {
        const [a, b] = [cell, heads[n]].map(node => node.getBoundingClientRect());
        const isMisaligned = Math.abs(a.left - b.left) > 0.5 || Math.abs(a.right - b.right) > 0.5;
        const isFigure = /c-(price|1h|24h|7d|30d|cap|volume)/.test(cell.className);
        const isCut = isFigure && cell.scrollWidth > cell.clientWidth;
        if (isMisaligned || isCut) found.push(`${cell.className}: ${cell.textContent}`);
    });
    return found }"""


@pytest.mark.parametrize(("lang", "width"), [("en", 1440), ("ja", 900), ("zh", 390)])
def test_columns_are_aligned_and_no_figure_is_cut_off(
    browser: Browser, running_dashboard: str, lang: str, width: int
) -> None:
    reader = Reader(browser, running_dashboard, viewport={"width": width, "height": 800})
    reader.remember(lang=lang)
    page = open_rankings(reader, f"?{EVERY_COLUMN}")
    assert page.evaluate(MISALIGNED_CELLS_SCRIPT) == []
    box, name = page.locator(".rk .box"), page.locator(".rk tbody .c-name").last
    box.evaluate("box => { box.scrollLeft = 1e4; box.scrollTop = 1e6 }")
    name.scroll_into_view_if_needed()
    expect(name).to_be_in_viewport()
    expect(page.locator(".rk thead .c-name")).to_be_in_viewport()  # both stay visible
    reader.close()


PHONE_HEADS = "head => [...head.cells].map(cell => cell.dataset.col).filter(Boolean)"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_phone_shows_price_and_24_hours_without_scrolling(
    browser: Browser, running_dashboard: str, lang: str
) -> None:
    reader = Reader(browser, running_dashboard, "phone")
    reader.remember(lang=lang)
    page = open_rankings(reader, "")
    box, heads = page.locator(".rk .box"), page.locator(".rk thead tr")
    right = box.evaluate("box => box.getBoundingClientRect().left + box.clientWidth")
    for code in ("price", "24h"):
        end = page.locator(f".rk thead .c-{code}").evaluate("cell => cell.getBoundingClientRect().right")
        assert end <= right, code
    shown = heads.evaluate(PHONE_HEADS)
    assert shown[:5] == ["rank", "name", "price", "24h", "1h"]
    page.set_viewport_size({"width": 844, "height": 390})  # turned: room for all changes in their order
    expect(page.locator(".rk thead th").nth(4)).to_have_attribute("data-col", "1h")
    assert sorted(heads.evaluate(PHONE_HEADS)) == sorted(shown)
    reader.close()


def test_on_a_phone_the_first_row_is_near_the_top_and_the_filters_open_on_demand(
    browser: Browser, running_dashboard: str, axe_source: str
) -> None:
    reader = Reader(browser, running_dashboard, viewport={"width": 390, "height": 844})
    reader.remember(lang="en")
    page = open_rankings(reader, "")
    box = page.locator(".rk tbody tr").first.bounding_box()
    assert box is not None
    assert box["y"] <= 250
    filters, gainers = (
        find_toolbar(page).get_by_role("button", name=re.compile(f"^{name}"))
        for name in ("Filters", "Gainers")
    )
    expect(gainers).to_be_hidden()
    filters.press("Enter")
    gainers.click()
    expect(filters).to_have_text("Filters · 1")
    expect(page).to_have_url(re.compile("facet=gainers"))
    assert find_accessibility_violations(page, axe_source) == []
    filters.click()
    expect(gainers).to_be_hidden()
    find_filter(page, "Clear filters").click()
    expect(filters).to_have_text("Filters")
    reader.close()


def test_rows_far_from_the_screen_are_laid_out_when_idle_and_skipped_while_the_panel_opens(
    page: Page,
) -> None:
    rows = page.locator(".rk tbody tr")
    everything = rows.count()
    expect(page.locator(".rk tbody tr.far")).to_have_count(0)
    expect(page.get_by_role("row")).to_have_count(everything + 1)
    rows.nth(2).locator(".c-price").click()
    page.wait_for_function("() => new URLSearchParams(location.search).has('coin')")
    expect(find_panel(page).locator("h2")).to_be_visible()
    expect(page.locator(".rk tbody tr.far")).to_have_count(0)
    rows.first.locator(".c-price").focus()
    page.keyboard.press("End")
    expect(rows.last.locator(".c-price")).to_be_focused()
    expect(rows.last).to_be_in_viewport()
