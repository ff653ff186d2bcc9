"""The Corrections over the real service: every language, part and refusal, and a service that goes away."""

import json
from typing import Any

import orjson
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.app_pages.corrections import article_files, session_state
from dashboard.app_pages.corrections.findings import Decision
from dashboard.app_pages.corrections.session_state import Bench, bench
from dashboard.client import articles
from dashboard.i18n import LANGUAGES, t
from tests.dashboard.conftest import Backend
from tests.support import pages
from tests.support.line import Line
from tests.support.pages import html
from tests.support.running import loopback
from tests.support.scans import article

TEXT = "Etherium rises😀.\n\nMatic Network and 以太访. Etherium again."
pytestmark = pytest.mark.usefixtures("dashboard_backend")


def opened(**query: str) -> AppTest:
    return pages.opened("corrections", **query)


def checked(content: str = TEXT, *, store: bool = False, title: str = "", **query: str) -> AppTest:
    app = opened(**query)
    app.text_area(key="cr_content").set_value(content)
    app.text_input(key="cr_title").set_value(title)
    app.toggle(key="cr_store").set_value(store)
    app.button(key="cr_check").click().run()
    assert not app.exception
    return app


def sent(app: AppTest) -> tuple[dict[str, Any], dict[str, Any]]:
    """The head and the article that the review is given."""
    parts = {part.proto.component_name: part.proto.bytes for part in app.get("bidi_component")}
    return orjson.loads(parts["chainproof.review_head"]), orjson.loads(
        parts["chainproof.review"].split(b"\n", 1)[1]
    )


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The editor's bench without a page."""
    monkeypatch.setattr(st, "session_state", {})
    return bench()


def stored(backend: Backend) -> int:
    answer = loopback.get(f"{backend.url}/articles/violations/summary", headers={"CP-X-API-KEY": backend.key})
    total: int = answer.json()["total"]
    return total


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("mode", ["article", "batch", "history"])
def test_every_part_opens_by_its_link_in_every_language(lang: Any, mode: str) -> None:
    app = opened(mode=mode, lang=lang)
    assert html(app).count("<h1") == 1
    assert t("corrections.title", lang=lang) in html(app)
    groups = [[one.content for one in group.proto.options] for group in app.get("button_group")]
    assert [t(f"corrections.mode_{one}", lang=lang) for one in ("article", "batch", "history")] in groups


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_checked_article_is_sent_with_findings_and_the_facts_of_their_entities(lang: Any) -> None:
    head, body = sent(checked(lang=lang))
    assert [one["text"] for one in body["findings"]][:1] == ["Etherium"]
    field = body["fields"][0]["text"]
    for one in body["findings"]:
        assert field[one["start"] : one["end"]] == one["text"]
    assert body["entities"]["ethereum"]["site"] == ["ethereum.org", "https://ethereum.org"]
    assert [name for _, name in body["entities"]["ethereum"]["names"]] == [
        "Ethereum",
        "イーサリアム",
        "以太坊",
    ]
    assert body["words"]["approve"] == t("corrections.approve", lang=lang)
    safe = sum(one["safe"] for one in body["findings"])
    assert head["message"] == t("corrections.found", lang=lang, n=len(body["findings"]), safe=safe)


def test_a_preview_is_never_stored_and_storing_is_a_choice(dashboard_backend: Backend) -> None:
    before = stored(dashboard_backend)
    checked()
    assert stored(dashboard_backend) == before
    app = checked(store=True)
    found = len(sent(app)[1]["findings"])
    assert stored(dashboard_backend) == before + found
    assert t("corrections.stored", n=found) in html(app)


def test_the_text_never_stands_in_the_address() -> None:
    app = checked(title="Etherium secret")
    assert "Etherium" not in str(app.query_params)
    assert "secret" not in str(app.query_params)


def test_nothing_to_check_says_so() -> None:
    app = checked("  \n ")
    assert t("corrections.nothing") in html(app)
    assert len(app.text_area) == 2


def test_what_the_service_refuses_is_told_with_its_place_and_the_text_stays() -> None:
    app = checked("x" * 9_000_000)
    assert t("corrections.error_too_large") in html(app)
    assert 'role="alert"' in html(app)
    assert len(app.text_area(key="cr_content").value or "") == 9_000_000


