"""Exports and stored findings of the Corrections page match the service and the command line."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from playwright.sync_api import Page, expect

from dashboard.app_pages.corrections import session_state
from dashboard.client import connection
from dashboard.client.article_schemas import build_blank_article
from dashboard.i18n import t
from tests.e2e.corrections.page import (
    FAULTS,
    FAULTY,
    MARK,
    find_content,
    find_status,
    read_clipboard,
    submit_article,
    tab_to,
)
from tests.support.dashboard.reader import IDLE
from tests.support.processes.running import Service, environment, loopback, wait_for
from tests.support.waiting import LIMIT_SECONDS

pytestmark = pytest.mark.browser

DRAWN = ".js-plotly-plot .main-svg"


def scan_by_service(service: Service, text: str) -> Any:
    answer = loopback.post(
        f"{service.url}/articles/scan",
        json={"articles": [{"content": text}], "persist": False},
        headers={"CP-X-API-KEY": service.key},
    )
    return answer.raise_for_status().json()[0]


def apply_by_service(service: Service, text: str) -> str:
    answer = loopback.post(
        f"{service.url}/articles/apply",
        json={"articles": [{"content": text}]},
        headers={"CP-X-API-KEY": service.key},
    )
    corrected: str = answer.raise_for_status().json()[0]["corrected_article"]["content"]
    return corrected


def count_stored(service: Service) -> int:
    total: int = service.get("/articles/violations/summary").json()["total"]
    return total


def test_the_keyboard_alone_corrects_an_article_with_eight_faults(
    page: Page, running_service: Service
) -> None:
    preview = scan_by_service(running_service, FAULTY)
    assert len(preview["corrections"]) == FAULTS
    page.evaluate("text => navigator.clipboard.writeText(text)", FAULTY)
    tab_to(page, ".st-key-cr_content textarea")
    page.keyboard.press("Control+V")  # which starts the check
    expect(page.locator(MARK)).to_have_count(FAULTS)
    expect(find_status(page)).to_have_text("Findings: 8. Safe to apply: 7.")
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    page.keyboard.press("a")
    expect(page.locator(f"{MARK}[data-status=approved]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(MARK)).to_have_count(0)
    page.keyboard.press("c")
    expect(find_status(page)).to_have_text("Copied.")
    assert read_clipboard(page) == preview["corrected_article"]["content"]
    assert "`Etherium` はコードである。" in read_clipboard(page)


def test_page_interface_and_command_line_give_the_same_bytes(
    page: Page, running_service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "article.md"
    file.write_bytes(b"\xef\xbb\xbf" + FAULTY.replace("\n", "\r\n").encode())
    page.locator(".st-key-cr_open button").first.click()
    page.locator("input[type=file]").set_input_files(file)
    expect(find_content(page)).to_have_value(FAULTY)
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
        timeout=LIMIT_SECONDS,
    )
    assert file.read_bytes() == by_page
    crlf = FAULTY.replace("\n", "\r\n")
    assert by_page == b"\xef\xbb\xbf" + apply_by_service(running_service, crlf).encode()


def test_a_read_only_key_previews_and_is_told_that_nothing_is_stored(
    running_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "backend.cli", "keys", "create", "--name", "r", "--scope", "read", "--json"],
        env=environment(running_service.home),
        capture_output=True,
        check=True,
        timeout=LIMIT_SECONDS,
    )
    key = json.loads(result.stdout)["key"]
    rules = f"{running_service.url}/articles/rules"
    wait_for(lambda: loopback.get(rules, headers={"CP-X-API-KEY": key}).is_success, "The new key's first use")
    monkeypatch.setenv("CHAINPROOF_BASE_URL", running_service.url)
    monkeypatch.setenv("CHAINPROOF_API_KEY", key)
    monkeypatch.setattr(st, "session_state", {})
    before = count_stored(running_service)
    session_state.check_article({**build_blank_article(), "content": FAULTY}, persist=True)
    editor = session_state.load_state()
    assert editor.history.step is not None
    assert len(editor.history.step.findings) == FAULTS
    assert editor.notice == t("corrections.not_stored_key")
    assert count_stored(running_service) == before
    connection.close_client()


def test_findings_are_stored_only_if_chosen_and_appear_in_the_history(
    page: Page, running_service: Service
) -> None:
    before = count_stored(running_service)
    submit_article(page, FAULTY)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    assert count_stored(running_service) == before
    page.keyboard.press("z")
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("e")
    page.get_by_text("Store findings").click()
    find_content(page).press("Control+Enter")
    expect(page.get_by_text("8 findings stored in the history.")).to_be_visible()
    assert count_stored(running_service) == before + FAULTS
    page.wait_for_selector(IDLE)
    expect(page.locator(MARK)).to_have_count(FAULTS)  # the review takes the keys when its text stands
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    assert count_stored(running_service) == before + FAULTS
    page.get_by_role("radio", name="History").click()
    expect(page.locator(DRAWN).first).to_be_visible()
    expect(page.locator(".sortable-table tbody tr").first).to_contain_text("Solanna")


def test_a_batch_is_checked_reviewed_and_downloaded(page: Page, tmp_path: Path) -> None:
    lines = [{"id": str(n), "content": "Etherium" if n % 2 else "fine", "own": n} for n in range(230)]
    lines[3]["content"] = FAULTY
    file = tmp_path / "many.jsonl"
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    page.get_by_role("radio", name="Batch").click()
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".sortable-table tbody tr")).to_have_count(100)
    page.get_by_role("button", name=re.compile("Show more")).click()
    expect(page.locator(".sortable-table tbody tr")).to_have_count(200)
    page.locator(".sortable-table th button", has_text="To approve").click()
    page.locator(".sortable-table .open").first.click()
    expect(page.locator(MARK)).to_have_count(FAULTS)
    page.keyboard.press("s")
    expect(page.locator(MARK)).to_have_count(1)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator(MARK)).to_have_count(0)
    page.get_by_role("button", name="Back to the batch").click()
    expect(page.locator(".sortable-table")).to_contain_text("reviewed manually")
    page.locator(".st-key-cr_batch_download button").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON Lines").click()
    downloaded = [json.loads(line) for line in Path(download.value.path()).read_text("utf-8").splitlines()]
    assert [line["own"] for line in downloaded] == list(range(230))
    assert downloaded[0] == lines[0]
    assert downloaded[1]["content"] == "Ethereum"
    assert "Polygonの関係者" in downloaded[3]["content"]
