"""Checks the copy button in a browser, before and after its script."""

import pytest
from playwright.sync_api import Browser

from dashboard.components import copy_button

pytestmark = pytest.mark.browser

SIZES = ":root { --control: 35px; --control-text: 13px; --st-font: sans-serif; }"
"""What the page around the component sets."""


def test_the_copy_button_keeps_its_place_and_is_offered_only_once_it_has_a_name(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(f"<style>{SIZES}{copy_button.read_css()}</style>{copy_button.HTML}")
    height = "document.querySelector('button').offsetHeight"
    assert page.get_by_role("button").count() == 0
    height_before = page.evaluate(height)
    page.evaluate("document.querySelector('button').textContent = 'Copy link'")
    assert page.get_by_role("button", name="Copy link").count() == 1
    assert page.evaluate(height) == height_before > 0
    page.close()
