"""Work that is kept over a reload, the warning before it is lost, and corrections by single keys."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.e2e.corrections.page import (
    FAULTS,
    FAULTY,
    MARK,
    find_content,
    find_status,
    read_review_text,
    submit_article,
)
from tests.support.dashboard.reader import IDLE, find_accessibility_violations, measure_overflow

pytestmark = pytest.mark.browser


def reload(page: Page, content: str) -> None:
    page.reload()
    page.locator(content).first.wait_for()
    page.wait_for_selector(IDLE)


def test_decisions_undo_history_and_typed_text_are_restored_after_a_reload(
    page: Page, axe_source: str
) -> None:
    submit_article(page, FAULTY)
    page.keyboard.press("f")
    expect(page.locator(MARK)).to_have_count(FAULTS - 1)
    page.keyboard.press("i")
    page.keyboard.press("a")
    reload(page, MARK)  # at once: the dashboard has not received the decisions
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    expect(page.get_by_text("Your work was restored.")).to_be_visible()
    assert find_accessibility_violations(page, axe_source) == []
    for key in ("z", "z", "z"):
        page.keyboard.press(key)
    expect(page.locator(MARK)).to_have_count(FAULTS)
    assert read_review_text(page) == FAULTY
    page.keyboard.press("e")
    find_content(page).fill("Etherium, not checked yet")
    reload(page, ".st-key-cr_content textarea")
    expect(find_content(page)).to_have_value("Etherium, not checked yet")
    page.get_by_role("button", name="Discard").click()
    expect(find_content(page)).to_have_value("")
    page.wait_for_selector(IDLE)
    reload(page, ".st-key-cr_content textarea")
    expect(find_content(page)).to_have_value("")
    expect(page.get_by_text("restored")).to_have_count(0)


def test_leaving_the_page_asks_only_for_work_that_would_be_lost(page: Page) -> None:
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)

    def count_questions(content: str) -> int:
        asked.clear()
        reload(page, content)
        return len(asked)

    find_content(page).click()
    assert count_questions(".st-key-cr_content textarea") == 0, "nothing is typed"
    find_content(page).press_sequentially("Etherium rose")
    assert count_questions(".st-key-cr_content textarea") == 1, "typed, but not checked"
    expect(find_content(page)).to_have_value("Etherium rose")
    find_content(page).press("Control+Enter")
    expect(page.locator(MARK)).to_have_count(1)
    page.wait_for_selector(IDLE)
    assert count_questions(MARK) == 0, "checked, and nothing is decided"
    page.locator(MARK).click()
    page.keyboard.press("f")
    expect(page.locator(MARK)).to_have_count(0)
    page.wait_for_selector(IDLE)
    assert count_questions(".review .done") == 1, "corrected, but not copied"
    page.locator(".review .card").click()
    page.keyboard.press("c")
    expect(find_status(page)).to_have_text("Copied.")
    assert count_questions(".review .done") == 0, "copied"


def test_a_pasted_article_is_checked_and_corrected_by_one_key_for_each_finding(
    page: Page, axe_source: str
) -> None:
    page.evaluate(
        "text => navigator.clipboard.writeText(text)", f"# News\n\n{FAULTY} ![x](https://x.example)"
    )
    find_content(page).press("Control+V")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    for _ in range(FAULTS):
        page.keyboard.press("f")
    expect(page.locator(MARK)).to_have_count(0)
    page.keyboard.press("l")
    sheet = page.locator(".review .applied.sheet")
    expect(sheet.locator("li")).to_have_count(FAULTS)
    assert find_accessibility_violations(page, axe_source) == []
    sheet.get_by_role("button", name="to “Solanna”").click()
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_text("–\u2060Solanna")
    expect(sheet.locator("li")).to_have_count(FAULTS - 1)
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    rendered = page.locator(".review .rendered .page")
    expect(rendered.locator("h2")).to_have_text("News")
    expect(rendered.locator("code")).to_have_text("Etherium")
    expect(rendered).to_contain_text("Image: x")
    assert find_accessibility_violations(page, axe_source) == []
    assert measure_overflow(page) <= 0
    page.keyboard.press("v")
    expect(page.locator(MARK)).to_have_count(1)
