"""Helpers that open the Rankings page and read its table and panel."""

from playwright.sync_api import Locator, Page

from tests.support.reader import Reader

DRAWN = ".js-plotly-plot .main-svg"


def open_rankings(reader: Reader, query: str = "", page: Page | None = None) -> Page:
    return reader.open(f"/rankings{query}", ".rk tbody tr", page)


def list_row_ids(page: Page) -> list[str]:
    found: list[str] = page.locator(".rk tbody tr").evaluate_all("rows => rows.map(row => row.dataset.id)")
    return found


def find_focused_cell(page: Page) -> list[str]:
    """Returns row and column of the focused cell, inside the component's shadow root."""
    script = """() => { let at = document.activeElement;
        while (at.shadowRoot) at = at.shadowRoot.activeElement;
        return [at.closest('tr')?.dataset.id ?? at.tagName, at.dataset.col ?? ''] }"""
    found: list[str] = page.evaluate(script)
    return found


def find_panel(page: Page) -> Locator:
    return page.locator(".st-key-rk_panel")
