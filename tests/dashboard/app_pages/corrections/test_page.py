"""The Corrections page with the real service: languages, modes, errors, and an unavailable service."""

import json
from typing import Any

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.app_pages.corrections import article_files, session_state
from dashboard.app_pages.corrections.findings import Decision
from dashboard.app_pages.corrections.session_state import EditorState
from dashboard.client import articles
from dashboard.i18n import LANGUAGES, t
from tests.dashboard.conftest import Backend
from tests.support.articles.scans import article
from tests.support.dashboard.corrections_page import TEXT, check_text, open_corrections, read_review
from tests.support.dashboard.pages import html
from tests.support.dashboard.transport import CuttableTransport
from tests.support.processes.running import loopback

pytestmark = pytest.mark.usefixtures("dashboard_backend")


def count_stored(backend: Backend) -> int:
    answer = loopback.get(f"{backend.url}/articles/violations/summary", headers={"CP-X-API-KEY": backend.key})
    total: int = answer.json()["total"]
    return total


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("mode", ["article", "batch", "history"])
def test_every_mode_opens_by_its_link_in_every_language(lang: Any, mode: str) -> None:
    app = open_corrections(mode=mode, lang=lang)
    assert html(app).count("<h1") == 1
    assert t("corrections.title", lang=lang) in html(app)
    groups = [[option.content for option in group.proto.options] for group in app.get("button_group")]
    assert [
        t(f"corrections.mode_{mode_code}", lang=lang) for mode_code in ("article", "batch", "history")
    ] in groups


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_review_receives_findings_and_their_entities(lang: Any) -> None:
    state, article = read_review(check_text(lang=lang))
    assert [finding["text"] for finding in article["findings"]][:1] == ["Etherium"]
    field = article["fields"][0]["text"]
    for finding in article["findings"]:
        assert field[finding["start"] : finding["end"]] == finding["text"]
    assert article["entities"]["ethereum"]["site"] == ["ethereum.org", "https://ethereum.org"]
    assert [name for _, name in article["entities"]["ethereum"]["names"]] == [
        "Ethereum",
        "イーサリアム",
        "以太坊",
    ]
    assert article["words"]["approve"] == t("corrections.approve", lang=lang)
    safe = sum(finding["safe"] for finding in article["findings"])
    assert state["message"] == t("corrections.found", lang=lang, n=len(article["findings"]), safe=safe)


def test_findings_are_stored_only_if_chosen(dashboard_backend: Backend) -> None:
    before = count_stored(dashboard_backend)
    check_text()
    assert count_stored(dashboard_backend) == before
    app = check_text(store=True)
    found = len(read_review(app).article["findings"])
    assert count_stored(dashboard_backend) == before + found
    assert t("corrections.stored", n=found) in html(app)


def test_the_text_is_never_in_the_url() -> None:
    app = check_text(title="Etherium secret")
    assert "Etherium" not in str(app.query_params)
    assert "secret" not in str(app.query_params)


def test_an_empty_article_is_reported() -> None:
    app = check_text("  \n ")
    assert t("corrections.nothing") in html(app)
    assert len(app.text_area) == 2


def test_a_rejected_article_is_reported_and_the_text_stays() -> None:
    app = check_text("x" * 9_000_000)
    assert t("corrections.error_too_large") in html(app)
    assert 'role="alert"' in html(app)
    assert len(app.text_area(key="cr_content").value or "") == 9_000_000


def test_without_the_service_the_text_stays_and_can_be_checked_later(transport: CuttableTransport) -> None:
    app = open_corrections()
    transport.is_cut = True
    app.text_area(key="cr_content").set_value(TEXT)
    app.button(key="cr_check").click().run()
    assert t("frame.error_unreachable") in html(app)
    assert app.text_area(key="cr_content").value == TEXT
    transport.is_cut = False
    app.button(key="cr_check").click().run()
    assert read_review(app).article["findings"]


def test_a_clean_article_is_reported_as_clean() -> None:
    state, article = read_review(check_text("Ethereum and Bitcoin."))
    assert article["findings"] == []
    assert state["message"] == t("corrections.clean")


