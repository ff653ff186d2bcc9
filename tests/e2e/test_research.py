"""The Research page in a browser, with the real service and its worker."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.i18n import LANGUAGES, Language, t
from tests.support.dashboard.reader import (
    IDLE,
    Reader,
    find_accessibility_violations,
    is_steady,
    measure_overflow,
)
from tests.support.processes.running import wait_for

pytestmark = pytest.mark.browser

BOX = ".st-key-rs_statement textarea"
VERDICT = "#rs-verdict"
STATEMENTS: dict[tuple[Language, str], tuple[str, str]] = {
    ("en", "supported"): (
        "The SEC approved spot bitcoin exchange-traded products on 10 January 2024.",
        "sec.gov",
    ),
    ("en", "contradicted"): (
        "Ethereum moved to proof of stake on 15 September 2021.",
        "blog.ethereum.org",
    ),
    ("en", "unverified"): (
        "The town council of Ljubljana voted to accept Nano for parking fees in June 2022.",
        "",
    ),
    ("ja", "supported"): (
        "2014年2月、マウントゴックスは約85万BTCを失い、東京地方裁判所に民事再生を申し立てた。",
        "mtgox.com",
    ),
    ("ja", "contradicted"): (
        "コインチェックから2018年1月に流出したNEMは約58億円相当だった。",
        "corporate.coincheck.com",
    ),
    ("ja", "unverified"): ("札幌の動物園は2022年5月から入園料の支払いにモネロを受け付けている。", ""),
    ("zh", "supported"): ("2021年9月7日，比特币成为萨尔瓦多的法定货币。", "imf.org"),
    ("zh", "contradicted"): ("比特币的第四次减半发生在2023年4月。", "mempool.space"),
    ("zh", "unverified"): ("成都一家动物园自2022年5月起接受门罗币购票。", ""),
}
"""Each with the official host that must come first."""
PERCENT = {"supported": (75, 100), "contradicted": (0, 25), "unverified": (30, 70)}
WORDS = tuple(PERCENT)


@pytest.fixture
def page(warm_reader: Reader) -> Iterator[Page]:
    page = warm_reader.open("/research", BOX)
    yield page
    warm_reader.context.clear_cookies()
    page.close()


def open_form(page: Page) -> None:
    """Unfolds the form, which a shown job folds."""
    if not page.locator(BOX).is_visible():
        page.locator(".st-key-rs_panel_form summary").first.click()


def submit(page: Page, statement: str) -> None:
    open_form(page)
    page.locator(BOX).fill(statement)
    page.locator(BOX).press("Control+Enter")


def finish(page: Page, statement: str) -> None:
    submit(page, statement)
    wait_for(lambda: read_checked_statement(page) == statement, "The verdict on it")
    page.wait_for_selector(IDLE)
    expect(page.locator(BOX)).to_be_hidden()  # the form folds with an animation, which may end later


def read_checked_statement(page: Page) -> str | None:
    """Reads the statement below the verdict, without the signs and hidden words of marks."""
    script = """() => { const quote = document.querySelector('.rs-verdict blockquote')?.cloneNode(true);
        for (const sign of quote?.querySelectorAll('.rs-sign, .rs-hidden') ?? []) sign.remove();
        return quote?.textContent }"""
    text: str | None = page.evaluate(script)
    return text


def find_focused_id(page: Page) -> str:
    name: str = page.evaluate("document.activeElement.id")
    return name


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_true_an_altered_and_an_unknown_statement_get_the_right_verdict(
    warm_reader: Reader, lang: Language
) -> None:
    page = warm_reader.open(f"/research?lang={lang}", BOX)
    for word in WORDS:
        statement, official = STATEMENTS[lang, word]
        finish(page, statement)
        expect(page.locator(VERDICT)).to_contain_text(t(f"research.verdict_{word}", lang=lang))
        expect(page.locator(f".rs-verdict.rs-{word}")).to_be_visible()
        if word == "unverified":  # where nothing is known, a bar would look like a finding
            expect(page.get_by_role("meter")).to_have_count(0)
        else:
            expect(page.locator(".rs-word")).to_have_text(t(f"research.word_{word}", lang=lang))
            percent = int(page.get_by_role("meter").get_attribute("aria-valuenow") or "")
            low, high = PERCENT[word]
            assert low <= percent <= high, word
        if official:
            expect(page.locator(".rs-source .rs-host").first).to_have_text(official)
            first = page.locator(".rs-source h3 a").first
            assert first.get_attribute("rel") == "noopener noreferrer"
            assert first.get_attribute("target") == "_blank"
        else:
            near, none = (t(f"research.sources_{word}", lang=lang) for word in ("near", "none"))
            notes = re.compile(f"{re.escape(near)}|{re.escape(none)}")
            expect(page.locator(".rs-sources")).to_contain_text(notes)
    warm_reader.context.clear_cookies()
    page.close()


def measure_heading_top(page: Page) -> float:
    """Measures the top of the result's heading in the window, in pixels."""
    return float(page.locator(VERDICT).evaluate("node => node.getBoundingClientRect().top"))


