"""The views of the Rankings in a browser: comparison, treemap, and accessibility of all views."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from tests.e2e.rankings.page import DRAWN, find_focused_cell, find_panel, find_tray, find_view
from tests.support.dashboard.reader import (
    IDLE,
    Reader,
    find_accessibility_violations,
    is_steady,
    measure_overflow,
)
from tests.support.waiting import wait_for

pytestmark = pytest.mark.browser


def type_and_expect(field: Locator, text: str, option: str) -> None:
    """Type, and wait until the list begins with ``option``, which Enter takes."""
    field.fill(text)
    expect(field.page.get_by_role("option").first).to_have_text(option)


def test_assets_are_added_to_the_comparison_and_removed_by_name(blank: Page, warm_reader: Reader) -> None:
    page = warm_reader.open("/rankings?view=compare&compare=bitcoin,ethereum", DRAWN, blank)
    field = page.get_by_label("Assets to compare")
    type_and_expect(field, "sola", "Solana (SOL)")
    assert page.locator(".rk-matrix tbody tr").count() == 2, "a part of a name adds nothing yet"
    field.press("Enter")
    expect(page.locator(".rk-matrix tbody tr")).to_have_count(3)
    expect(page).to_have_url(re.compile("compare=bitcoin%2Cethereum%2Csolana"))
    expect(field).to_have_value("")
    type_and_expect(field, "Cardano", "Cardano (ADA)")
    field.press("Enter")
    expect(page.locator(".rk-matrix tbody tr")).to_have_count(4)
    field.press("Escape")  # closes the list of suggestions
    page.get_by_role("button", name="Remove Ethereum (ETH)").click()
    expect(page.locator(".rk-matrix tbody tr")).to_have_count(3)
    expect(page).to_have_url(re.compile("compare=bitcoin%2Csolana%2Ccardano"))
    wait_for(lambda: find_focused_cell(page)[0] == "INPUT", "The focus on the field")


def test_a_refresh_keeps_what_is_typed_into_the_picker(blank: Page, warm_reader: Reader) -> None:
    warm_reader.remember(lang="en", refresh="5")
    received: list[object] = []
    blank.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(frame)))
    page = warm_reader.open("/rankings?view=compare&compare=bitcoin,ethereum", DRAWN, blank)
    field = page.get_by_label("Assets to compare")
    type_and_expect(field, "sola", "Solana (SOL)")
    for _ in range(2):  # whole refreshes
        received.clear()
        wait_for(lambda: page.wait_for_timeout(100) is None and bool(received), "A refresh")
        page.wait_for_selector(IDLE)
    expect(field).to_have_value("sola")
    expect(page.get_by_role("option").first).to_have_text("Solana (SOL)")


def test_the_best_coin_of_the_week_is_compared_with_bitcoin_in_three_clicks(page: Page) -> None:
    page.locator(".rk thead [data-sort='7d']").click()
    best = page.locator(".rk tbody tr").first
    expect(best.locator(".c-7d")).to_have_text(re.compile(r"\+"))
    asset = best.get_attribute("data-id") or ""
    best.hover()
    best.get_by_role("button", name=re.compile("^Compare ")).click()
    find_tray(page).get_by_role("link", name="Compare with BTC, 7d").click()
    expect(page).to_have_url(re.compile(rf"compare={asset}%2Cbitcoin.*view=compare.*span=7d"))
    figures = page.get_by_role("table", name="Figures over 7d")
    expect(figures.locator("tbody tr")).to_have_count(2)
    expect(page.locator(".rk-matrix tbody tr")).to_have_count(2)
    page.reload()
    expect(page.get_by_role("table", name="Figures over 7d").locator("tbody tr")).to_have_count(2)


class HeldSocket:
    """The dashboard's messages to a page: passed on, or held until :meth:`release`."""

    def __init__(self, page: Page) -> None:
        self.sent: list[object] = []
        """What the browser sent."""
        self.is_holding = False
        self._held: list[Callable[[], None]] = []
        self._page = page
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()

        def pass_on(frame: str | bytes) -> None:
            self.sent.append(frame)
            server.send(frame)

        def hold_or_pass_on(frame: str | bytes) -> None:
            if self.is_holding:
                self._held.append(lambda: browser.send(frame))
            else:
                browser.send(frame)

        browser.on_message(pass_on)
        server.on_message(hold_or_pass_on)

    def wait_until_sent(self, count: int, what: str) -> None:
        wait_for(lambda: self._page.wait_for_timeout(100) is None and len(self.sent) >= count, what)

    def wait_until_answered(self) -> None:
        """Waits until the held answer has ended: nothing more of it has come for a second."""
        before = 0
        while not before or before != len(self._held):
            before = len(self._held)
            self._page.wait_for_timeout(1000)

    def take_held(self) -> Callable[[], None]:
        """Takes the held messages out; what is returned passes them on."""
        taken, self._held = self._held, []

        def pass_on() -> None:
            for pass_on_now in taken:
                pass_on_now()

        return pass_on


def test_a_view_that_a_link_opens_outlives_a_refresh_that_does_not_know_it_yet(
    blank: Page, warm_reader: Reader
) -> None:
    """The browser sends the old view with a refresh that begins before the new view has arrived."""
    warm_reader.remember(lang="en", refresh="5")
    socket = HeldSocket(blank)
    page = warm_reader.open("/rankings?compare=solana", ".rk-tray", blank)
    socket.is_holding = True
    socket.sent.clear()
    find_tray(page).get_by_role("link", name="Compare with BTC, 24h").click()
    socket.wait_until_sent(2, "A refresh after the click")
    socket.is_holding = False
    socket.take_held()()
    page.wait_for_selector(IDLE)
    expect(find_view(page, "Compare")).to_be_checked()
    expect(page.locator(".rk-matrix tbody tr")).to_have_count(2)
    expect(page).to_have_url(re.compile("view=compare"))