def test_a_hundred_thousand_characters_are_checked_and_sent_once() -> None:
    text = ("暗号資産の市場は落ち着いている。" * 40 + "Etheriumは上昇した。\n") * 150
    state, article = read_review(check_text(text))
    assert len(text) > 90_000
    assert len(article["findings"]) == 150
    assert len(orjson.dumps(state)) < 2_000


def test_the_url_opens_the_comparison_and_the_filters() -> None:
    state = read_review(check_text(review="compare", sev="error", rule="x")).state
    assert state["view"] == {"view": "compare", "severity": "error", "rule": "x"}
    assert state["compare"] is not None
    state = read_review(check_text(review="nonsense", sev="nonsense")).state
    assert state["view"]["view"] == "text"
    assert state["compare"] is None


# --- the editor's state


def check(editor: EditorState, content: str = TEXT) -> None:
    session_state.check_article(article(content=content), persist=False)
    assert editor.history.step is not None


def decide(editor: EditorState, text: str, status: str) -> int:
    """Decide on the first finding of ``text``; returns its index."""
    step = editor.history.step
    assert step is not None
    number = next(n for n, finding in enumerate(step.findings) if finding.text == text)
    session_state.store_decisions({"step": step.number, "decisions": [[number, status, None]], "new": True})
    return number


def test_safe_corrections_give_the_same_bytes_as_the_service(editor: EditorState) -> None:
    check(editor)
    applied = articles.apply([article(content=TEXT)]).data
    session_state.run_action("safe")
    assert applied is not None
    assert editor.history.step is not None
    assert editor.history.step.article == {**article(), **applied[0]["corrected_article"]}
    assert editor.history.step.edit_count == applied[0]["applied_count"] > 0
    assert not any(finding.safe for finding in editor.history.step.findings)


def test_safe_corrections_skip_ignored_findings(editor: EditorState) -> None:
    check(editor)
    decide(editor, "Etherium", "ignored")
    session_state.run_action("safe")
    after = editor.history.step
    assert after is not None
    content = after.article["content"] or ""
    assert content.startswith("Etherium rises")
    assert content.count("Etherium") == 1
    assert [decision.status for decision in after.decisions.values()] == ["ignored"]


def test_undo_after_approved_corrections_restores_the_draft(editor: EditorState) -> None:
    check(editor)
    former = decide(editor, "Matic Network", "approved")
    session_state.run_action("approved")
    assert editor.history.step is not None
    assert "Polygon and" in (editor.draft["content"] or "")
    session_state.run_action("undo")
    assert editor.draft["content"] == TEXT
    assert editor.history.step.decisions == {former: Decision("approved")}
    session_state.run_action("redo")
    assert "Polygon and" in (editor.draft["content"] or "")


def test_applying_without_approved_corrections_is_reported(editor: EditorState) -> None:
    check(editor)
    session_state.run_action("approved")
    assert editor.message == t("corrections.none_approved")


def test_an_error_while_applying_changes_nothing(editor: EditorState, transport: CuttableTransport) -> None:
    check(editor)
    step = editor.history.step
    transport.is_cut = True
    session_state.run_action("safe")
    assert editor.problem is not None
    assert editor.retry_action == ("safe", "")
    assert editor.history.step is step
    transport.is_cut = False
    session_state.run_action("safe")
    assert editor.problem is None
    assert editor.history.step is not step


def test_invalid_messages_of_the_browser_are_ignored(editor: EditorState) -> None:
    check(editor)
    step = editor.history.step
    assert step is not None
    session_state.store_decisions(
        {"step": step.number, "decisions": [["0", "approved", None], [0, "x", None]]}
    )
    session_state.store_decisions({})
    assert editor.history.step is not None
    assert editor.history.step.decisions == {}


def test_a_file_keeps_its_windows_line_ends(editor: EditorState) -> None:
    file = article_files.parse_file("a.md", b"\xef\xbb\xbfEtherium\r\nrises\r\n")
    session_state.start_article(file.articles[0], file)
    session_state.check_article(editor.draft, persist=False)
    session_state.run_action("safe")
    step = editor.history.step
    assert step is not None
    assert article_files.to_markdown(step.article, step.source) == b"\xef\xbb\xbfEthereum\r\nrises\r\n"


