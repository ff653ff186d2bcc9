"""The copy of the work that the browser keeps, with the real service."""

import json
from datetime import date
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.app_pages.corrections import article_form, batch, browser_copy, session_state
from dashboard.app_pages.corrections.findings import Decision
from dashboard.app_pages.corrections.session_state import EditorState, load_state
from dashboard.components import draft_storage
from dashboard.i18n import t
from tests.dashboard.conftest import Backend
from tests.support.dashboard.corrections_page import check_text, open_corrections, read_review
from tests.support.dashboard.pages import html
from tests.support.processes.running import loopback

pytestmark = pytest.mark.usefixtures("dashboard_backend")


def read_records(app: AppTest) -> dict[str, dict[str, Any]]:
    """What the browser is to store, by kind."""
    found = [
        json.loads(part.proto.json)
        for part in app.get("bidi_component")
        if part.proto.component_name == "chainproof.work_storage"
    ]
    return {record["kind"]: record for record in found}


def read_texts(app: AppTest) -> dict[str, str]:
    return {kind: record["text"] for kind, record in read_records(app).items()}


def read_unsaved(app: AppTest) -> dict[str, str]:
    """What counts as unsaved at the end of the run."""
    unsaved: dict[str, str] = read_records(app)["article"]["unsaved"]
    return unsaved


def run_in_new_session(monkeypatch: pytest.MonkeyPatch, records: Any) -> EditorState:
    monkeypatch.setattr(st, "session_state", {})
    browser_copy.restore(records)
    return load_state()


def decide(app: AppTest, *decisions: Any) -> None:
    history = app.session_state["corrections_editor"].history
    entries = {n: Decision(status) for n, status in decisions}
    history.store_decisions(history.step.number, entries, new=True)
    app.run()


def test_nothing_is_stored_before_there_is_work() -> None:
    app = open_corrections()
    assert read_texts(app) == {"article": "", "batch": ""}
    assert [record["restores"] for record in read_records(app).values()] == [False, True]


def test_a_step_is_stored_before_its_review_is_shown() -> None:
    """Otherwise a reload in between loses the step, and the decisions that were made in its review."""
    parts = [part.proto for part in check_text().get("bidi_component")]
    names = [part.component_name for part in parts]
    stored = [n for n, part in enumerate(parts) if part.component_name == "chainproof.work_storage"]
    assert json.loads(parts[stored[-1]].json)["kind"] == "article"
    assert stored[-1] < names.index("chainproof.review")


def test_decisions_and_undo_history_are_restored_in_a_new_session(monkeypatch: pytest.MonkeyPatch) -> None:
    app = check_text()
    decide(app, (0, "ignored"), (1, "approved"))
    before = app.session_state["corrections_editor"].history
    editor = run_in_new_session(monkeypatch, read_texts(app))
    assert editor.history.steps == before.steps
    assert not editor.editing
    session_state.run_action("safe")
    session_state.run_action("undo")
    assert editor.history.step == before.step


def test_decisions_that_the_dashboard_has_not_received_are_restored_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = check_text()
    number = app.session_state["corrections_editor"].history.step.number
    decided = {"step": number, "decisions": [[1, "approved", None]], "new": True}
    editor = run_in_new_session(monkeypatch, {**read_texts(app), "decided": decided})
    assert editor.history.step is not None
    assert dict(editor.history.step.decisions) == {1: Decision("approved")}
    other = run_in_new_session(monkeypatch, {**read_texts(app), "decided": {**decided, "step": 99}})
    assert other.history.step is not None
    assert other.history.step.decisions == {}


def test_work_of_the_session_is_never_replaced_by_older_work(monkeypatch: pytest.MonkeyPatch) -> None:
    app = check_text()
    records = read_texts(app)
    editor = run_in_new_session(monkeypatch, records)
    session_state.run_action("safe")
    step = editor.history.step
    browser_copy.restore(records)
    assert load_state().history.step is step


def test_records_that_cannot_be_read_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    editor = run_in_new_session(monkeypatch, {"article": "x", "batch": "y", "decided": 5})
    assert editor.history.step is None
    assert batch.load_state().file is None
    assert not browser_copy.is_restored()


