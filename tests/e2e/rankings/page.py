"""Helpers that open the Rankings page and read its table and panel.

They search a part of the page: to find an element by its role in the whole page, Playwright computes the
names of the controls in all rows, which takes a second.
"""

from typing import Any

from playwright.sync_api import Locator, Page

from tests.support.dashboard.reader import Reader

DRAWN = ".js-plotly-plot .main-svg"


def open_rankings(reader: Reader, query: str = "", page: Page | None = None) -> Page:
    return reader.open(f"/rankings{query}", ".rk tbody tr", page)


def read_rows(page: Page, script: str) -> list[Any]:
    """Returns what ``script`` reads of each row, all in one task of the browser.

    Playwright's reading of several elements finds them in one task and reads them in a later one. A refresh
    in between may have sorted the rows again.
    """
    found: list[Any] = page.locator(".rk tbody").evaluate(f"body => [...body.rows].map({script})")
    return found


def list_row_ids(page: Page) -> list[str]:
    return read_rows(page, "row => row.dataset.id")


def find_focused_cell(page: Page) -> list[str]:
    """Returns row and column of the focused cell, inside the component's shadow root."""
    script = """() => { let at = document.activeElement;
        while (at.shadowRoot) at = at.shadowRoot.activeElement;
        return [at.closest('tr')?.dataset.id ?? at.tagName, at.dataset.col ?? ''] }"""
    found: list[str] = page.evaluate(script)
    return found


def find_panel(page: Page) -> Locator:
    return page.locator(".st-key-rk_panel")


def find_toolbar(page: Page) -> Locator:
    return page.locator(".rk .bar")


def find_filter(page: Page, name: str) -> Locator:
    return find_toolbar(page).get_by_role("button", name=name, exact=True)


def find_view(page: Page, name: str) -> Locator:
    return page.locator(".st-key-view").get_by_role("radio", name=name)


def find_tray(page: Page) -> Locator:
    return page.locator(".rk-tray")
