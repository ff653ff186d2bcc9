"""The Corrections page by the keyboard: decisions, the way back, letters that are letters."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.corrections.page import FAULTS, FAULTY, MARK, check, content, focused, said, shown_text
from tests.support.waiting import wait_for

pytestmark = pytest.mark.browser


def test_keys_move_decide_and_take_back_without_losing_the_place(page: Page) -> None:
    check(page, FAULTY)
    first = "イーサリウム"
    wait_for(lambda: focused(page) == first, "The focus on the first finding")
    page.keyboard.press("n")
    assert focused(page) == "ﾋﾞｯﾄｺｲﾝ"
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    page.keyboard.press("p")
    page.keyboard.press("p")
    assert focused(page) == first
    page.keyboard.press("p")
    assert focused(page) == "Solanna", "around the end"
    page.keyboard.press("n")
    page.keyboard.press("i")
    assert focused(page) == "ﾋﾞｯﾄｺｲﾝ", "on to the next open one"
    page.keyboard.press("a")
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    expect(page.locator(f"{MARK}[data-status=approved] .new")).to_have_text("ビットコイン")
    page.keyboard.press("z")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(0)
    page.keyboard.press("Shift+Z")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(2)
    assert shown_text(page).startswith("イーサリウムの開発者は、ビットコイン"), "ignored stays, safe is done"
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    page.keyboard.press("z")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    assert shown_text(page) == FAULTY
    page.keyboard.press("Shift+Z")
    expect(page.locator(MARK)).to_have_count(2)


def test_keys_that_come_faster_than_the_answers_are_not_lost(page: Page) -> None:
    check(page, FAULTY)
    for key in ("s", "a", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(MARK)).to_have_count(0)
    expect(page.locator(".review .done")).to_be_visible()


def test_letters_typed_into_a_box_are_letters_and_can_be_switched_off(page: Page) -> None:
    check(page, FAULTY)
    page.keyboard.press("e")
    expect(content(page)).to_be_focused()
    expect(content(page)).to_have_value(FAULTY)
    page.keyboard.press("End")
    page.keyboard.type("asnz")
    expect(content(page)).to_have_value(re.compile("asnz"))
    content(page).press("Control+Enter")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("?")
    page.get_by_label("Enable single-letter shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.locator(MARK).nth(2).focus()
    page.keyboard.press("a")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(0)
    page.keyboard.press("ArrowDown")
    assert focused(page) == "ビットコイソ"


def test_undo_restores_the_input_boxes_too(page: Page) -> None:
    check(page, FAULTY)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    page.keyboard.press("z")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("e")
    expect(content(page)).to_have_value(FAULTY)


def test_a_name_with_two_meanings_is_chosen_by_its_number(page: Page) -> None:
    check(page, "该公司发行了新的贷币。")
    expect(page.locator(".review .card")).to_contain_text("No single suggestion")
    page.keyboard.press("a")
    expect(said(page)).to_contain_text("Choose a name first")
    page.keyboard.press("2")
    expect(page.locator(f"{MARK} .new")).to_have_text("代币")
    page.keyboard.press("Enter")
    expect(page.locator(MARK)).to_have_count(0)
    assert shown_text(page) == "该公司发行了新的代币。"
