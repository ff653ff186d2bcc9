"""The Corrections page without an article."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.support.dashboard.reader import Reader


@pytest.fixture
def page(warm_reader: Reader) -> Iterator[Page]:
    page = warm_reader.open("/corrections", ".st-key-cr_content textarea")
    yield page
    warm_reader.context.clear_cookies()
    page.evaluate("localStorage.clear()")
    page.close()
