"""The table of the Rankings in a real browser: rows, order, filters and columns."""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.rankings.page import ids, panel, rankings
from tests.support.reader import IDLE, Reader
from tests.support.running import wait_for

pytestmark = pytest.mark.browser


def exported(page: Page) -> list[dict[str, Any]]:
    if not page.get_by_role("button", name="JSON", exact=True).is_visible():
        page.locator(".st-key-rk_export button").first.click()
    for _ in range(3):  # a refresh may take the file away in the moment of the click
        with page.expect_download() as download:
            page.get_by_role("button", name="JSON", exact=True).click()
        if download.value.failure() is None:
            break
    assert download.value.suggested_filename == "rankings-sample.json"
    rows: list[dict[str, Any]] = json.loads(Path(download.value.path()).read_text("utf-8"))["rows"]
    return rows


def told_rows(page: Page) -> list[dict[str, Any]]:
    """The rows of the export, once they are those that are shown: the host learns a view a moment later."""
    rows: list[dict[str, Any]] = []

    def are_those_shown() -> bool:
        page.wait_for_selector(IDLE)
        rows[:] = exported(page)
        return [row["id"] for row in rows] == ids(page)

    wait_for(are_those_shown, "An export of what is shown")
    return rows


def differs(page: Page, before: list[str]) -> bool:
    return ids(page) != before


def test_every_enabled_asset_has_a_row_with_its_price_source_and_icon(
    page: Page, running_dashboard: str
) -> None:
    assert len(ids(page)) >= 150
    first = page.locator(".rk tbody tr").first
    expect(first.locator(".c-price")).to_have_text(re.compile(r"^\$[\d,.]+$"))
    expect(first.locator(".c-source")).to_contain_text("sample")
    expect(first.locator(".c-24h")).to_have_text(re.compile(r"^(▲\+|▼−)?[\d.,]+%$"))
    image = page.locator(".rk tr[data-id=bitcoin] img")
    wait_for(lambda: image.evaluate("image => image.complete && image.currentSrc !== ''"), "The icon")
    assert image.evaluate("image => image.currentSrc").startswith(running_dashboard)
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")


def test_sorting_is_at_once_takes_several_keys_and_the_export_has_the_same_order(
    blank: Page, warm_reader: Reader
) -> None:
    warm_reader.remember(lang="en", refresh="off")  # or rows would move between two looks
    page = rankings(warm_reader, page=blank)
    head = page.locator(".rk thead")
    for column, way in (("24h", "descending"), ("name", "ascending"), ("rank", "ascending")):
        before = ids(page)
        head.locator(f"[data-sort='{column}']").click()
        expect(head.locator(f"th.c-{column}")).to_have_attribute("aria-sort", way)
        wait_for(partial(differs, page, before), "The new order")
        rows = told_rows(page)
        page.keyboard.press("Escape")
    priced = [row for row in rows if row["price_usd"] is not None]
    assert len(priced) > 0.95 * len(rows), "the script withdraws a price or two"
    assert all("Sample data" in row["note"] and row["source"] and row["as_of"] for row in priced)
    ranks = page.locator(".rk tbody .c-rank").all_text_contents()
    known = [int(rank) for rank in ranks if rank != "–"]
    assert known == sorted(known)
    assert "–" in ranks
    assert ranks[: len(known)] == [str(rank) for rank in known], "unknown ranks stand at the end"
    head.locator("[data-sort='rank']").click()
    expect(page.locator(".rk tbody .c-rank").last).to_have_text("–")  # in the other direction too
    head.locator("[data-sort='name']").click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile(r"sort=-rank%2Cname"))


