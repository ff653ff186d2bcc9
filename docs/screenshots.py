"""Takes the pictures of the README and the guides from a sample service: ``python -m docs.screenshots``."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.support.dashboard.reader import IDLE
from tests.support.processes import running
from tests.support.test_session.prerequisites import chromium

IMAGES = Path(__file__).parent / "images"
DESKTOP: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
SHOTS: dict[str, tuple[str, dict[str, Any]]] = {
    "rankings": ("/rankings?coin=ethereum", DESKTOP),
    "rankings-dark": ("/rankings?coin=ethereum", {**DESKTOP, "color_scheme": "dark"}),
    "rankings-phone": ("/rankings", PHONE),
    "rankings-phone-dark": ("/rankings", {**PHONE, "color_scheme": "dark"}),
    "coin-phone": ("/rankings?coin=ethereum", PHONE),
    "treemap": ("/rankings?view=treemap", DESKTOP),
    "compare": ("/rankings?view=compare&compare=bitcoin,ethereum,solana&span=7d", DESKTOP),
    "overview": ("/", DESKTOP),
    "overview-dark": ("/", {**DESKTOP, "color_scheme": "dark"}),
    "overview-phone": ("/", PHONE),
    "overview-ja": ("/?lang=ja", DESKTOP),
    "rankings-zh": ("/rankings?lang=zh&span=7d", DESKTOP),
    "corrections": ("/corrections", DESKTOP),
    "corrections-dark": ("/corrections?lang=ja", {**DESKTOP, "color_scheme": "dark"}),
    "corrections-compare": ("/corrections?review=compare", DESKTOP),
    "corrections-phone": ("/corrections", PHONE),
    "corrections-history": ("/corrections?mode=history&lang=zh", DESKTOP),
    "research": ("/research", DESKTOP),
    "research-dark": ("/research?lang=ja", {**DESKTOP, "color_scheme": "dark"}),
    "research-phone": ("/research?lang=zh", PHONE),
    "timelines": ("/timelines", DESKTOP),
    "timelines-dark": ("/timelines?lang=ja", {**DESKTOP, "color_scheme": "dark"}),
    "timelines-phone": ("/timelines?lang=zh", PHONE),
    "topics": ("/topics", DESKTOP),
    "topic": ("/topics?topic=1", DESKTOP),
    "topics-found": ("/topics?entity=bitcoin&find=halving", DESKTOP),
    "topic-phone": ("/topics?topic=1", PHONE),
    "topics-dark": ("/topics?lang=ja&topic=1", {**DESKTOP, "color_scheme": "dark"}),
    "topics-beside": ("/topics?topic=1&beside=1", DESKTOP),
    "topics-phone": ("/topics?lang=zh", PHONE),
}
ARTICLE = """イーサリウムの開発者は、ﾋﾞｯﾄｺｲﾝのレイヤー2との連携を発表した。

CoinBaseはこの計画を歓迎し、Matic Networkの関係者も参加する。
UniSwapとSolannaのチームは「数か月で試験を始める」と述べた。

市場の反応は穏やかだ。Etheriumの価格は1%高、ビットコイソは横ばいで推移した。
`Etherium` のようなコード中の語はそのまま残る。

関係者によると、最初の試験は来月に行われる。結果は公開され、だれでも検証できる。"""
KEPT = ("rankings", "overview-dark", "rankings-phone", "topic")
"""The pictures in the README and the guides. With a folder as argument all are taken into it."""
SETTLE_MS = 4000


def review(page: Page) -> None:
    """An article with faults, checked, some of it decided."""
    write(page)
    page.locator(".review .mark").first.wait_for()
    for key in "naaii":
        page.keyboard.press(key)


def compare(page: Page) -> None:
    write(page)
    page.locator(".review").wait_for()
    page.keyboard.press("s")


def remember(page: Page) -> None:
    """The history, after an article whose findings were stored."""
    page.goto(page.url.replace("mode=history", "mode=article"))
    page.wait_for_selector(IDLE)
    page.locator(".st-key-cr_store label").first.click()
    write(page)
    page.locator(".review .mark").first.wait_for()
    page.locator(".st-key-mode button").last.click()


def research(page: Page) -> None:
    """A statement with an altered figure or date, answered."""
    page.locator(".st-key-rs_example_second button").click()
    page.locator(".rs-verdict").wait_for()
    page.wait_for_timeout(1000)  # the focus goes to the verdict, and on a small screen the page with it
    page.locator("h1").scroll_into_view_if_needed()


def write(page: Page) -> None:
    content = page.locator(".st-key-cr_content textarea")
    content.fill(ARTICLE)
    content.press("Control+Enter")


FIRST: Mapping[str, Callable[[Page], None]] = {
    "corrections": review,
    "corrections-dark": review,
    "corrections-compare": compare,
    "corrections-phone": review,
    "corrections-history": remember,
    "research": research,
    "research-dark": research,
    "research-phone": research,
}
"""What is done on a page before its picture is taken."""


def take(folder: Path, names: tuple[str, ...]) -> None:
    with (
        tempfile.TemporaryDirectory() as home,
        running.service(Path(home)) as service,
        running.dashboard(service) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        for name in names:
            path, options = SHOTS[name]
            context = browser.new_context(locale="en-US", reduced_motion="reduce", **options)
            page = context.new_page()
            page.goto(url + path)
            page.wait_for_selector(IDLE)
            FIRST.get(name, lambda _: None)(page)
            page.wait_for_timeout(SETTLE_MS)
            page.screenshot(path=folder / f"{name}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    import sys

    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    take(chosen or IMAGES, tuple(SHOTS) if chosen else KEPT)