def test_text_that_was_typed_into_the_open_form_is_newer_than_the_restored_article(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = check_text(title="Solanna")
    app.session_state["corrections_editor"].editing = True
    app.run()
    records = read_texts(app)
    for is_restored_first in (True, False):
        monkeypatch.setattr(st, "session_state", {"cr_content": "typed"})
        form = draft_storage._load_form(session_state.FORM)
        form.before = {"cr_content": ""} if is_restored_first else None
        browser_copy.restore(records)
        form.before = {"cr_content": ""}
        article_form._fill_form(load_state())
        assert st.session_state["cr_content"] == "typed"
        assert st.session_state["cr_title"] == "Solanna"


def restore_page(texts: dict[str, str], **query: str) -> AppTest:
    """A page that restored the records, in a session of its own."""
    app = open_corrections(**query)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "session_state", {})
        browser_copy.restore(texts)
        for key, value in st.session_state.items():
            app.session_state[str(key)] = value
    return app.run()


def test_restored_work_says_so_and_can_be_discarded() -> None:
    app = restore_page(read_texts(check_text()))
    assert not app.exception
    assert t("corrections.restored") in html(app)
    assert read_review(app).article["findings"]
    app.button(key="cr_discard").click().run()
    assert not app.exception
    assert t("corrections.restored") not in html(app)
    assert app.text_area(key="cr_content").value == ""
    assert read_texts(app) == {"article": "", "batch": ""}


def test_the_notice_ends_with_the_next_step() -> None:
    app = restore_page(read_texts(check_text()))
    app.date_input(key="cr_review_date").set_value(date(2027, 3, 3)).run()
    assert t("corrections.restored") not in html(app)


def count_stored(backend: Backend) -> int:
    answer = loopback.get(f"{backend.url}/articles/violations/summary", headers={"CP-X-API-KEY": backend.key})
    total: int = answer.json()["total"]
    return total


def test_a_batch_is_checked_again_after_a_reload_and_stores_nothing_twice(dashboard_backend: Backend) -> None:
    app = open_corrections(mode="batch")
    app.toggle(key="cr_batch_store").set_value(True).run()
    lines = [json.dumps({"id": str(n), "content": "Etherium"}) for n in range(210)]
    app.text_area(key="cr_batch_text").set_value("\n".join(lines))
    before = count_stored(dashboard_backend)
    app.button(key="cr_batch_check").click().run()
    assert count_stored(dashboard_backend) == before + 210
    assert read_unsaved(app)["batch"] == "", "nothing was changed by hand"
    app.session_state["corrections_batch"].reviewed[1] = {
        **app.session_state["corrections_batch"].file.articles[1],
        "content": "Ether",
    }
    app.run()
    again = restore_page(read_texts(app), mode="batch")
    state = again.session_state["corrections_batch"]
    assert len(state.scans) == 210
    assert read_unsaved(again)["batch"], "an article was reviewed"
    assert state.reviewed[1]["content"] == "Ether"
    assert count_stored(dashboard_backend) == before + 210
    assert t("corrections.restored") in html(again)


def test_only_work_that_is_neither_copied_nor_checked_counts_as_unsaved() -> None:
    app = check_text()
    assert read_unsaved(app)["article"] == "", "the text is as it was entered"
    decide(app, (0, "approved"))
    decided = read_unsaved(app)["article"]
    assert decided
    decide(app, (0, "approved"), (1, "approved"))
    assert read_unsaved(app)["article"] not in ("", decided), "a copy of before is not of now"
    decide(app, (0, "approved"))
    assert read_unsaved(app)["article"] == decided


def test_typed_text_is_compared_with_what_was_checked_last() -> None:
    app = open_corrections()
    assert read_records(app)["article"]["sent"]["cr_content"] == ""
    assert read_records(app)["batch"]["sent"] == {}
    checked = check_text()
    assert read_records(checked)["article"]["sent"] == {}, "no form is open"
    assert read_records(open_corrections(mode="batch"))["batch"]["sent"] == {"cr_batch_text": ""}