# --- batch and history


def build_json_lines(*contents: str) -> str:
    return "\n".join(json.dumps({"id": str(n), "content": text}) for n, text in enumerate(contents))


def read_table(app: AppTest) -> dict[str, Any]:
    (part,) = [
        part for part in app.get("bidi_component") if part.proto.component_name == "chainproof.sortable_table"
    ]
    body: dict[str, Any] = orjson.loads(part.proto.bytes)
    return body


def test_pasted_articles_become_rows_of_a_table(dashboard_backend: Backend) -> None:
    before = count_stored(dashboard_backend)
    app = open_corrections(mode="batch")
    app.text_area(key="cr_batch_text").set_value(build_json_lines("Etherium", "fine", "Etherium Etherium"))
    app.button(key="cr_batch_check").click().run()
    assert not app.exception
    rows = read_table(app)["rows"]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert [row[1][4][1] for row in rows] == [1, 0, 2]
    assert count_stored(dashboard_backend) == before


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        ("", "corrections.batch_empty"),
        ('{"content": "x"}\n{"content": ', "2"),
        ('[{"content": 5}]', "content"),
    ],
)
def test_an_invalid_list_is_reported_with_its_position(pasted: str, words: str) -> None:
    app = open_corrections(mode="batch")
    app.text_area(key="cr_batch_text").set_value(pasted)
    app.button(key="cr_batch_check").click().run()
    assert 'role="alert"' in html(app)
    assert (t(words) if words.startswith("corrections.") else words) in html(app)


def test_an_interrupted_batch_resumes_and_stores_nothing_twice(
    dashboard_backend: Backend, transport: CuttableTransport
) -> None:
    before = count_stored(dashboard_backend)
    app = open_corrections(mode="batch")
    app.toggle(key="cr_batch_store").set_value(True).run()
    app.text_area(key="cr_batch_text").set_value(build_json_lines(*["Etherium"] * 250))
    real = articles.scan
    calls = 0

    def fail_second_call(part: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        transport.is_cut = calls == 2
        answer = real(part, **options)
        transport.is_cut = False
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(articles, "scan", fail_second_call)
        app.button(key="cr_batch_check").click().run()
        assert 'role="alert"' in html(app)
        assert count_stored(dashboard_backend) == before + 200
        app.button(key="cr_batch_retry").click().run()
    assert len(read_table(app)["rows"]) == 250
    assert count_stored(dashboard_backend) == before + 250


def test_the_history_counts_and_lists_stored_findings(dashboard_backend: Backend) -> None:
    check_text(store=True)
    app = open_corrections(mode="history", period="all")
    total = count_stored(dashboard_backend)
    assert t("corrections.total", n=f"{total:,}") in html(app)
    rows = read_table(app)["rows"]
    assert len(rows) == min(total, 100)
    assert {"Etherium"} <= {row[1][2][0] for row in rows}
    narrowed = open_corrections(mode="history", by_rule="no-such-rule")
    assert t("corrections.history_none") in html(narrowed)
    narrowed.button(key="empty-cr_history-action").click().run()
    assert read_table(narrowed)["rows"]


def test_the_history_has_pages_of_older_and_newer_findings() -> None:
    check_text("Etherium " * 120, store=True)
    app = open_corrections(mode="history", period="all")
    first = [row[0] for row in read_table(app)["rows"]]
    app.button(key="cr_older").click().run()
    second = [row[0] for row in read_table(app)["rows"]]
    assert not set(first) & set(second)
    app.button(key="cr_newer").click().run()
    assert [row[0] for row in read_table(app)["rows"]] == first


def test_an_unavailable_history_shows_an_error(transport: CuttableTransport) -> None:
    transport.is_cut = True
    app = open_corrections(mode="history", period="all")
    assert 'role="alert"' in html(app)
    transport.is_cut = False
    app.button(key="error-cr_history-retry").click().run()
    assert 'role="alert"' not in html(app)
