"""The Rankings in a browser: keyboard, refreshes, and watchlists."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.rankings.page import (
    find_focused_cell,
    find_panel,
    find_toolbar,
    list_row_ids,
    open_rankings,
)
from tests.support.dashboard.reader import Reader

pytestmark = pytest.mark.browser


def test_the_keyboard_operates_the_table_and_letters_can_be_disabled(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("coin")
    page.keyboard.press("Enter")
    order = list_row_ids(page)
    assert find_focused_cell(page) == [order[0], "name"]
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    assert find_focused_cell(page)[0] == order[1]
    page.keyboard.press("ArrowRight")
    assert find_focused_cell(page) == [order[1], "price"]
    page.keyboard.press("s")
    expect(page.locator(".rk th.c-price").first).to_have_attribute("aria-sort", "descending")
    assert find_focused_cell(page)[0] == order[1], "the focus follows its row when the order changes"
    page.keyboard.press("w")
    expect(page.locator(f".rk tr[data-id='{order[1]}'] .star")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    expect(find_panel(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(find_panel(page)).to_have_count(0)
    page.locator(".rk summary", has_text="Shortcuts").click()
    find_toolbar(page).get_by_label("Enable single-letter shortcuts").uncheck()
    page.locator(".rk tbody tr").first.locator(".c-price").focus()
    before = find_focused_cell(page)
    page.keyboard.press("j")
    assert find_focused_cell(page) == before
    page.keyboard.press("ArrowDown")
    assert find_focused_cell(page) != before


def test_a_refresh_keeps_scroll_focus_sorting_and_the_open_coin(blank: Page, warm_reader: Reader) -> None:
    warm_reader.remember(lang="en", refresh="5")
    page = open_rankings(warm_reader, "?sort=name&cols=rank,name,price,source&coin=bitcoin", blank)
    row = page.locator(".rk tbody tr").nth(60)
    row.locator(".c-name").focus()
    box = page.locator(".rk .box")
    box.evaluate("box => { box.scrollTop = 1500 }")
    focused_before = find_focused_cell(page)
    order = list_row_ids(page)
    prices_before = page.locator(".rk tbody .c-price").all_inner_texts()
    changed = """before => {
        const host = [...document.querySelectorAll('*')].find(node => node.shadowRoot?.querySelector('.rk'));
        const cells = [...host.shadowRoot.querySelectorAll('tbody .c-price')];
        return cells.some((cell, n) => cell.textContent !== before[n]) }"""
    page.wait_for_function(changed, arg=prices_before)
    assert box.evaluate("box => box.scrollTop") == 1500
    assert find_focused_cell(page) == focused_before
    assert list_row_ids(page) == order
    expect(page.locator(".rk tr[aria-selected=true]")).to_have_attribute("data-id", "bitcoin")
    expect(find_panel(page).locator("h2")).to_contain_text("Bitcoin")


def test_a_watchlist_is_stored_in_the_browser_and_shared_by_link_and_file(
    browser: Browser, page: Page, warm_reader: Reader, tmp_path: Path
) -> None:
    for asset in ("bitcoin", "solana"):
        page.locator(f".rk tr[data-id={asset}] .star").click()
    open_rankings(warm_reader, page=page)
    expect(page.locator(".rk tr[data-id=solana] .star")).to_have_attribute("aria-pressed", "true")
    page.locator(".rk select").first.select_option(index=1)
    assert sorted(list_row_ids(page)) == ["bitcoin", "solana"]
    expect(page).to_have_url(re.compile("watch=bitcoin%2Csolana"))
    page.locator(".rk summary", has_text="Watchlists").click()
    with page.expect_download() as download:
        find_toolbar(page).get_by_role("button", name="Save as file").click()
    saved, wrong = tmp_path / "lists.json", tmp_path / "wrong.json"
    download.value.save_as(saved)
    wrong.write_text('{"format": "other"}')

    another_reader = Reader(browser, warm_reader.base)
    other_page = open_rankings(another_reader, "?watch=bitcoin,solana")
    assert sorted(list_row_ids(other_page)) == ["bitcoin", "solana"]
    other_page.locator(".rk summary", has_text="Watchlists").click()
    other_page.locator(".rk input[type=file]").set_input_files(wrong)
    expect(other_page.locator(".rk .message")).to_contain_text("no watchlists")
    other_page.locator(".rk input[type=file]").set_input_files(saved)
    expect(other_page.locator(".rk .message")).to_contain_text("1 list imported")
    expect(other_page.locator(".rk tr[data-id=bitcoin] .star")).to_have_attribute("aria-pressed", "true")
    another_reader.close()
