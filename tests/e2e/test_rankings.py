"""The Rankings page in a real browser, over the whole service in sample mode."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

pytestmark = pytest.mark.browser

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
WAIT_MS = 20_000


def visit(browser: Browser, **options: Any) -> tuple[BrowserContext, list[str]]:
    """A reader with nothing stored; ``faults`` gathers script errors and requests to other hosts."""
    context = browser.new_context(
        **{
            "viewport": {"width": 1440, "height": 900},
            "locale": "en-US",
            "reduced_motion": "reduce",
            "permissions": ["clipboard-read", "clipboard-write"],
            **options,
        }
    )
    context.set_default_timeout(WAIT_MS)
    faults: list[str] = []
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    context.on("request", lambda request: faults.append(request.url) if foreign(request.url) else None)
    return context, faults


def foreign(url: str) -> bool:
    return not url.startswith(("data:", "blob:", "http://127.0.0.1", "http://localhost", "ws://127.0.0.1"))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context, faults = visit(browser)
    yield context.new_page()
    context.close()
    assert faults == []


def open_rankings(page: Page, base: str, query: str = "") -> None:
    page.goto(f"{base}/rankings{query}")
    page.wait_for_selector(IDLE)
    page.locator(".rk tbody tr").first.wait_for()


def ids(page: Page) -> list[str]:
    return page.locator(".rk tbody tr").evaluate_all("rows => rows.map(row => row.dataset.id)")


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
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON", exact=True).click()
    rows: list[dict[str, Any]] = json.loads(Path(download.value.path()).read_text("utf-8"))["rows"]
    return rows


def test_every_enabled_asset_has_a_row_with_its_price_and_source(page: Page, running_dashboard: str) -> None:
    open_rankings(page, running_dashboard)
    assert len(ids(page)) >= 150
    first = page.locator(".rk tbody tr").first
    expect(first.locator(".c-price")).to_have_text(re.compile(r"^\$[\d,.]+$"))
    expect(first.locator(".c-source")).to_contain_text("sample")
    expect(first.locator(".c-24h")).to_have_text(re.compile(r"^(▲\+|▼−)?[\d.,]+%$"))


@pytest.mark.parametrize("sort", ["cap", "-24h", "name", "-rank"])
def test_the_browser_and_the_service_put_rows_in_the_same_order(
    page: Page, running_dashboard: str, sort: str
) -> None:
    open_rankings(page, running_dashboard, f"?sort={sort}")
    for _ in range(4):  # a refresh may fall between the two looks and move a row
        shown = ids(page)
        rows = [row["id"] for row in exported(page)]
        if shown == rows:
            break
    assert shown == rows


def test_sorting_is_at_once_takes_several_keys_and_keeps_unknown_last(
    page: Page, running_dashboard: str
) -> None:
    open_rankings(page, running_dashboard)
    head = page.locator(".rk thead")
    head.locator("[data-sort='rank']").click()
    expect(head.locator("th.c-rank")).to_have_attribute("aria-sort", "ascending")
    ranks = page.locator(".rk tbody .c-rank").all_inner_texts()
    known = [int(rank) for rank in ranks if rank != "–"]
    assert known == sorted(known)
    assert ranks[: len(known)] == [str(rank) for rank in known], "unknown ranks stand at the end"
    head.locator("[data-sort='rank']").click()
    assert page.locator(".rk tbody .c-rank").last.inner_text() == "–" or "–" not in ranks
    head.locator("[data-sort='name']").click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile(r"sort=-rank%2Cname"))


def test_filters_narrow_the_table_and_stand_in_the_link(page: Page, running_dashboard: str) -> None:
    open_rankings(page, running_dashboard)
    everything = len(ids(page))
    page.locator(".rk input[type=search]").fill("bit")
    page.get_by_role("button", name="No stablecoins", exact=True).click()
    expect(page).to_have_url(re.compile(r"q=bit&facet=unpegged"))
    narrowed = ids(page)
    assert 0 < len(narrowed) < everything
    assert "bitcoin" in narrowed
    page.reload()
    page.locator(".rk tbody tr").first.wait_for()
    assert ids(page) == narrowed
    page.get_by_role("button", name="Clear filters").click()
    assert len(ids(page)) == everything


def test_a_filter_adds_no_step_to_the_history(page: Page, running_dashboard: str) -> None:
    open_rankings(page, running_dashboard)
    before = page.evaluate("history.length")
    page.get_by_role("button", name="Gainers").click()
    expect(page).to_have_url(re.compile("facet=gainers"))
    page.wait_for_selector(IDLE)
    assert page.evaluate("history.length") == before


def test_a_row_opens_its_coin_and_back_closes_it(page: Page, running_dashboard: str) -> None:
    open_rankings(page, running_dashboard)
    page.locator(".rk tr[data-id=ethereum] .c-price").click()
    expect(panel(page).locator("h2")).to_contain_text("Ethereum")
    expect(page).to_have_url(re.compile("coin=ethereum"))
    expect(panel(page).get_by_text("Sample A")).to_be_visible()
    expect(panel(page).get_by_text("Sample B")).to_be_visible()
    expect(panel(page).get_by_text("Spread")).to_be_visible()
    expect(panel(page).locator(".js-plotly-plot")).to_be_visible()
    expect(page.locator(".rk tr[aria-selected=true]")).to_have_attribute("data-id", "ethereum")
    page.go_back()
    expect(panel(page)).to_have_count(0)


def test_the_keyboard_does_it_all(page: Page, running_dashboard: str) -> None:
    open_rankings(page, running_dashboard)
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


def test_letters_can_be_switched_off(page: Page, running_dashboard: str) -> None:
    open_rankings(page, running_dashboard)
    page.locator(".rk summary", has_text="Keys").click()
    page.get_by_label("Single-letter keys on").uncheck()
    page.locator(".rk tbody tr").first.locator(".c-price").focus()
    before = focused(page)
    page.keyboard.press("j")
    assert focused(page) == before
    page.keyboard.press("ArrowDown")
    assert focused(page) != before


def test_a_refresh_keeps_scroll_focus_and_sorting(page: Page, running_dashboard: str) -> None:
    open_rankings(page, running_dashboard, "?sort=name&cols=rank,name,price,source")
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


def test_a_watchlist_lives_in_the_browser_and_travels_by_link_and_file(
    browser: Browser, page: Page, running_dashboard: str, tmp_path: Path
) -> None:
    open_rankings(page, running_dashboard)
    for asset in ("bitcoin", "solana"):
        page.locator(f".rk tr[data-id={asset}] .star").click()
    page.locator(".rk select").first.select_option(index=1)
    assert sorted(ids(page)) == ["bitcoin", "solana"]
    expect(page).to_have_url(re.compile("watch=bitcoin%2Csolana"))
    page.locator(".rk summary", has_text="Watchlists").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as file").click()
    kept = tmp_path / "lists.json"
    download.value.save_as(kept)

    context, faults = visit(browser)
    other = context.new_page()
    open_rankings(other, running_dashboard, "?watch=bitcoin,solana")
    assert sorted(ids(other)) == ["bitcoin", "solana"]
    other.locator(".rk summary", has_text="Watchlists").click()
    other.locator(".rk input[type=file]").set_input_files(kept)
    expect(other.locator(".rk .said")).to_contain_text("1 lists")
    expect(other.locator(".rk tr[data-id=bitcoin] .star")).to_have_attribute("aria-pressed", "true")
    context.close()
    assert faults == []


def test_a_file_that_holds_no_lists_is_refused_in_words(
    page: Page, running_dashboard: str, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"format": "other"}')
    open_rankings(page, running_dashboard)
    page.locator(".rk summary", has_text="Watchlists").click()
    page.locator(".rk input[type=file]").set_input_files(wrong)
    expect(page.locator(".rk .said")).to_contain_text("no watchlists")


def test_columns_and_span_are_chosen_and_reopened_by_the_link(page: Page, running_dashboard: str) -> None:
    open_rankings(page, running_dashboard)
    page.locator(".rk summary", has_text="Columns").click()
    page.get_by_label("Change 30d").check()
    page.get_by_label("Rank", exact=True).uncheck()
    page.keyboard.press("Escape")
    page.locator(".rk .seg button", has_text="7d").click()
    expect(page).to_have_url(re.compile(r"span=7d"))
    expect(page.locator(".rk th.c-trend").first).to_contain_text("7d")
    page.reload()
    expect(page.locator(".rk th.c-30d").first).to_be_visible()
    expect(page.locator(".rk th.c-rank")).to_have_count(0)


def test_the_export_holds_what_is_on_the_screen_and_calls_it_sample(
    page: Page, running_dashboard: str
) -> None:
    open_rankings(page, running_dashboard, "?q=coin&sort=name")
    rows = exported(page)
    assert [row["id"] for row in rows] == ids(page)
    assert all(
        "Sample data" in row["note"] and row["source"] and row["as_of"] for row in rows if row["price_usd"]
    )


def test_the_treemap_has_a_legend_and_a_table(page: Page, running_dashboard: str) -> None:
    page.goto(f"{running_dashboard}/rankings?view=treemap")
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    expect(page.locator(".rk-legend li")).to_have_count(7)
    page.locator(".rk-fold summary").click()
    assert page.locator(".rk-fold tbody tr").count() >= 100


def test_assets_are_compared_from_a_hundred_with_their_correlations(
    page: Page, running_dashboard: str
) -> None:
    page.goto(f"{running_dashboard}/rankings?view=compare&compare=bitcoin,ethereum,solana")
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    cells = page.locator(".rk-matrix td").all_inner_texts()
    assert cells.count("1.00") == 3
    assert page.locator(".rk-table").first.locator("tbody tr").count() == 3


def test_icons_come_from_the_dashboards_own_address(page: Page, running_dashboard: str) -> None:
    open_rankings(page, running_dashboard)
    image = page.locator(".rk tr[data-id=bitcoin] img")
    source = image.evaluate("image => image.currentSrc")
    assert source.startswith(running_dashboard)
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")


@pytest.mark.parametrize(
    ("variant", "query"),
    [
        *((variant, query) for variant in ("light", "dark", "phone") for query in ("", "?coin=bitcoin")),
        ("light", "?view=treemap"),
        ("dark", "?view=compare&compare=bitcoin,ethereum"),
        ("phone", "?view=treemap&lang=ja"),
        ("phone", "?lang=zh&q=nothing-like-this"),
    ],
)
def test_no_accessibility_rule_is_broken_and_nothing_overflows(
    browser: Browser, running_dashboard: str, axe_source: str, variant: str, query: str
) -> None:
    options = PHONE if variant == "phone" else {"color_scheme": variant}
    context, faults = visit(browser, **options)
    page = context.new_page()
    page.goto(f"{running_dashboard}/rankings{query}")
    page.wait_for_selector(IDLE)
    if "compare" not in query:
        page.locator(".rk .bar").wait_for()
    if "coin" in query or "view" in query:
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
    page.evaluate(axe_source)
    result = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
    wide = page.locator("[data-testid=stMain]").evaluate("main => main.scrollWidth - main.clientWidth")
    context.close()
    assert [(rule["id"], rule["nodes"][0]["target"]) for rule in result["violations"]] == []
    assert wide <= 0
    assert faults == []
