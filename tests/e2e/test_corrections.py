"""The Corrections page in a real browser, over the whole service: by keyboard alone, and for everybody."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import streamlit as st
from playwright.sync_api import Browser, Locator, Page, expect

from dashboard.client import api
from dashboard.i18n import t
from dashboard.services.articles import blank
from dashboard.views import corrections_bench
from tests.support.reader import IDLE, Reader, is_steady, overflow, violations
from tests.support.running import Service, environment, wait_for

pytestmark = pytest.mark.browser

FAULTY = (
    "イーサリウムの開発者は、ﾋﾞｯﾄｺｲﾝとの連携を発表した😀𠮷。\n\n"
    "CoinBaseとビットコイソの比較も話題だ。Matic Networkの関係者もUniSwapに参加した。\n\n"
    "Etheriumの価格は上昇し、Solannaは横ばいだった。`Etherium` はコードである。"
)
"""Eight faults, seven of them safe to correct, and one that looks like a fault inside code."""
FAULTS = 8
DRAWN = ".js-plotly-plot .main-svg"
MARK = ".review .mark"
A_MINUTE = 60


@pytest.fixture(scope="module")
def warm_reader(browser: Browser, running_dashboard: str) -> Iterator[Reader]:
    reader = Reader(browser, running_dashboard)
    yield reader
    reader.close()


@pytest.fixture
def page(warm_reader: Reader) -> Iterator[Page]:
    """The page for an editor who begins."""
    page = warm_reader.open("/corrections", ".st-key-cr_content textarea")
    yield page
    warm_reader.context.clear_cookies()
    page.evaluate("localStorage.clear()")
    page.close()


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


def scanned(service: Service, text: str) -> Any:
    answer = httpx.post(
        f"{service.url}/articles/scan",
        json={"articles": [{"content": text}], "persist": False},
        headers={"CP-X-API-KEY": service.key},
    )
    return answer.raise_for_status().json()[0]


def applied(service: Service, text: str) -> str:
    answer = httpx.post(
        f"{service.url}/articles/apply",
        json={"articles": [{"content": text}]},
        headers={"CP-X-API-KEY": service.key},
    )
    corrected: str = answer.raise_for_status().json()[0]["corrected_article"]["content"]
    return corrected


def stored(service: Service) -> int:
    total: int = service.get("/articles/violations/summary").json()["total"]
    return total


def test_an_article_with_eight_faults_is_right_within_a_minute_by_the_keyboard_alone(
    page: Page, running_service: Service
) -> None:
    preview = scanned(running_service, FAULTY)
    assert len(preview["corrections"]) == FAULTS
    page.evaluate("text => navigator.clipboard.writeText(text)", FAULTY)
    begin = time.monotonic()
    tab_to(page, ".st-key-cr_content textarea")
    page.keyboard.press("Control+V")
    page.keyboard.press("Control+Enter")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    expect(said(page)).to_have_text("Findings: 8. Safe to apply: 7.")
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    page.keyboard.press("a")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(MARK)).to_have_count(0)
    page.keyboard.press("c")
    expect(said(page)).to_have_text("Copied.")
    assert time.monotonic() - begin < A_MINUTE
    assert copied(page) == preview["corrected_article"]["content"]
    assert "`Etherium` はコードである。" in copied(page)


def test_page_interface_and_command_line_give_the_same_bytes(
    page: Page, running_service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "article.md"
    file.write_bytes(b"\xef\xbb\xbf" + FAULTY.replace("\n", "\r\n").encode())
    page.locator(".st-key-cr_open button").first.click()
    page.locator("input[type=file]").set_input_files(file)
    expect(content(page)).to_have_value(FAULTY)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Check the article").click()
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    page.locator(".st-key-cr_download button").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Markdown", exact=True).click()
    assert download.value.suggested_filename == "article-corrected.md"
    by_page = Path(download.value.path()).read_bytes()
    subprocess.run(
        [sys.executable, "-m", "backend.cli", "scan", str(file), "--fix"],
        env=environment(running_service.home),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert file.read_bytes() == by_page
    crlf = FAULTY.replace("\n", "\r\n")
    assert by_page == b"\xef\xbb\xbf" + applied(running_service, crlf).encode()


def test_keys_move_decide_and_take_back_without_losing_the_place(page: Page) -> None:
    check(page, FAULTY)
    first = focused(page)
    assert first == "イーサリウム"
    page.keyboard.press("n")
    assert focused(page) == "ﾋﾞｯﾄｺｲﾝ"
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    page.keyboard.press("p")
    page.keyboard.press("p")
    assert focused(page) == first
    page.keyboard.press("p")
    assert focused(page) == "Solanna", "around the end"
    page.keyboard.press("n")
    page.keyboard.press("i")
    assert focused(page) == "ﾋﾞｯﾄｺｲﾝ", "on to the next open one"
    page.keyboard.press("a")
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    expect(page.locator(f"{MARK}[data-status=approved] .new")).to_have_text("ビットコイン")
    page.keyboard.press("z")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(0)
    page.keyboard.press("Shift+Z")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(2)
    assert shown_text(page).startswith("イーサリウムの開発者は、ビットコイン"), "ignored stays, safe is done"
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    page.keyboard.press("z")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    assert shown_text(page) == FAULTY
    page.keyboard.press("Shift+Z")
    expect(page.locator(MARK)).to_have_count(2)


def test_keys_that_come_faster_than_the_answers_are_not_lost(page: Page) -> None:
    check(page, FAULTY)
    for key in ("s", "a", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(MARK)).to_have_count(0)
    expect(page.locator(".review .done")).to_be_visible()


def test_letters_typed_into_a_box_are_letters_and_can_be_switched_off(page: Page) -> None:
    check(page, FAULTY)
    page.keyboard.press("e")
    expect(content(page)).to_be_focused()
    expect(content(page)).to_have_value(FAULTY)
    page.keyboard.press("End")
    page.keyboard.type("asnz")
    expect(content(page)).to_have_value(re.compile("asnz"))
    content(page).press("Control+Enter")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("?")
    page.get_by_label("Single-letter keys on").uncheck()
    page.keyboard.press("Escape")
    page.locator(MARK).nth(2).focus()
    page.keyboard.press("a")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(0)
    page.keyboard.press("ArrowDown")
    assert focused(page) == "ビットコイソ"


def test_undo_restores_the_input_boxes_too(page: Page) -> None:
    check(page, FAULTY)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    page.keyboard.press("z")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("e")
    expect(content(page)).to_have_value(FAULTY)


def test_the_card_says_what_why_and_who(page: Page) -> None:
    check(page, FAULTY)
    card = page.locator(".review .card")
    expect(card).to_contain_text("1 of 8")
    expect(card).to_contain_text("Error · Wrong spelling")
    expect(card).to_contain_text("Safe: applied with S")
    expect(card.locator(".names dd")).to_have_text(["Ethereum", "イーサリアム", "以太坊"])
    expect(card.get_by_role("link", name="ethereum.org")).to_have_attribute("href", "https://ethereum.org")
    page.locator(MARK, has_text="Matic Network").click()
    expect(card).to_contain_text("Needs your approval")
    expect(card).to_contain_text("Former name")


def test_a_name_with_two_meanings_is_chosen_by_its_number(page: Page) -> None:
    check(page, "该公司发行了新的贷币。")
    expect(page.locator(".review .card")).to_contain_text("No single suggestion")
    page.keyboard.press("a")
    expect(said(page)).to_contain_text("Choose a name first")
    page.keyboard.press("2")
    expect(page.locator(f"{MARK} .new")).to_have_text("代币")
    page.keyboard.press("Enter")
    expect(page.locator(MARK)).to_have_count(0)
    assert shown_text(page) == "该公司发行了新的代币。"


def test_an_article_waits_for_the_editor_who_looks_at_another_page(page: Page) -> None:
    check(page, FAULTY)
    page.keyboard.press("i")
    page.keyboard.press("a")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    page.locator(".review .seg button").last.click()  # the comparison comes with what was decided
    expect(page.locator(".compare ins")).to_have_text(["ビットコイン"])
    page.get_by_role("link", name="Rankings").click()
    page.locator(".rk tbody tr").first.wait_for()
    page.get_by_role("link", name="Corrections").click()
    page.locator(".review").wait_for()
    page.locator(".review .seg button").first.click()
    expect(page.locator(f"{MARK}[data-status=ignored]")).to_have_count(1)
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)


def test_a_key_that_may_only_read_previews_and_is_told_why_nothing_is_stored(
    running_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "backend.cli", "keys", "create", "--name", "r", "--scope", "read", "--json"],
        env=environment(running_service.home),
        capture_output=True,
        check=True,
        timeout=60,
    )
    key = json.loads(made.stdout)["key"]
    rules = f"{running_service.url}/articles/rules"
    wait_for(lambda: httpx.get(rules, headers={"CP-X-API-KEY": key}).is_success, "The new key's first use")
    monkeypatch.setenv("CHAINPROOF_BASE_URL", running_service.url)
    monkeypatch.setenv("CHAINPROOF_API_KEY", key)
    monkeypatch.setattr(st, "session_state", {})
    before = stored(running_service)
    corrections_bench.check({**blank(), "content": FAULTY}, persist=True)
    work = corrections_bench.bench()
    assert work.desk.step is not None
    assert len(work.desk.step.findings) == FAULTS
    assert work.notice == t("corrections.not_stored_key")
    assert stored(running_service) == before
    api.forget()


def test_filters_narrow_what_is_walked_through_and_stand_in_the_link(page: Page) -> None:
    check(page, FAULTY)
    page.locator(".review .chip[data-severity=info]").click()
    expect(page).to_have_url(re.compile("sev=info"))
    assert "イーサリウム" not in page.url
    expect(page.locator(".review .card")).to_contain_text("1 of 1")
    page.locator(".review .card").focus()
    page.keyboard.press("n")
    assert focused(page) == "Matic Network"
    page.locator(".review .chip[data-severity=info]").click()
    page.locator(".review select").select_option(index=1)
    expect(page).to_have_url(re.compile("rule="))


def test_before_and_after_stand_side_by_side_exact_in_every_script(page: Page) -> None:
    check(page, FAULTY)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    page.keyboard.press("d")
    expect(page).to_have_url(re.compile("review=compare"))
    expect(page.locator(".compare del")).to_have_count(FAULTS - 1)
    assert page.locator(".compare del").all_inner_texts()[:2] == ["イーサリウム", "ﾋﾞｯﾄｺｲﾝ"]
    assert page.locator(".compare ins").all_inner_texts()[:2] == ["イーサリアム", "ビットコイン"]
    row = page.locator(".compare .row.changed").first.locator(".side")
    assert row.nth(0).inner_text() == FAULTY.split("\n")[0]
    page.keyboard.press("d")
    expect(page.locator(MARK)).to_have_count(1)


def test_previews_are_never_stored_and_storing_is_a_choice_that_shows(
    page: Page, running_service: Service
) -> None:
    before = stored(running_service)
    check(page, FAULTY)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    assert stored(running_service) == before
    page.keyboard.press("z")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("e")
    page.get_by_text("Store findings").click()
    content(page).press("Control+Enter")
    expect(page.get_by_text("Findings stored in the history: 8.")).to_be_visible()
    assert stored(running_service) == before + FAULTS
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    assert stored(running_service) == before + FAULTS
    page.get_by_role("radio", name="History").click()
    expect(page.locator(DRAWN).first).to_be_visible()
    expect(page.locator(".ledger tbody tr").first).to_contain_text("Solanna")


def test_many_articles_are_checked_opened_one_by_one_and_taken_home(page: Page, tmp_path: Path) -> None:
    lines = [{"id": str(n), "content": "Etherium" if n % 2 else "fine", "own": n} for n in range(230)]
    lines[3]["content"] = FAULTY
    file = tmp_path / "many.jsonl"
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    page.get_by_role("radio", name="Batch").click()
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".ledger tbody tr")).to_have_count(100)
    page.get_by_role("button", name=re.compile("Show more")).click()
    expect(page.locator(".ledger tbody tr")).to_have_count(200)
    page.locator(".ledger th button", has_text="To approve").click()
    page.locator(".ledger .open").first.click()
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator(MARK)).to_have_count(0)
    page.get_by_role("button", name="Back to the batch").click()
    expect(page.locator(".ledger")).to_contain_text("reviewed by hand")
    page.locator(".st-key-cr_batch_download button").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON Lines").click()
    home = [json.loads(line) for line in Path(download.value.path()).read_text("utf-8").splitlines()]
    assert [line["own"] for line in home] == list(range(230))
    assert home[0] == lines[0]
    assert home[1]["content"] == "Ethereum"
    assert "ポリゴン" in home[3]["content"]


def test_a_hundred_thousand_characters_are_marked_and_walked_through(page: Page) -> None:
    text = ("暗号資産の市場は落ち着いている。" * 30 + "Etheriumは上昇した。\n\n") * 200
    assert len(text) > 98_000
    check(page, text)
    expect(page.locator(MARK)).to_have_count(200)
    for _ in range(20):
        page.keyboard.press("n")
    expect(page.locator(".review .card")).to_contain_text("21 of 200")
    mark = page.locator(f"{MARK}[data-n='20']")
    assert mark.evaluate(
        "mark => { const box = mark.getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight }"
    )
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(0)
    page.keyboard.press("c")
    expect(said(page)).to_have_text("Copied.")
    assert copied(page) == text.replace("Etherium", "イーサリアム")


@pytest.mark.parametrize("look", ["light", "dark", "phone"])
def test_nobody_is_shut_out_nothing_overflows_and_nothing_jumps(
    browser: Browser, running_dashboard: str, axe_source: str, look: str
) -> None:
    reader = Reader(browser, running_dashboard, look)
    page = reader.open("/corrections", ".st-key-cr_content textarea")
    assert is_steady(page, ".st-key-cr_content textarea")
    assert violations(page, axe_source) == []
    assert overflow(page) <= 0
    check(page, FAULTY)
    page.locator(MARK).nth(3).click()
    page.locator(".review .acts button").first.click()
    for key in ("", "?", "Escape", "d"):
        if key:
            page.keyboard.press(key)
            page.wait_for_selector(IDLE)
        assert violations(page, axe_source) == [], key
        assert overflow(page) <= 0, key
    for mode, there in (("batch", ".st-key-cr_batch_text"), ("history", ".st-key-cr_bar")):
        reader.open(f"/corrections?mode={mode}&lang=ja", there, page)
        assert violations(page, axe_source) == [], mode
        assert overflow(page) <= 0, mode
    reader.close()
