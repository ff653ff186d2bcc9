"""The Rankings in a real browser by the keyboard alone, while they change, and with a reader's own lists."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.rankings.page import focused, ids, panel, rankings
from tests.support.reader import Reader

pytestmark = pytest.mark.browser


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
    page.locator(".rk summary", has_text="Shortcuts").click()
    page.get_by_label("Enable single-letter shortcuts").uncheck()
    page.locator(".rk tbody tr").first.locator(".c-price").focus()
    before = focused(page)
    page.keyboard.press("j")
    assert focused(page) == before
    page.keyboard.press("ArrowDown")
    assert focused(page) != before


def test_a_refresh_keeps_scroll_focus_sorting_and_the_open_coin(blank: Page, warm_reader: Reader) -> None:
    warm_reader.remember(lang="en", refresh="5")
    page = rankings(warm_reader, "?sort=name&cols=rank,name,price,source&coin=bitcoin", blank)
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
    page.wait_for_function(changed, arg=seen)
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
    expect(other.locator(".rk .message")).to_contain_text("no watchlists")
    other.locator(".rk input[type=file]").set_input_files(kept)
    expect(other.locator(".rk .message")).to_contain_text("1 lists")
    expect(other.locator(".rk tr[data-id=bitcoin] .star")).to_have_attribute("aria-pressed", "true")
    somebody.close()
