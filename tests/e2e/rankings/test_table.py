"""The Rankings page in a real browser, over the whole service in sample mode."""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.reader import IDLE, Reader, is_steady, overflow, violations
from tests.support.running import Service, wait_for

pytestmark = pytest.mark.browser

DRAWN = ".js-plotly-plot .main-svg"
DOUBTED = ("stale", "divergent", "conflict", "jump", "depeg")


@pytest.fixture(scope="module")
def warm_reader(browser: Browser, running_dashboard: str) -> Iterator[Reader]:
    reader = Reader(browser, running_dashboard)
    yield reader
    reader.close()


@pytest.fixture
def page(warm_reader: Reader) -> Iterator[Page]:
    """The Rankings for a reader who has been here before and has nothing stored."""
    page = warm_reader.context.new_page()
    rankings(warm_reader, page=page)
    yield page
    warm_reader.context.clear_cookies()
    page.evaluate("localStorage.clear()")
    page.close()


def rankings(reader: Reader, query: str = "", page: Page | None = None) -> Page:
    return reader.open(f"/rankings{query}", ".rk tbody tr", page)


def ids(page: Page) -> list[str]:
    found: list[str] = page.locator(".rk tbody tr").evaluate_all("rows => rows.map(row => row.dataset.id)")
    return found


def focused(page: Page) -> list[str]:
    """Row and column of the focused cell, through the component's shadow root."""
    script = """() => { let at = document.activeElement;
        while (at.shadowRoot) at = at.shadowRoot.activeElement;
        return [at.closest('tr')?.dataset.id ?? at.tagName, at.dataset.col ?? ''] }"""
    found: list[str] = page.evaluate(script)
    return found


def panel(page: Page) -> Locator:
    return page.locator(".st-key-rk_panel")


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


def test_every_enabled_asset_has_a_row_with_its_price_source_and_icon(
    page: Page, running_dashboard: str
) -> None:
    assert len(ids(page)) >= 150
    first = page.locator(".rk tbody tr").first
    expect(first.locator(".c-price")).to_have_text(re.compile(r"^\$[\d,.]+$"))
    expect(first.locator(".c-source")).to_contain_text("sample")
    expect(first.locator(".c-24h")).to_have_text(re.compile(r"^(▲\+|▼−)?[\d.,]+%$"))
    image = page.locator(".rk tr[data-id=bitcoin] img")
    assert image.evaluate("image => image.currentSrc").startswith(running_dashboard)
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")


def differs(page: Page, before: list[str]) -> bool:
    return ids(page) != before


def test_sorting_is_at_once_takes_several_keys_and_the_export_has_the_same_order(page: Page) -> None:
    head = page.locator(".rk thead")
    for column, way in (("24h", "descending"), ("name", "ascending"), ("rank", "ascending")):
        before = ids(page)
        head.locator(f"[data-sort='{column}']").click()
        expect(head.locator(f"th.c-{column}")).to_have_attribute("aria-sort", way)
        wait_for(partial(differs, page, before), "The new order")
        for _ in range(4):  # a refresh may fall between the two looks and move a row
            page.wait_for_selector(IDLE)
            shown, rows = ids(page), exported(page)
            if shown == [row["id"] for row in rows]:
                break
        assert shown == [row["id"] for row in rows]
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


def test_filters_narrow_the_table_and_stand_in_the_link_but_not_in_the_history(page: Page) -> None:
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
    assert {row["id"] for row in exported(page)} == set(narrowed)
    page.reload()
    page.locator(".rk tbody tr").first.wait_for()
    assert ids(page) == narrowed
    page.get_by_role("button", name="Clear filters").click()
    assert len(ids(page)) == everything


SLOW = """const plain = WebSocket.prototype.addEventListener;
WebSocket.prototype.addEventListener = function (type, heard, ...rest) {
  const late = (event) => setTimeout(() => heard(event), 400);
  return plain.call(this, type, type === "message" ? late : heard, ...rest);
};"""


def test_what_a_reader_does_before_the_slow_answer_is_kept_and_no_step_of_the_history(
    browser: Browser, running_dashboard: str
) -> None:
    reader = Reader(browser, running_dashboard)
    reader.context.add_init_script(SLOW)
    page = rankings(reader)
    everything, before = len(ids(page)), page.evaluate("history.length")
    for name in ("No stablecoins", "Stale or disputed", "No stablecoins"):
        page.get_by_role("button", name=name, exact=True).click()
    page.locator(".rk tbody .c-price").first.click()
    coin = ids(page)[0]
    expect(page).to_have_url(re.compile(f"facet=flagged&coin={coin}$"))
    expect(panel(page).locator("h2")).to_be_visible()
    page.wait_for_selector(IDLE)
    assert page.evaluate("history.length") == before + 1, "the open coin alone is a step"
    page.go_back()
    expect(panel(page)).to_have_count(0)
    expect(page).to_have_url(re.compile("facet=flagged$"))
    page.get_by_role("button", name="Clear filters").click()
    expect(page).to_have_url(re.compile("/rankings$"))
    page.wait_for_selector(IDLE)
    assert len(ids(page)) == everything
    reader.close()


