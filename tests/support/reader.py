"""A reader of the dashboard: a browser with nothing stored, and what is asked of every page."""

from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.waiting import LIMIT_MS

IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
DESKTOP: Mapping[str, Any] = {"viewport": {"width": 1440, "height": 900}}
PHONE: Mapping[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
    "color_scheme": "dark",
}
"""Dark, where the desktop is light: each page is checked in both modes."""
LOOKS: Mapping[str, Mapping[str, Any]] = {"desktop": DESKTOP, "phone": PHONE}
NO_REHEARSAL = "globalThis.chainproofPrepared = Promise.resolve()"
"""A page that rests reads the drawing library and draws out of sight, which takes as long as opening it."""
WATCH_SHIFTS = """window.shifted = 0;
new PerformanceObserver((list) => list.getEntries().forEach((shift) => {
  if (!shift.hadRecentInput) shifted += shift.value;
})).observe({ type: "layout-shift", buffered: true })"""


class Reader:
    """``faults`` gathers script errors and requests to other hosts; a test ends with none.

    ``rehearses``: the pages prepare for drawings before one is asked for, as everybody's do.
    """

    def __init__(
        self, browser: Browser, base: str, look: str = "desktop", *, rehearses: bool = True, **options: Any
    ) -> None:
        self.base = base
        self.faults: list[str] = []
        self.context: BrowserContext = browser.new_context(
            **{
                "locale": "en-US",
                "reduced_motion": "reduce",
                "permissions": ["clipboard-read", "clipboard-write"],
                **LOOKS[look],
                **options,
            }
        )
        self.context.set_default_timeout(LIMIT_MS)
        self.context.add_init_script(WATCH_SHIFTS)
        if not rehearses:
            self.context.add_init_script(NO_REHEARSAL)
        self.context.on("weberror", lambda fault: self.faults.append(str(fault.error)))
        self.context.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith(("data:", "blob:", self.base, self.base.replace("http:", "ws:", 1))):
            self.faults.append(url)

    def open(self, path: str, content: str, page: Page | None = None) -> Page:
        """``path`` in ``page`` or a new one, once ``content`` is there and no script runs."""
        page = page or self.context.new_page()
        page.goto(self.base + path)
        page.locator(content).first.wait_for()
        page.wait_for_selector(IDLE)
        return page

    def remember(self, **choices: str) -> None:
        """Have chosen these settings before."""
        kept = "&".join(f"{name}={value}" for name, value in choices.items())
        self.context.add_cookies([{"name": "chainproof", "value": kept, "url": self.base}])

    def close(self) -> None:
        self.context.close()
        assert self.faults == []


CHECK = """async (rules) => {
    const alike = 'tbody tr:nth-child(n+30)';  // of a table's rows the first ones tell what the rest is like
    const exclude = [[alike], { fromShadowDom: ['[data-testid=stBidiComponentIsolated]', alike] }];
    const found = await axe.run({ exclude }, { runOnly: rules, resultTypes: ['violations'] });
    return found.violations.map((broken) => [broken.id, broken.nodes.map((node) => node.target.join(' '))]);
}"""
STANDS_STILL = "() => document.getAnimations().every((change) => change.playState !== 'running')"


def violations(page: Page, axe_source: str) -> list[Any]:
    """What the accessibility checker finds on the page, each rule with where it is broken."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_source)
    page.wait_for_function(STANDS_STILL)  # colours amid a transition are nobody's choice
    found: list[Any] = page.evaluate(CHECK, RULES)
    return found


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    pixels: int = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth")
    return pixels


JUMPY = 0.1
"""The layout shift score up to which a page counts as steady."""


def is_steady(page: Page, content: str, tries: int = 3) -> bool:
    """Whether nothing jumps while the page opens (the browser's layout shift score).

    A page that jumps does so each time it is opened; a machine that starves the browser makes one
    opening of it jump. So the page is opened again before it is called unsteady.
    """
    for attempt in range(tries):
        if attempt:
            page.reload()
            page.locator(content).first.wait_for()
            page.wait_for_selector(IDLE)
        if page.evaluate("shifted") < JUMPY:
            return True
    return False