def test_when_the_service_is_away_the_text_stays_and_can_be_checked_later(line: Line) -> None:
    app = opened()
    line.cut = True
    app.text_area(key="cr_content").set_value(TEXT)
    app.button(key="cr_check").click().run()
    assert t("frame.error_unreachable") in html(app)
    assert app.text_area(key="cr_content").value == TEXT
    line.cut = False
    app.button(key="cr_check").click().run()
    assert sent(app)[1]["findings"]


def test_a_clean_article_says_that_there_is_nothing_to_correct() -> None:
    head, body = sent(checked("Ethereum and Bitcoin."))
    assert body["findings"] == []
    assert head["message"] == t("corrections.clean")


def test_a_hundred_thousand_characters_are_checked_and_sent_once() -> None:
    text = ("暗号資産の市場は落ち着いている。" * 40 + "Etheriumは上昇した。\n") * 150
    head, body = sent(checked(text))
    assert len(text) > 90_000
    assert len(body["findings"]) == 150
    assert len(orjson.dumps(head)) < 2_000


def test_the_link_opens_the_comparison_and_the_filters() -> None:
    head, _ = sent(checked(review="compare", sev="error", rule="x"))
    assert head["view"] == {"view": "compare", "severity": "error", "rule": "x"}
    assert head["compare"] is not None
    head, _ = sent(checked(review="nonsense", sev="nonsense"))
    assert head["view"]["view"] == "text"
    assert head["compare"] is None


# --- the bench


def check(work: Bench, content: str = TEXT) -> None:
    session_state.check(article(content=content), persist=False)
    assert work.desk.step is not None


def decide(work: Bench, text: str, status: str) -> int:
    """Decide on the first finding of ``text``; gives its number."""
    step = work.desk.step
    assert step is not None
    number = next(n for n, one in enumerate(step.findings) if one.text == text)
    session_state.keep({"step": step.number, "decisions": [[number, status, None]], "new": True})
    return number


def test_the_safe_ones_are_the_same_bytes_as_the_services_own(work: Bench) -> None:
    check(work)
    applied = articles.apply([article(content=TEXT)]).data
    session_state.act("safe")
    assert applied is not None
    assert work.desk.step is not None
    assert work.desk.step.article == applied[0]["corrected_article"]
    assert work.desk.step.made == applied[0]["applied_count"] > 0
    assert not any(one.safe for one in work.desk.step.findings)


def test_what_is_ignored_is_left_alone_by_the_safe_ones(work: Bench) -> None:
    check(work)
    decide(work, "Etherium", "ignored")
    session_state.act("safe")
    after = work.desk.step
    assert after is not None
    content = after.article["content"] or ""
    assert content.startswith("Etherium rises")
    assert content.count("Etherium") == 1
    assert [one.status for one in after.decisions.values()] == ["ignored"]


def test_approved_ones_are_applied_and_undo_brings_the_boxes_back_too(work: Bench) -> None:
    check(work)
    former = decide(work, "Matic Network", "approved")
    session_state.act("approved")
    assert work.desk.step is not None
    assert "Polygon and" in (work.draft["content"] or "")
    session_state.act("undo")
    assert work.draft["content"] == TEXT
    assert work.desk.step.decisions == {former: Decision("approved")}
    session_state.act("redo")
    assert "Polygon and" in (work.draft["content"] or "")


def test_approving_nothing_says_so(work: Bench) -> None:
    check(work)
    session_state.act("approved")
    assert work.message == t("corrections.none_approved")


def test_a_service_that_goes_away_while_applying_leaves_everything_as_it_was(work: Bench, line: Line) -> None:
    check(work)
    step = work.desk.step
    line.cut = True
    session_state.act("safe")
    assert work.problem is not None
    assert work.again == "safe"
    assert work.desk.step is step
    line.cut = False
    session_state.act("safe")
    assert work.problem is None
    assert work.desk.step is not step


def test_messages_that_no_review_sends_are_left_out(work: Bench) -> None:
    check(work)
    step = work.desk.step
    assert step is not None
    session_state.keep({"step": step.number, "decisions": [["0", "approved", None], [0, "x", None]]})
    session_state.keep({})
    assert work.desk.step is not None
    assert work.desk.step.decisions == {}