def test_disputed_figures_are_marked_found_and_explained(page: Page, running_service: Service) -> None:
    page.get_by_role("button", name="Stale or disputed", exact=True).click()
    expect(page).to_have_url(re.compile("facet=flagged"))
    facts = running_service.get("/markets/figures").json()
    told = {asset: fact for asset, fact in facts.items() if fact["flags"] or fact["stale"]}
    marks = page.locator(".rk tbody tr").evaluate_all(
        "rows => rows.map(row => [row.dataset.id, row.querySelector('.c-source').dataset.state])"
    )
    assert marks
    assert all(state in DOUBTED for _, state in marks)
    # A refresh between the two looks may begin or end one dispute; the dead assets stay.
    assert len({asset for asset, _ in marks} ^ set(told)) <= 1
    disputed = [asset for asset, state in marks if state in ("divergent", "conflict")]
    if all(fact["spread_pct"] is None for fact in facts.values()):
        assert disputed == [], "while one view is out there is nothing to disagree with"
        return
    assert disputed
    row = page.locator(f".rk tr[data-id={disputed[0]}]")
    expect(row.locator(".c-source")).to_contain_text(re.compile("divergent|conflict"))
    expect(row.locator(".c-source .sr")).to_contain_text(re.compile(r"Spread of the quotes: [\d.]+ %"))
    row.locator(".c-price").click()
    expect(panel(page).locator(".rk-warn")).to_contain_text(re.compile("Divergent|Conflict"))
    expect(panel(page).get_by_text("differ by").first).to_be_visible()
    expect(panel(page).locator(".rk-spread")).to_be_visible()


def test_a_row_opens_its_coin_and_back_closes_it(page: Page, running_service: Service) -> None:
    page.locator(".rk tr[data-id=ethereum] .c-price").click()
    expect(panel(page).locator("h2")).to_contain_text("Ethereum")
    expect(page).to_have_url(re.compile("coin=ethereum"))
    quotes = running_service.get("/prices/ethereum/quotes").json()["quotes"]
    views = {quote["provider"][-1].upper() for quote in quotes}
    assert views, "the script never has both views fail a service that has run for a while"
    for view in views:
        expect(panel(page).get_by_text(f"Sample view {view}", exact=True)).to_be_visible()
    if len(views) > 1:
        expect(panel(page).locator(".rk-spread")).to_be_visible()
    expect(panel(page).get_by_role("img", name=re.compile("Widest spread of each half hour"))).to_be_visible()
    expect(panel(page).locator(DRAWN).first).to_be_visible()
    expect(page.locator(".rk tr[aria-selected=true]")).to_have_attribute("data-id", "ethereum")
    page.go_back()
    expect(panel(page)).to_have_count(0)