def test_a_click_on_an_example_submits_it_and_the_focus_moves_to_its_result(page: Page) -> None:
    page.locator(".st-key-rs_example_second button").click()
    expect(page.locator(".rs-contradicted")).to_be_visible()
    wait_for(lambda: find_focused_id(page) == "rs-verdict", "The focus on the result's heading")
    wait_for(lambda: 0 <= measure_heading_top(page) < 900, "The result's heading in sight")
    differs = page.locator(".rs-verdict .rs-differs")
    expect(differs).to_contain_text("15 September 2021")
    expect(page.locator(".rs-source time .rs-differs").first).to_contain_text("2022-09-15")


def test_statements_are_submitted_by_keyboard_one_after_another(page: Page) -> None:
    finish(page, STATEMENTS["en", "supported"][0])
    first = page.url
    wait_for(lambda: find_focused_id(page) == "rs-verdict", "The focus on the first result")
    expect(page.locator(BOX)).to_be_hidden()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.locator(BOX).focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("Ethereum moved to proof of stake on 15 September 2022.")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".rs-verdict blockquote").first).to_contain_text("Ethereum moved")
    assert page.url != first
    wait_for(lambda: find_focused_id(page) == "rs-verdict", "The focus on the second result")
    page.go_back()
    expect(page.locator(".rs-verdict blockquote").first).to_contain_text("The SEC approved")


def test_a_text_is_checked_with_marked_entities_and_escaped(page: Page) -> None:
    page.get_by_role("tab", name="A text").click()
    page.locator(".st-key-rs_title input").fill("The SEC sued Coinbase in June 2023")
    evil = '<img src="https://evil.example/x.png" onerror="window.hit=1">'
    page.locator(".st-key-rs_content textarea").fill(f"Brian Armstrong 和 比特币 ＆ イーサリアム😀𠮷. {evil}")
    page.locator(".st-key-rs_content textarea").press("Control+Enter")
    expect(page.locator(".rs-verdict")).to_be_visible()
    page.locator(".st-key-rs_whole summary").click()
    checked_text = page.locator(".rs-text")
    expect(checked_text).to_contain_text(evil)
    expect(checked_text.locator(".rs-entity")).to_have_text(
        ["SEC", "Coinbase", "Brian Armstrong", "比特币", "イーサリアム"]
    )
    expect(checked_text.get_by_role("link", name="Coinbase")).to_have_attribute(
        "href", "https://coinbase.com"
    )
    assert page.evaluate("window.hit") is None


