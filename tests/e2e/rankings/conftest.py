"""Fixtures: the Rankings page for a returning reader without stored data."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.e2e.rankings.page import open_rankings
from tests.support.dashboard.reader import Reader


@pytest.fixture
def blank(warm_reader: Reader) -> Iterator[Page]:
    """A blank page, for tests that open their own URL."""
    page = warm_reader.context.new_page()
    yield page
    warm_reader.context.clear_cookies()
    page.evaluate("localStorage.clear()")
    page.close()


@pytest.fixture
def page(blank: Page, warm_reader: Reader) -> Page:
    return open_rankings(warm_reader, page=blank)