def test_a_file_with_windows_line_ends_comes_out_with_them(work: Bench) -> None:
    file = article_files.opened("a.md", b"\xef\xbb\xbfEtherium\r\nrises\r\n")
    session_state.begin(file.articles[0], file)
    session_state.check(work.draft, persist=False)
    session_state.act("safe")
    step = work.desk.step
    assert step is not None
    assert article_files.as_markdown(step.article, step.source) == b"\xef\xbb\xbfEthereum\r\nrises\r\n"


# --- batch and history


def lines(*contents: str) -> str:
    return "\n".join(json.dumps({"id": str(n), "content": text}) for n, text in enumerate(contents))


def ledger(app: AppTest) -> dict[str, Any]:
    (part,) = [
        part for part in app.get("bidi_component") if part.proto.component_name == "chainproof.sortable_table"
    ]
    body: dict[str, Any] = orjson.loads(part.proto.bytes)
    return body


def test_a_pasted_list_becomes_a_table_of_its_articles(dashboard_backend: Backend) -> None:
    before = stored(dashboard_backend)
    app = opened(mode="batch")
    app.text_area(key="cr_batch_text").set_value(lines("Etherium", "fine", "Etherium Etherium"))
    app.button(key="cr_batch_check").click().run()
    assert not app.exception
    rows = ledger(app)["rows"]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert [row[1][4][1] for row in rows] == [1, 0, 2]
    assert stored(dashboard_backend) == before


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        ("", "corrections.batch_empty"),
        ('{"content": "x"}\n{"content": ', "2"),
        ('[{"content": 5}]', "content"),
    ],
)
def test_a_list_that_cannot_be_read_says_where(pasted: str, words: str) -> None:
    app = opened(mode="batch")
    app.text_area(key="cr_batch_text").set_value(pasted)
    app.button(key="cr_batch_check").click().run()
    assert 'role="alert"' in html(app)
    assert (t(words) if words.startswith("corrections.") else words) in html(app)


def test_a_batch_that_broke_off_goes_on_where_it_was_and_stores_nothing_twice(
    dashboard_backend: Backend, line: Line
) -> None:
    before = stored(dashboard_backend)
    app = opened(mode="batch")
    app.toggle(key="cr_batch_store").set_value(True).run()
    app.text_area(key="cr_batch_text").set_value(lines(*["Etherium"] * 250))
    real = articles.scan
    calls = 0

    def failing(part: Any, *, persist: bool) -> Any:
        nonlocal calls
        calls += 1
        line.cut = calls == 2
        answer = real(part, persist=persist)
        line.cut = False
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(articles, "scan", failing)
        app.button(key="cr_batch_check").click().run()
        assert 'role="alert"' in html(app)
        assert stored(dashboard_backend) == before + 200
        app.button(key="cr_batch_retry").click().run()
    assert len(ledger(app)["rows"]) == 250
    assert stored(dashboard_backend) == before + 250


def test_the_history_counts_and_lists_what_was_stored(dashboard_backend: Backend) -> None:
    checked(store=True)
    app = opened(mode="history", period="all")
    total = stored(dashboard_backend)
    assert t("corrections.total", n=f"{total:,}") in html(app)
    rows = ledger(app)["rows"]
    assert len(rows) == min(total, 100)
    assert {"Etherium"} <= {row[1][2][0] for row in rows}
    narrowed = opened(mode="history", by_rule="no-such-rule")
    assert t("corrections.history_none") in html(narrowed)
    narrowed.button(key="empty-cr_history-action").click().run()
    assert ledger(narrowed)["rows"]


def test_older_findings_are_a_page_away_and_newer_ones_a_page_back() -> None:
    checked("Etherium " * 120, store=True)
    app = opened(mode="history", period="all")
    first = [row[0] for row in ledger(app)["rows"]]
    app.button(key="cr_older").click().run()
    second = [row[0] for row in ledger(app)["rows"]]
    assert not set(first) & set(second)
    app.button(key="cr_newer").click().run()
    assert [row[0] for row in ledger(app)["rows"]] == first


def test_a_history_that_cannot_be_had_says_why(line: Line) -> None:
    line.cut = True
    app = opened(mode="history", period="all")
    assert 'role="alert"' in html(app)
    line.cut = False
    app.button(key="error-cr_history-retry").click().run()
    assert 'role="alert"' not in html(app)