def test_a_clicked_view_outlives_the_answer_to_an_earlier_refresh(blank: Page, warm_reader: Reader) -> None:
    """The answer, which knows only the old view, arrives after the click; another refresh follows it."""
    warm_reader.remember(lang="en", refresh="5")
    socket = HeldSocket(blank)
    page = warm_reader.open("/rankings", ".rk tbody tr", blank)
    socket.is_holding = True
    socket.sent.clear()
    socket.wait_until_sent(1, "A refresh before the click")
    socket.wait_until_answered()
    pass_on_answer = socket.take_held()
    socket.sent.clear()
    find_view(page, "Treemap").click()
    pass_on_answer()
    socket.wait_until_sent(2, "A refresh after the click")
    socket.is_holding = False
    socket.take_held()()
    page.wait_for_selector(IDLE)
    expect(page).to_have_url(re.compile("view=treemap"))
    expect(find_view(page, "Treemap")).to_be_checked()
    expect(page.locator(".st-key-rk_treemap .slice").first).to_be_visible()


def test_the_tray_changes_the_choice_and_is_accessible(
    blank: Page, warm_reader: Reader, axe_source: str
) -> None:
    page = warm_reader.open("/rankings?compare=solana", ".rk-tray", blank)
    tray = find_tray(page)
    expect(tray).to_have_accessible_name("Selected for comparison")
    tray.get_by_role("link", name="+ ETH").press("Enter")
    expect(page).to_have_url(re.compile("compare=solana%2Cethereum"))
    expect(tray.get_by_role("link", name="Compare 24h")).to_be_visible()
    assert find_accessibility_violations(page, axe_source) == []
    tray.get_by_role("link", name="SOL ×").press("Enter")
    expect(tray.get_by_role("link", name="ETH ×")).to_be_focused()
    page.keyboard.press("Enter")
    expect(tray).to_have_count(0)


def test_the_treemap_is_not_redrawn_when_it_is_shown_again(page: Page) -> None:
    drawing = page.locator(".st-key-rk_treemap .js-plotly-plot")

    def is_kept() -> bool:
        find_view(page, "Treemap").click()
        expect(drawing.locator(".slice").first).to_be_visible()
        drawing.evaluate("plot => { plot.seenBefore = true }")
        find_view(page, "Table").click()
        expect(drawing).to_have_count(0)
        expect(page.locator(".rk tbody tr").first).to_be_visible()
        find_view(page, "Treemap").click()
        expect(drawing.locator(".slice").first).to_be_visible()
        return bool(drawing.evaluate("plot => plot.seenBefore === true"))

    wait_for(is_kept, "The same drawing")  # new figures meanwhile are drawn anew


def test_a_click_on_a_group_of_the_treemap_shows_it_alone(page: Page) -> None:
    find_view(page, "Treemap").click()
    drawing = page.locator(".st-key-rk_treemap .js-plotly-plot")
    tiles = drawing.locator(".slice")
    expect(tiles.first).to_be_visible()
    everything = tiles.count()
    expect(drawing.get_by_text("BTC", exact=True)).to_be_visible()
    drawing.get_by_text("Stablecoin", exact=True).click(force=True)  # the tile is above its text
    expect(drawing.get_by_text("BTC", exact=True)).to_have_count(0)
    expect(drawing.get_by_text("USDT", exact=True)).to_be_visible()
    assert tiles.count() < everything


CASES = {
    "desktop": (
        "?q=bit&coin=bitcoin",
        "?view=treemap&size=volume",
        "?view=compare&compare=bitcoin,ethereum,solana",
    ),
    "phone": (
        "?lang=en&q=bit&coin=bitcoin",
        "?lang=en&view=compare&compare=bitcoin,ethereum,solana",
        "?view=treemap&lang=ja",
        "?lang=zh&q=nothing-like-this",
    ),
}


@pytest.mark.parametrize("device", CASES)
def test_every_view_is_accessible_without_overflow_or_layout_shift(
    browser: Browser, running_dashboard: str, axe_source: str, device: str
) -> None:
    reader = Reader(browser, running_dashboard, device)
    page = reader.context.new_page()
    for query in CASES[device]:
        content = DRAWN if "coin" in query or "view" in query else ".rk .empty"
        reader.open(f"/rankings{query}", content, page)
        assert is_steady(page, content), query
        assert find_accessibility_violations(page, axe_source) == [], query
        assert measure_overflow(page) <= 0, query
        if "treemap" in query:
            expect(page.locator(".rk-legend li")).to_have_count(7)
            watermark = page.locator(".js-plotly-plot .annotation")
            expect(watermark).to_have_count(1)
            page.locator(".cp-fold summary").click()
            expect(page.locator(".cp-fold tbody tr").nth(99)).to_be_attached()
        elif "compare" in query:
            diagonal = [
                page.locator(f".rk-matrix tbody tr:nth-child({n}) td:nth-of-type({n})") for n in (1, 2, 3)
            ]
            assert [cell.inner_text() for cell in diagonal] == ["1.00"] * 3
            expect(page.locator(".cp-table").first.locator("tbody tr")).to_have_count(3)
        elif device == "phone" and "coin" in query:
            find_panel(page).get_by_role("button", name="Close", exact=True).click()
            expect(find_panel(page)).to_have_count(0)
            assert find_accessibility_violations(page, axe_source) == []
            assert measure_overflow(page) <= 0
    expect(page.locator("html")).to_have_attribute("lang", {"phone": "zh-Hans"}.get(device, "en"))
    reader.close()
