"""The review of the Corrections page in a browser: details, filters, comparison, accessibility."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.corrections.page import (
    FAULTS,
    FAULTY,
    MARK,
    find_status,
    read_clipboard,
    read_focused_text,
    submit_article,
)
from tests.support.dashboard.reader import (
    DEVICES,
    IDLE,
    Reader,
    find_accessibility_violations,
    is_steady,
    measure_overflow,
)
from tests.support.waiting import wait_for

pytestmark = pytest.mark.browser


def test_the_card_shows_the_finding_its_reason_and_the_entity(page: Page) -> None:
    submit_article(page, FAULTY)
    card = page.locator(".review .card")
    expect(card).to_contain_text("Finding 1 of 8 · 8 still to decide")
    expect(card).to_contain_text("Error · Wrong spelling")
    expect(card).to_contain_text("Safe: applied with S")
    expect(card.locator(".names dd")).to_have_text(["Ethereum", "イーサリアム", "以太坊"])
    expect(card.get_by_role("link", name="ethereum.org")).to_have_attribute("href", "https://ethereum.org")
    page.locator(MARK, has_text="Matic Network").click()
    expect(card).to_contain_text("Needs your approval")
    expect(card).to_contain_text("Former name")


def test_an_article_and_its_decisions_stay_while_another_page_is_open(page: Page) -> None:
    submit_article(page, FAULTY)
    page.keyboard.press("i")
    page.keyboard.press("a")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    page.locator(".review .seg button").last.click()  # the comparison contains the decisions
    expect(page.locator(".compare ins")).to_have_text(["ビットコイン"])
    page.get_by_role("link", name="Rankings").click()
    page.locator(".rk tbody tr").first.wait_for()
    page.get_by_role("link", name="Corrections").click()
    page.locator(".review").wait_for()
    page.locator(".review .seg button").first.click()
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)


def test_filters_limit_the_findings_and_are_in_the_url(page: Page) -> None:
    submit_article(page, FAULTY)
    page.locator(".review .chip[data-severity=info]").click()
    expect(page).to_have_url(re.compile("sev=info"))
    assert "イーサリウム" not in page.url
    expect(page.locator(".review .card")).to_contain_text("1 of 1")
    page.locator(".review .card").focus()
    page.keyboard.press("n")
    assert read_focused_text(page) == "Matic Network"
    page.locator(".review .chip[data-severity=info]").click()
    page.locator(".review select").select_option(index=1)
    expect(page).to_have_url(re.compile("rule="))


def test_the_comparison_is_exact_in_every_script(page: Page) -> None:
    submit_article(page, FAULTY)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    page.keyboard.press("d")
    expect(page).to_have_url(re.compile("review=compare"))
    expect(page.locator(".compare del")).to_have_count(FAULTS - 1)
    assert page.locator(".compare del").all_inner_texts()[:2] == ["イーサリウム", "ﾋﾞｯﾄｺｲﾝ"]
    assert page.locator(".compare ins").all_inner_texts()[:2] == ["イーサリアム", "ビットコイン"]
    row = page.locator(".compare .row.changed").first.locator(".side")
    assert row.nth(0).inner_text() == FAULTY.split("\n")[0]
    page.keyboard.press("d")
    expect(page.locator(MARK)).to_have_count(1)


def test_findings_in_a_hundred_thousand_characters_can_be_reviewed(page: Page) -> None:
    text = ("暗号資産の市場は落ち着いている。" * 30 + "Etheriumは上昇した。\n\n") * 200
    assert len(text) > 98_000
    submit_article(page, text)
    expect(page.locator(MARK)).to_have_count(200)
    for _ in range(20):
        page.keyboard.press("n")
    expect(page.locator(".review .card")).to_contain_text("21 of 200")
    mark = page.locator(f"{MARK}[data-n='20']")
    seen = (
        "mark => { const box = mark.getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight }"
    )
    wait_for(lambda: bool(mark.evaluate(seen)), "The mark on the screen")
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(0)
    page.keyboard.press("c")
    expect(find_status(page)).to_have_text("Copied.")
    assert read_clipboard(page) == text.replace("Etherium", "Ethereum")


KEY_PRESSES = {"desktop": ("", "d"), "phone": ("", "?", "Escape", "d")}
MODES = {"desktop": {}, "phone": {"batch": ".st-key-cr_batch_text", "history": ".st-key-cr_bar"}}
"""Other modes that are tested. On the desktop only the layout of review and comparison differs."""


@pytest.mark.parametrize("device", DEVICES)
def test_the_page_is_accessible_without_overflow_or_layout_shift(
    browser: Browser, running_dashboard: str, axe_source: str, device: str
) -> None:
    reader = Reader(browser, running_dashboard, device)
    page = reader.open("/corrections", ".st-key-cr_content textarea")
    assert is_steady(page, ".st-key-cr_content textarea")
    assert find_accessibility_violations(page, axe_source) == []
    assert measure_overflow(page) <= 0
    submit_article(page, FAULTY)
    page.locator(MARK).nth(3).click()
    page.locator(".review .acts button").first.click()
    for key in KEY_PRESSES[device]:
        if key:
            page.keyboard.press(key)
            page.wait_for_selector(IDLE)
        assert find_accessibility_violations(page, axe_source) == [], key
        assert measure_overflow(page) <= 0, key
    for mode, ready_selector in MODES[device].items():
        reader.open(f"/corrections?mode={mode}&lang=ja", ready_selector, page)
        assert find_accessibility_violations(page, axe_source) == [], mode
        assert measure_overflow(page) <= 0, mode
    reader.close()
