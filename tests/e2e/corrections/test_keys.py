"""Keyboard use of the Corrections page: decisions, undo, and typing in text boxes."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.corrections.page import (
    FAULTS,
    FAULTY,
    MARK,
    find_content,
    find_status,
    read_focused_text,
    read_review_text,
    submit_article,
)
from tests.support.dashboard.reader import IDLE, Reader
from tests.support.waiting import wait_for

pytestmark = pytest.mark.browser


def test_keys_move_decide_and_undo_without_losing_the_position(page: Page) -> None:
    submit_article(page, FAULTY)
    first = "イーサリウム"
    wait_for(lambda: read_focused_text(page) == first, "The focus on the first finding")
    page.keyboard.press("n")
    assert read_focused_text(page) == "ﾋﾞｯﾄｺｲﾝ"
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    page.keyboard.press("p")
    page.keyboard.press("p")
    assert read_focused_text(page) == first
    page.keyboard.press("p")
    assert read_focused_text(page) == "Solanna", "around the end"
    page.keyboard.press("n")
    page.keyboard.press("i")
    assert read_focused_text(page) == "ﾋﾞｯﾄｺｲﾝ", "on to the next open one"
    page.keyboard.press("a")
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    expect(page.locator(f"{MARK}[data-status=approved] .new")).to_have_text("ビットコイン")
    page.keyboard.press("z")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(0)
    page.keyboard.press("Shift+Z")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(2)
    assert read_review_text(page).startswith("イーサリウムの開発者は、ビットコイン"), (
        "ignored stays, safe is done"
    )
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    page.keyboard.press("z")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    assert read_review_text(page) == FAULTY
    page.keyboard.press("Shift+Z")
    expect(page.locator(MARK)).to_have_count(2)


def test_keys_pressed_before_the_response_are_queued(page: Page) -> None:
    submit_article(page, FAULTY)
    for key in ("s", "a", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(MARK)).to_have_count(0)
    expect(page.locator(".review .done")).to_be_visible()


def test_shortcuts_do_not_act_while_typing_and_can_be_disabled(page: Page) -> None:
    submit_article(page, FAULTY)
    page.keyboard.press("e")
    expect(find_content(page)).to_be_focused()
    expect(find_content(page)).to_have_value(FAULTY)
    page.keyboard.press("End")
    page.keyboard.type("asnz")
    expect(find_content(page)).to_have_value(re.compile("asnz"))
    find_content(page).press("Control+Enter")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("?")
    page.get_by_label("Enable single-letter shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.locator(MARK).nth(2).focus()
    page.keyboard.press("a")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(0)
    page.keyboard.press("ArrowDown")
    assert read_focused_text(page) == "ビットコイソ"


def test_the_empty_text_box_has_the_focus_on_arrival(page: Page, warm_reader: Reader) -> None:
    expect(find_content(page)).to_be_focused()
    page.keyboard.type("Two words")
    expect(page.locator(".st-key-cr_content_counts")).to_have_text(
        "Content: 2 words, 8 characters without spaces"
    )
    other_page = warm_reader.open("/research", "h1")
    other_page.get_by_role("link", name="Corrections").first.click()
    expect(find_content(other_page)).to_be_focused()
    other_page.close()


def test_a_reader_who_chose_another_part_keeps_the_focus(page: Page) -> None:
    modes = page.locator(".st-key-mode")
    modes.get_by_role("radio", name="History").click()
    expect(find_content(page)).to_have_count(0)
    modes.get_by_role("radio", name="One article").click()
    find_content(page).wait_for()
    page.wait_for_selector(IDLE)
    expect(find_content(page)).not_to_be_focused()


def test_on_a_touch_screen_the_keyboard_stays_closed(browser: Browser, running_dashboard: str) -> None:
    reader = Reader(browser, running_dashboard, "phone")
    page = reader.open("/corrections", ".st-key-cr_content textarea")
    expect(page.locator(".st-key-cr_content_counts")).to_have_text(
        "Content: 0 words, 0 characters without spaces"
    )
    expect(find_content(page)).not_to_be_focused()
    reader.close()


def test_undo_also_restores_the_form(page: Page) -> None:
    submit_article(page, FAULTY)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    page.keyboard.press("z")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("e")
    expect(find_content(page)).to_have_value(FAULTY)


def test_a_name_with_two_meanings_is_chosen_by_its_number(page: Page) -> None:
    submit_article(page, "该公司发行了新的贷币。")
    expect(page.locator(".review .card")).to_contain_text("No single suggestion")
    page.keyboard.press("a")
    expect(find_status(page)).to_contain_text("Choose a name first")
    page.keyboard.press("2")
    expect(page.locator(f"{MARK} .new")).to_have_text("代币")
    page.keyboard.press("Enter")
    expect(page.locator(MARK)).to_have_count(0)
    assert read_review_text(page) == "该公司发行了新的代币。"