def test_extracted_entities_form_a_table_that_the_link_reopens(warm_reader: Reader, page: Page) -> None:
    page.get_by_role("tab", name="Entities only").click()
    page.locator(".st-key-rs_text textarea").fill("BTC and ビットコイン; Binance disagrees.")
    page.locator(".st-key-rs_text textarea").press("Control+Enter")
    expect(page.locator(".rs-tall tbody th")).to_have_text(["Bitcoin", "Binance"])
    expect(page.locator(".rs-text .rs-entity")).to_have_text(["BTC", "ビットコイン", "Binance"])
    other_page = warm_reader.open(page.url.removeprefix(warm_reader.base), ".rs-tall")
    expect(other_page.locator(".rs-tall tbody th")).to_have_text(["Bitcoin", "Binance"])
    assert find_focused_id(other_page) == ""
    other_page.close()


def test_the_history_opens_a_job_and_keeps_typed_text(page: Page) -> None:
    finish(page, STATEMENTS["en", "supported"][0])
    finish(page, STATEMENTS["en", "contradicted"][0])
    open_form(page)
    page.locator(BOX).fill("Half a sentence")
    row = page.locator(".rs-jobs a", has_text="The SEC approved").first
    row.click()
    expect(page.locator(".rs-supported")).to_be_visible()
    expect(page.locator(BOX)).to_have_value("Half a sentence")
    expect(row).to_have_attribute("aria-current", "true")


def test_markdown_and_json_can_be_copied_and_downloaded(page: Page) -> None:
    finish(page, STATEMENTS["en", "supported"][0])
    page.locator(".st-key-rs_export button").first.click()
    for kind, begin in (("md", "# The SEC"), ("json", "{")):
        button = page.locator(f".st-key-rs_copy_{kind}")
        button.get_by_role("button").click()
        expect(button.get_by_role("status")).to_have_text("Copied.")
        assert page.evaluate("navigator.clipboard.readText()").startswith(begin)
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON", exact=True).click()
    job = json.loads(Path(download.value.path()).read_text())
    assert job["result"]["truth_assessment"]["assessment"] == "supported"
    assert page.evaluate("navigator.clipboard.readText()") == Path(download.value.path()).read_text()


@pytest.mark.parametrize(("device", "lang"), [("desktop", "ja"), ("phone", "en")])
def test_the_page_is_accessible_without_overflow_or_layout_shift(
    browser: Browser, running_dashboard: str, axe_source: str, device: str, lang: Language
) -> None:
    """Each device is tested in one language: English has the longest words, and the phone the least space."""
    reader = Reader(browser, running_dashboard, device)
    page = reader.open(f"/research?lang={lang}", BOX)
    assert is_steady(page, BOX)
    assert find_accessibility_violations(page, axe_source) == []
    for word in ("supported",) if device == "desktop" else ("contradicted", "unverified", "supported"):
        finish(page, STATEMENTS[lang, word][0])
        assert find_accessibility_violations(page, axe_source) == [], word
        assert measure_overflow(page) <= 0, word
    if device == "phone":
        check_other_states(reader, page, axe_source)
    reader.close()


def check_other_states(reader: Reader, page: Page, axe_source: str) -> None:
    """Checks the collapsed parts of a result, an unknown job, and extracted entities."""
    open_form(page)
    page.locator(".st-key-rs_more_statement summary").click()
    page.locator(".st-key-rs_done summary").click()
    page.locator(".st-key-rs_export button").first.click()
    page.locator(".st-key-rs_copy_json button").wait_for()
    assert find_accessibility_violations(page, axe_source) == []
    page.keyboard.press("Escape")
    reader.open("/research?lang=en&job=11111111-1111-4111-8111-111111111111", ".st-key-empty-rs_job", page)
    assert find_accessibility_violations(page, axe_source) == []
    page.locator(".st-key-empty-rs_job button").click()
    expect(page.locator(BOX)).to_be_visible()
    page.get_by_role("tab", name="Entities only").click()
    page.locator(".st-key-rs_text textarea").fill("Binance, Coinbase, the SEC and ビットコイン.")
    page.locator(".st-key-rs_text textarea").press("Control+Enter")
    page.locator(".rs-tall").wait_for()
    page.wait_for_selector(IDLE)
    assert find_accessibility_violations(page, axe_source) == []
    assert measure_overflow(page) <= 0
