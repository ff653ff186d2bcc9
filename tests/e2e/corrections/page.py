"""The Corrections page as an editor's hands and eyes meet it."""

from playwright.sync_api import Locator, Page

from tests.support.reader import IDLE

FAULTY = (
    "イーサリウムの開発者は、ﾋﾞｯﾄｺｲﾝとの連携を発表した😀𠮷。\n\n"
    "CoinBaseとビットコイソの比較も話題だ。Matic Networkの関係者もUniSwapに参加した。\n\n"
    "Etheriumの価格は上昇し、Solannaは横ばいだった。`Etherium` はコードである。"
)
"""Eight faults, seven of them safe to correct, and one that looks like a fault inside code."""
FAULTS = 8
MARK = ".review .mark"


def content(page: Page) -> Locator:
    return page.locator(".st-key-cr_content textarea")


def tab_to(page: Page, wanted: str) -> None:
    """Press Tab until an element that ``wanted`` selects has the focus."""
    for _ in range(60):
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} cannot be reached by Tab.")


def check(page: Page, text: str) -> None:
    content(page).fill(text)
    content(page).press("Control+Enter")
    page.locator(".review").wait_for()
    page.wait_for_selector(IDLE)


def copied(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def said(page: Page) -> Locator:
    return page.locator(".review .said")


def focused(page: Page) -> str:
    """The text of the mark that has the focus, through the component's shadow root; else a tag's name."""
    script = """() => { let at = document.activeElement;
        while (at.shadowRoot) at = at.shadowRoot.activeElement;
        return at.querySelector('.was')?.textContent ?? at.tagName }"""
    text: str = page.evaluate(script)
    return text


def shown_text(page: Page) -> str:
    """The article as it stands in the review, without the marks' signs."""
    script = """() => { const every = [...document.querySelectorAll('*')];
        const host = every.find(node => node.shadowRoot?.querySelector('.review'));
        return [...host.shadowRoot.querySelectorAll('.prose.content .line')].map(line => {
          const copy = line.cloneNode(true);
          for (const sign of copy.querySelectorAll('.glyph, .new')) sign.remove();
          return copy.textContent }).join('\\n') }"""
    text: str = page.evaluate(script)
    return text
