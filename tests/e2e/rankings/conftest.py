"""The Rankings for a reader who has been here before and has nothing stored."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.e2e.rankings.page import rankings
from tests.support.reader import Reader


@pytest.fixture
def blank(warm_reader: Reader) -> Iterator[Page]:
    """A page on which the test itself opens what it wants."""
    page = warm_reader.context.new_page()
    yield page
    warm_reader.context.clear_cookies()
    page.evaluate("localStorage.clear()")
    page.close()


@pytest.fixture
def page(blank: Page, warm_reader: Reader) -> Page:
    return rankings(warm_reader, page=blank)
