"""Helpers that use the Corrections page as an editor does."""

from playwright.sync_api import Locator, Page

from tests.support.dashboard.reader import IDLE

FAULTY = (
    "イーサリウムの開発者は、ﾋﾞｯﾄｺｲﾝとの連携を発表した😀𠮷。\n\n"
    "CoinBaseとビットコイソの比較も話題だ。Matic Networkの関係者もUniSwapに参加した。\n\n"
    "Etheriumの価格は上昇し、Solannaは横ばいだった。`Etherium` はコードである。"
)
"""Eight faults, seven of them with a safe correction, and the same fault inside code."""
FAULTS = 8
MARK = ".review .mark"


def find_content(page: Page) -> Locator:
    return page.locator(".st-key-cr_content textarea")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element that matches the selector has the focus."""
    for _ in range(60):
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached by Tab.")


def submit_article(page: Page, text: str) -> None:
    find_content(page).fill(text)
    find_content(page).press("Control+Enter")
    page.locator(".review").wait_for()
    page.wait_for_selector(IDLE)


def read_clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def find_status(page: Page) -> Locator:
    return page.locator(".review .status")


def read_focused_text(page: Page) -> str:
    """Read the text of the focused mark in the component's shadow root; otherwise the element's tag name."""
    script = """() => { let at = document.activeElement;
        while (at.shadowRoot) at = at.shadowRoot.activeElement;
        return at.querySelector('.was')?.textContent ?? at.tagName }"""
    text: str = page.evaluate(script)
    return text


def read_review_text(page: Page) -> str:
    """Read the article's text in the review, without glyphs and replacements."""
    script = """() => { const every = [...document.querySelectorAll('*')];
        const host = every.find(node => node.shadowRoot?.querySelector('.review'));
        return [...host.shadowRoot.querySelectorAll('.prose.content .line')].map(line => {
          const copy = line.cloneNode(true);
          for (const sign of copy.querySelectorAll('.glyph, .new')) sign.remove();
          return copy.textContent }).join('\\n') }"""
    text: str = page.evaluate(script)
    return text