def test_filters_narrow_the_table_and_stand_in_the_link_but_not_in_the_history(
    blank: Page, warm_reader: Reader
) -> None:
    warm_reader.remember(lang="en", refresh="off")
    page = rankings(warm_reader, page=blank)
    page.wait_for_selector(IDLE)  # the page's own way to its address is behind it
    everything, before = len(ids(page)), page.evaluate("history.length")
    page.locator(".rk input[type=search]").fill("bit")
    page.get_by_role("button", name="No stablecoins", exact=True).click()
    expect(page).to_have_url(re.compile(r"q=bit&facet=unpegged"))
    page.wait_for_selector(IDLE)
    assert page.evaluate("history.length") == before
    narrowed = ids(page)
    assert 0 < len(narrowed) < everything
    assert "bitcoin" in narrowed
    assert [row["id"] for row in told_rows(page)] == narrowed
    page.reload()
    page.locator(".rk tbody tr").first.wait_for()
    assert ids(page) == narrowed
    page.get_by_role("button", name="Clear filters").click()
    assert len(ids(page)) == everything


SLOW = """const plain = WebSocket.prototype.addEventListener;
const arrived = [];
WebSocket.prototype.addEventListener = function (type, heard, ...rest) {
  const wait = (event) => {
    if (window.isHeld) arrived.push({ event, heard });
    else setTimeout(() => heard(event), 400);
  };
  return plain.call(this, type, type === "message" ? wait : heard, ...rest);
};
const text = ({ event }) => new TextDecoder().decode(event.data);
window.hasArrived = (part) => arrived.some((each) => text(each).includes(part));
window.hearNext = () => {
  const next = arrived.shift();
  if (next) next.heard(next.event);
}"""


@pytest.fixture
def slow(browser: Browser, running_dashboard: str) -> Iterator[Page]:
    """The table on a slow line: it hears answers late, or while ``window.isHeld`` when it is let hear one.

    The table waits for each answer as long as it takes, so that a slow machine changes nothing.
    """
    reader = Reader(browser, running_dashboard)
    reader.context.add_init_script(SLOW)
    page = rankings(reader)
    page.evaluate("Object.assign(chainproofRankTable.table, { patience: 1e9, doubt: 1e9 })")
    yield page
    reader.close()


def test_what_a_reader_does_before_the_slow_answer_is_kept_and_no_step_of_the_history(
    slow: Page,
) -> None:
    everything, before = len(ids(slow)), slow.evaluate("history.length")
    for name in ("No stablecoins", "Stale or disputed", "No stablecoins"):
        slow.get_by_role("button", name=name, exact=True).click()
    slow.locator(".rk tbody .c-price").first.click()
    coin = ids(slow)[0]
    expect(slow).to_have_url(re.compile(f"facet=flagged&coin={coin}$"))
    expect(panel(slow).locator("h2")).to_be_visible()
    slow.wait_for_selector(IDLE)
    assert slow.evaluate("history.length") == before + 1, "the open coin alone is a step"
    slow.go_back()
    expect(panel(slow)).to_have_count(0)
    expect(slow).to_have_url(re.compile("facet=flagged$"))
    slow.get_by_role("button", name="Clear filters").click()
    expect(slow).to_have_url(re.compile("/rankings$"))
    slow.wait_for_selector(IDLE)
    assert len(ids(slow)) == everything


def test_columns_and_span_are_chosen_and_reopened_by_the_link(page: Page) -> None:
    page.locator(".rk summary", has_text="Columns").click()
    page.get_by_label("24h volume").check()
    page.get_by_label("Change 30d").check()
    page.get_by_label("Rank", exact=True).uncheck()
    page.keyboard.press("Escape")
    page.locator(".rk .seg button", has_text="7d").click()
    expect(page).to_have_url(re.compile(r"span=7d"))
    expect(page.locator(".rk th.c-trend").first).to_contain_text("7d")
    page.reload()
    expect(page.locator(".rk th.c-30d").first).to_be_visible()
    expect(page.locator(".rk th.c-rank")).to_have_count(0)
    expect(page.locator(".rk tr[data-id=bitcoin] .c-volume")).to_have_text(re.compile(r"^\$[\d.]+[MBT]$"))


