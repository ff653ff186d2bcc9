"""Opens the dashboard in a browser without stored data, and checks each page."""

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
"""Dark, while the desktop is light, so that each page is checked in both modes."""
DEVICES: Mapping[str, Mapping[str, Any]] = {"desktop": DESKTOP, "phone": PHONE}
NO_CHART_PREPARATION = "globalThis.chainproofPrepared = Promise.resolve()"
"""Disables the preparation of charts: an idle page loads the chart library and draws off-screen, which takes
as long as opening the page."""
WATCH_SHIFTS = """window.shifted = 0;
new PerformanceObserver((list) => list.getEntries().forEach((shift) => {
  if (!shift.hadRecentInput) shifted += shift.value;
})).observe({ type: "layout-shift", buffered: true })"""


class Reader:
    """A browser context. ``faults`` collects script errors and requests to other hosts; a test allows none.

    ``prepares_charts`` lets idle pages prepare charts in advance, as in production.
    """

    def __init__(
        self,
        browser: Browser,
        base: str,
        device: str = "desktop",
        *,
        prepares_charts: bool = False,
        **options: Any,
    ) -> None:
        self.base = base
        self.faults: list[str] = []
        self.context: BrowserContext = browser.new_context(
            **{
                "locale": "en-US",
                "reduced_motion": "reduce",
                "permissions": ["clipboard-read", "clipboard-write"],
                **DEVICES[device],
                **options,
            }
        )
        self.context.set_default_timeout(LIMIT_MS)
        self.context.add_init_script(WATCH_SHIFTS)
        if not prepares_charts:
            self.context.add_init_script(NO_CHART_PREPARATION)
        self.context.on("weberror", lambda fault: self.faults.append(str(fault.error)))
        self.context.on("request", lambda request: self._check_host(request.url))

    def _check_host(self, url: str) -> None:
        if not url.startswith(("data:", "blob:", self.base, self.base.replace("http:", "ws:", 1))):
            self.faults.append(url)

    def open(self, path: str, content: str, page: Page | None = None) -> Page:
        """Open ``path`` in ``page`` or a new page; waits for ``content`` and for the end of the script."""
        page = page or self.context.new_page()
        page.goto(self.base + path)
        page.locator(content).first.wait_for()
        page.wait_for_selector(IDLE)
        return page

    def remember(self, **choices: str) -> None:
        """Store these settings as if chosen before."""
        cookie = "&".join(f"{name}={value}" for name, value in choices.items())
        self.context.add_cookies([{"name": "chainproof", "value": cookie, "url": self.base}])

    def close(self) -> None:
        self.context.close()
        assert self.faults == []


CHECK = """async (rules) => {
    const alike = 'tbody tr:nth-child(n+30)';  // the first rows of a table represent the rest
    const exclude = [[alike], { fromShadowDom: ['[data-testid=stBidiComponentIsolated]', alike] }];
    const found = await axe.run({ exclude }, { runOnly: rules, resultTypes: ['violations'] });
    return found.violations.map((broken) => [broken.id, broken.nodes.map((node) => node.target.join(' '))]);
}"""
HAS_NO_ANIMATION = "() => document.getAnimations().every((change) => change.playState !== 'running')"


def find_accessibility_violations(page: Page, axe_source: str) -> list[Any]:
    """Run the accessibility checker; returns each broken rule with its elements."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_source)
    page.wait_for_function(HAS_NO_ANIMATION)  # colours during a transition are not final
    found: list[Any] = page.evaluate(CHECK, RULES)
    return found


def measure_overflow(page: Page) -> int:
    """Return the number of pixels by which the page is wider than its window."""
    pixels: int = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth")
    return pixels


MAX_LAYOUT_SHIFT = 0.1
"""The layout shift score below which a page counts as steady."""


def is_steady(page: Page, content: str, tries: int = 3) -> bool:
    """Whether the page opens with a small layout shift score.

    An unsteady page shifts each time, while an overloaded machine causes single shifts. So the page is loaded
    again before it counts as unsteady.
    """
    for attempt in range(tries):
        if attempt:
            page.reload()
            page.locator(content).first.wait_for()
            page.wait_for_selector(IDLE)
        if page.evaluate("shifted") < MAX_LAYOUT_SHIFT:
            return True
    return False