def test_another_row_changes_the_same_drawing_and_asks_for_no_other_library(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator(".rk tr[data-id=ethereum] .c-price").click()
    chart = panel(page).locator(".cp-chart")
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
    assert not [url for url in asked if "PlotlyChart" in url]
    assert len([url for url in asked if "/assets/lib/plotly-" in url]) <= 1


def test_a_drawing_is_told_in_figures_that_follow_it(page: Page) -> None:
    page.locator(".rk tr[data-id=ethereum] .c-price").click()
    folded = panel(page).locator(".cp-fold")
    folded.locator("summary").click()
    expect(folded.locator("caption")).to_have_text("Candles: Ethereum")
    expect(folded.locator("tbody tr").first).to_be_visible()
    page.locator(".rk tr[data-id=solana] .c-price").click()
    expect(folded.locator("caption")).to_have_text("Candles: Solana")


def test_assets_join_and_leave_the_comparison_by_name(page: Page, warm_reader: Reader) -> None:
    rankings_in_compare = "/rankings?view=compare&compare=bitcoin,ethereum"
    warm_reader.open(rankings_in_compare, DRAWN, page)
    field = page.get_by_label("Assets to compare")
    field.fill("sola")
    assert page.locator(".rk-matrix tbody tr").count() == 2, "a part of a name adds nothing yet"
    field.press("Enter")
    expect(page.locator(".rk-matrix tbody tr")).to_have_count(3)
    expect(page).to_have_url(re.compile("compare=bitcoin%2Cethereum%2Csolana"))
    expect(field).to_have_value("")
    field.fill("Cardano (ADA)")  # as picked from the suggestions
    expect(page.locator(".rk-matrix tbody tr")).to_have_count(4)
    page.get_by_role("button", name="Remove Ethereum (ETH)").click()
    expect(page.locator(".rk-matrix tbody tr")).to_have_count(3)
    expect(page).to_have_url(re.compile("compare=bitcoin%2Csolana%2Ccardano"))
    assert focused(page)[0] == "INPUT"


def test_the_treemap_comes_back_as_it_was_drawn(page: Page) -> None:
    drawing = page.locator(".st-key-rk_treemap .js-plotly-plot")
    page.get_by_role("radio", name="Treemap").click()
    expect(drawing.locator(".slice").first).to_be_visible()
    drawing.evaluate("plot => { plot.seenBefore = true }")
    page.get_by_role("radio", name="Table").click()
    expect(drawing).to_have_count(0)
    expect(page.locator(".rk tbody tr").first).to_be_visible()
    page.get_by_role("radio", name="Treemap").click()
    expect(drawing.locator(".slice").first).to_be_visible()
    assert drawing.evaluate("plot => plot.seenBefore === true")


def test_without_the_library_the_figures_are_still_told(browser: Browser, running_dashboard: str) -> None:
    reader = Reader(browser, running_dashboard)
    reader.context.route("**/assets/lib/*", lambda route: route.abort())
    page = rankings(reader, "?coin=bitcoin")
    expect(panel(page).locator(".cp-chart-failed")).to_have_text(re.compile("cannot be loaded"))
    panel(page).locator(".cp-fold summary").click()
    expect(panel(page).locator(".cp-fold tbody tr").first).to_be_visible()
    expect(panel(page).get_by_text("Spread").first).to_be_visible()
    reader.close()


def test_a_drawing_takes_the_colours_of_the_mode_that_the_reader_turns_to(
    browser: Browser, running_dashboard: str
) -> None:
    reader = Reader(browser, running_dashboard)
    page = rankings(reader, "?coin=bitcoin")
    label = panel(page).locator(".ytick text").first
    expect(label).to_have_css("fill", "rgb(19, 26, 38)")
    page.emulate_media(color_scheme="dark")
    expect(label).to_have_css("fill", "rgb(230, 235, 244)")
    reader.close()


def test_the_keyboard_does_it_all_and_letters_can_be_switched_off(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("coin")
    page.keyboard.press("Enter")
    order = ids(page)
    assert focused(page) == [order[0], "name"]
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    assert focused(page)[0] == order[1]
    page.keyboard.press("ArrowRight")
    assert focused(page) == [order[1], "price"]
    page.keyboard.press("s")
    expect(page.locator(".rk th.c-price").first).to_have_attribute("aria-sort", "descending")
    assert focused(page)[0] == order[1], "the focus follows its row when the order changes"
    page.keyboard.press("w")
    expect(page.locator(f".rk tr[data-id='{order[1]}'] .star")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    expect(panel(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel(page)).to_have_count(0)
    page.locator(".rk summary", has_text="Keys").click()
    page.get_by_label("Single-letter keys on").uncheck()
    page.locator(".rk tbody tr").first.locator(".c-price").focus()
    before = focused(page)
    page.keyboard.press("j")
    assert focused(page) == before
    page.keyboard.press("ArrowDown")
    assert focused(page) != before


def test_a_refresh_keeps_scroll_focus_sorting_and_the_open_coin(page: Page, warm_reader: Reader) -> None:
    warm_reader.remember(lang="en", refresh="5")
    rankings(warm_reader, "?sort=name&cols=rank,name,price,source&coin=bitcoin", page)
    row = page.locator(".rk tbody tr").nth(60)
    row.locator(".c-name").focus()
    box = page.locator(".rk .box")
    box.evaluate("box => { box.scrollTop = 1500 }")
    kept = focused(page)
    order = ids(page)
    seen = page.locator(".rk tbody .c-price").all_inner_texts()
    changed = """before => {
        const host = [...document.querySelectorAll('*')].find(node => node.shadowRoot?.querySelector('.rk'));
        const cells = [...host.shadowRoot.querySelectorAll('tbody .c-price')];
        return cells.some((cell, n) => cell.textContent !== before[n]) }"""
    page.wait_for_function(changed, arg=seen, timeout=90_000)
    assert box.evaluate("box => box.scrollTop") == 1500
    assert focused(page) == kept
    assert ids(page) == order
    expect(page.locator(".rk tr[aria-selected=true]")).to_have_attribute("data-id", "bitcoin")
    expect(panel(page).locator("h2")).to_contain_text("Bitcoin")


def test_a_watchlist_lives_in_the_browser_and_travels_by_link_and_file(
    browser: Browser, page: Page, warm_reader: Reader, tmp_path: Path
) -> None:
    for asset in ("bitcoin", "solana"):
        page.locator(f".rk tr[data-id={asset}] .star").click()
    rankings(warm_reader, page=page)
    expect(page.locator(".rk tr[data-id=solana] .star")).to_have_attribute("aria-pressed", "true")
    page.locator(".rk select").first.select_option(index=1)
    assert sorted(ids(page)) == ["bitcoin", "solana"]
    expect(page).to_have_url(re.compile("watch=bitcoin%2Csolana"))
    page.locator(".rk summary", has_text="Watchlists").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as file").click()
    kept, wrong = tmp_path / "lists.json", tmp_path / "wrong.json"
    download.value.save_as(kept)
    wrong.write_text('{"format": "other"}')

    somebody = Reader(browser, warm_reader.base)
    other = rankings(somebody, "?watch=bitcoin,solana")
    assert sorted(ids(other)) == ["bitcoin", "solana"]
    other.locator(".rk summary", has_text="Watchlists").click()
    other.locator(".rk input[type=file]").set_input_files(wrong)
    expect(other.locator(".rk .said")).to_contain_text("no watchlists")
    other.locator(".rk input[type=file]").set_input_files(kept)
    expect(other.locator(".rk .said")).to_contain_text("1 lists")
    expect(other.locator(".rk tr[data-id=bitcoin] .star")).to_have_attribute("aria-pressed", "true")
    somebody.close()


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


def test_a_press_on_a_row_leaves_no_caret_among_the_rows_and_two_mark_a_word(page: Page) -> None:
    prices = page.locator(".rk tbody .c-price")
    prices.nth(3).click()
    expect(panel(page)).to_be_visible()
    assert page.evaluate("getSelection().rangeCount") == 0
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.rk-price'))")
    prices.nth(4).click()  # what is marked elsewhere holds up nothing
    expect(page.locator(".rk tbody tr").nth(4)).to_have_attribute("aria-selected", "true")
    prices.nth(5).dblclick()
    marked = page.evaluate("String(getSelection())").strip()
    assert marked
    assert marked in prices.nth(5).inner_text()


CASES = {
    "desktop": (
        "?q=bit&coin=bitcoin",
        "?view=treemap&size=volume",
        "?view=compare&compare=bitcoin,ethereum,solana",
    ),
    "phone": ("?lang=en&q=bit&coin=bitcoin", "?view=treemap&lang=ja", "?lang=zh&q=nothing-like-this"),
}


@pytest.mark.parametrize("look", CASES)
def test_nobody_is_shut_out_nothing_overflows_and_nothing_jumps(
    browser: Browser, running_dashboard: str, axe_source: str, look: str
) -> None:
    reader = Reader(browser, running_dashboard, look)
    page = reader.context.new_page()
    for query in CASES[look]:
        content = DRAWN if "coin" in query or "view" in query else ".rk .empty"
        reader.open(f"/rankings{query}", content, page)
        assert is_steady(page, content), query
        assert violations(page, axe_source) == [], query
        assert overflow(page) <= 0, query
        if "treemap" in query:
            expect(page.locator(".rk-legend li")).to_have_count(7)
            expect(page.locator(".js-plotly-plot .annotation")).to_have_count(1)  # the sample's mark
            page.locator(".cp-fold summary").click()
            expect(page.locator(".cp-fold tbody tr").nth(99)).to_be_attached()
        elif "compare" in query:
            own = [page.locator(f".rk-matrix tbody tr:nth-child({n}) td:nth-of-type({n})") for n in (1, 2, 3)]
            assert [cell.inner_text() for cell in own] == ["1.00"] * 3
            assert page.locator(".cp-table").first.locator("tbody tr").count() == 3
        elif look == "phone" and "coin" in query:
            panel(page).get_by_role("button", name="Close", exact=True).click()
            expect(panel(page)).to_have_count(0)
            assert violations(page, axe_source) == []
            assert overflow(page) <= 0
    expect(page.locator("html")).to_have_attribute("lang", {"phone": "zh-Hans"}.get(look, "en"))
    reader.close()