def hear_until(page: Page, address: str) -> None:
    """Have the page hear what was held back, piece by piece, until it is at an address that matches."""

    def is_there() -> bool:
        page.evaluate("hearNext()")
        expect(page.locator(".rk th.c-30d").first).to_be_visible()
        return re.search(address, page.url) is not None

    wait_for(is_there, address)


def test_a_choice_outlives_an_answer_that_is_older_than_it_and_very_late(slow: Page) -> None:
    slow.evaluate("isHeld = true; chainproofRankTable.table.patience = 0")
    slow.locator(".rk summary", has_text="Columns").click()
    slow.get_by_label("24h volume").check()
    slow.wait_for_function("() => hasArrived('%2Cvolume')")  # the host has begun to answer the first choice
    slow.get_by_label("Change 30d").check()
    expect(slow).to_have_url(re.compile("30d"))
    hear_until(slow, r"cols=(?!.*30d).*volume")  # by the answer to the first choice
    hear_until(slow, r"cols=(?=.*30d).*volume")  # by the answer to the second
    slow.get_by_label("Rank", exact=True).uncheck()
    hear_until(slow, r"cols=(?!.*rank)(?=.*30d).*volume")
    expect(slow.locator(".rk th.c-rank")).to_have_count(0)


EVERY_COLUMN = "cols=rank,name,price,1h,24h,7d,30d,cap,volume,trend,source"
OUT_OF_LINE = """() => {
    const hosts = [...document.querySelectorAll('*')].filter(node => node.shadowRoot);
    const root = hosts.map(host => host.shadowRoot).find(root => root.querySelector('.rk'));
    const heads = [...root.querySelectorAll('thead th')];
    const found = [];
    for (const row of root.querySelectorAll('tbody tr')) [...row.children].forEach((cell, n) => {
        const [a, b] = [cell, heads[n]].map(node => node.getBoundingClientRect());
        const apart = Math.abs(a.left - b.left) > 0.5 || Math.abs(a.right - b.right) > 0.5;
        const told = /c-(price|1h|24h|7d|30d|cap|volume)/.test(cell.className);
        const cut = told && cell.scrollWidth > cell.clientWidth;
        if (apart || cut) found.push(`${cell.className}: ${cell.textContent}`);
    });
    return found }"""


@pytest.mark.parametrize(("lang", "width"), [("en", 1440), ("ja", 900), ("zh", 390)])
def test_the_columns_stand_in_line_and_no_figure_is_cut(
    browser: Browser, running_dashboard: str, lang: str, width: int
) -> None:
    reader = Reader(browser, running_dashboard, viewport={"width": width, "height": 800})
    reader.remember(lang=lang)
    page = rankings(reader, f"?{EVERY_COLUMN}")
    assert page.evaluate(OUT_OF_LINE) == []
    box, name = page.locator(".rk .box"), page.locator(".rk tbody .c-name").last
    box.evaluate("box => { box.scrollLeft = 1e4; box.scrollTop = 1e6 }")
    name.scroll_into_view_if_needed()
    expect(name).to_be_in_viewport()
    expect(page.locator(".rk thead .c-name")).to_be_in_viewport()  # both stay where they can be seen
    reader.close()


def test_rows_far_from_the_screen_are_laid_out_at_leisure_and_left_out_while_the_panel_opens(
    page: Page,
) -> None:
    rows = page.locator(".rk tbody tr")
    everything = rows.count()
    expect(page.locator(".rk tbody tr.far")).to_have_count(0)
    expect(page.get_by_role("row")).to_have_count(everything + 1)
    rows.nth(2).locator(".c-price").click()
    page.wait_for_function("() => new URLSearchParams(location.search).has('coin')")
    expect(panel(page).locator("h2")).to_be_visible()
    expect(page.locator(".rk tbody tr.far")).to_have_count(0)
    rows.first.locator(".c-price").focus()
    page.keyboard.press("End")
    expect(rows.last.locator(".c-price")).to_be_focused()
    expect(rows.last).to_be_in_viewport()
