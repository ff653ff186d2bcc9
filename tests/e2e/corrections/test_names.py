"""Names with mixed spelling and accepted names on the Corrections page, by keyboard and pointer."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.corrections.page import MARK, find_status, read_focused_text, read_review_text, submit_article
from tests.support.dashboard.reader import find_accessibility_violations, measure_overflow

MIXED = "Strategy (MSTR) bought bitcoin. Strategy said so.\n\nMicroStrategy holds bitcoin, as Strategy does."
pytestmark = pytest.mark.browser


def test_a_mixed_name_shows_both_counts_and_the_way_to_each_place(page: Page, axe_source: str) -> None:
    submit_article(page, MIXED)
    card = page.locator(".review .card")
    expect(card.locator(".form")).to_have_text(["Strategy3×", "MicroStrategy1×"])
    expect(card.locator(".steps")).to_contain_text("Place 3 of 4")
    place = page.locator(".review .place-name[aria-current=true]")
    for key, status, number in (
        ("m", "“Strategy”: 3 of 3", 2),
        ("m", "“Strategy”: 1 of 3", 0),
        ("Shift+M", "“Strategy”: 3 of 3", 2),
    ):
        page.keyboard.press(key)
        expect(find_status(page)).to_have_text(status)
        expect(place).to_have_count(1)
        expect(page.locator(".review .place-name").nth(number)).to_be_focused()
    assert find_accessibility_violations(page, axe_source) == []
    card.get_by_role("button", name="Next place of “MicroStrategy”").click()
    assert read_focused_text(page) == "MicroStrategy"
    expect(place).to_have_count(0)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator(MARK)).to_have_count(0)
    assert read_review_text(page) == MIXED.replace("MicroStrategy", "Strategy")


def test_an_accepted_name_is_listed_until_it_is_removed(page: Page, axe_source: str) -> None:
    submit_article(page, "Etherium rose. Etherium fell, and Solanna too.")
    page.keyboard.press("w")
    expect(page.locator(MARK)).to_have_count(1)
    accepted = page.locator(".review .accepted .name")
    expect(accepted).to_have_count(1)
    expect(accepted).to_contain_text("Etherium")
    assert read_focused_text(page) == "Solanna"
    assert find_accessibility_violations(page, axe_source) == []
    assert measure_overflow(page) <= 0
    page.get_by_role("button", name="Report “Etherium” again").click()
    expect(page.locator(MARK)).to_have_count(3)
    expect(accepted).to_have_count(0)
    page.locator(MARK).first.focus()
    page.keyboard.press("z")
    expect(accepted).to_have_count(1)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(0)
    assert read_review_text(page) == "Etherium rose. Etherium fell, and Solana too."
