"""The Rankings page as a reader's hands and eyes meet it."""

from playwright.sync_api import Locator, Page

from tests.support.reader import Reader

DRAWN = ".js-plotly-plot .main-svg"


def rankings(reader: Reader, query: str = "", page: Page | None = None) -> Page:
    return reader.open(f"/rankings{query}", ".rk tbody tr", page)


def ids(page: Page) -> list[str]:
    found: list[str] = page.locator(".rk tbody tr").evaluate_all("rows => rows.map(row => row.dataset.id)")
    return found


def focused(page: Page) -> list[str]:
    """Row and column of the focused cell, through the component's shadow root."""
    script = """() => { let at = document.activeElement;
        while (at.shadowRoot) at = at.shadowRoot.activeElement;
        return [at.closest('tr')?.dataset.id ?? at.tagName, at.dataset.col ?? ''] }"""
    found: list[str] = page.evaluate(script)
    return found


def panel(page: Page) -> Locator:
    return page.locator(".st-key-rk_panel")
