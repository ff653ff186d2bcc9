"""The list of applied changes, single corrections and taking them back, with the real service."""

import pytest

from dashboard.app_pages.corrections import session_state
from dashboard.app_pages.corrections.applied_changes import list_changes
from dashboard.app_pages.corrections.edit_history import Step
from dashboard.app_pages.corrections.findings import Decision
from dashboard.app_pages.corrections.session_state import EditorState
from dashboard.i18n import LANGUAGES, t
from tests.support.articles.scans import article
from tests.support.dashboard.corrections_page import check_text, open_corrections, read_review
from tests.support.dashboard.transport import CuttableTransport

TEXT = "😀 Etherium rose. Solanna fell, and Etherium again. Bitcoin held."
pytestmark = pytest.mark.usefixtures("dashboard_backend")


def check(content: str = TEXT) -> None:
    session_state.check_article(article(title="Solanna", content=content), persist=False)


def get_step(editor: EditorState) -> Step:
    assert editor.history.step is not None
    return editor.history.step


def list_pairs(editor: EditorState) -> list[tuple[str, str, str]]:
    return [(change.field, change.old, change.new) for change in list_changes(get_step(editor))]


def test_one_correction_is_applied_and_all_other_decisions_stay(editor: EditorState) -> None:
    check()
    step = get_step(editor)
    session_state.store_decisions({"step": step.number, "decisions": [[3, "ignored", None]], "new": True})
    session_state.run_action("single", "1")
    assert get_step(editor).article["content"] == TEXT.replace("Etherium", "Ethereum", 1)
    assert get_step(editor).article["title"] == "Solanna"
    assert dict(get_step(editor).decisions) == {2: Decision("ignored")}
    assert editor.message == t("corrections.did_single", name="Ethereum", left=3)


def test_the_chosen_name_of_an_ambiguous_finding_is_applied(editor: EditorState) -> None:
    session_state.check_article(article(content="该公司发行了新的贷币。"), persist=False)
    session_state.run_action("single", "0")
    assert len(editor.history.steps) == 1, "there is nothing to apply yet"
    decisions = [[0, "approved", "代币"]]
    session_state.store_decisions({"step": get_step(editor).number, "decisions": decisions, "new": True})
    session_state.run_action("single", "0")
    assert get_step(editor).article["content"] == "该公司发行了新的代币。"


@pytest.mark.parametrize("index", ["", "x", "-1", "99"])
@pytest.mark.parametrize("action", ["single", "revert"])
def test_an_invalid_number_of_the_browser_changes_nothing(
    editor: EditorState, action: str, index: str
) -> None:
    check()
    session_state.run_action(action, index)
    assert len(editor.history.steps) == 1


def test_applied_changes_are_listed_with_their_place_in_the_current_text(editor: EditorState) -> None:
    check()
    session_state.run_action("safe")
    assert list_pairs(editor) == [
        ("title", "Solanna", "Solana"),
        ("content", "Etherium", "Ethereum"),
        ("content", "Solanna", "Solana"),
        ("content", "Etherium", "Ethereum"),
    ]
    content = get_step(editor).article["content"] or ""
    for change in list_changes(get_step(editor))[1:]:
        assert content[change.start : change.end] == change.new


def test_a_change_that_is_taken_back_is_ignored_from_then_on(editor: EditorState) -> None:
    check()
    session_state.run_action("safe")
    session_state.run_action("revert", "1")
    assert list_pairs(editor) == [
        ("title", "Solanna", "Solana"),
        ("content", "Solanna", "Solana"),
        ("content", "Etherium", "Ethereum"),
    ]
    assert [decision.status for decision in get_step(editor).decisions.values()] == ["ignored"]
    assert editor.message == t("corrections.did_revert", name="Etherium")
    session_state.run_action("safe")
    content = get_step(editor).article["content"] or ""
    assert content.count("Etherium") == 1, "not corrected again"
    session_state.run_action("undo")
    session_state.run_action("undo")
    assert len(list_pairs(editor)) == 4


def test_text_that_the_editor_wrote_can_be_taken_back_too(editor: EditorState) -> None:
    check("Ethereum rose.")
    session_state.run_action("edit")
    session_state.check_article(article(title="Solanna", content="Ethereum rose a lot."), persist=False)
    assert list_pairs(editor) == [("content", "", " a lot")]
    session_state.run_action("revert", "0")
    assert get_step(editor).article["content"] == "Ethereum rose."
    assert list_pairs(editor) == []


def test_an_unavailable_service_applies_nothing_and_can_be_retried(
    editor: EditorState, transport: CuttableTransport
) -> None:
    check()
    transport.is_cut = True
    session_state.run_action("single", "0")
    assert editor.retry_action == ("single", "0")
    transport.is_cut = False
    session_state.run_action(*editor.retry_action)
    assert get_step(editor).article["title"] == "Solana"


# --- the example


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_example_of_each_language_has_slips_a_mixed_name_and_a_date(lang: str) -> None:
    app = open_corrections(lang=lang)
    app.button(key="cr_example").click().run()
    assert not app.exception
    article = read_review(app).article
    assert sum(finding["safe"] for finding in article["findings"]) >= 3
    assert [finding["type"] for finding in article["findings"]].count("inconsistent") == 1
    assert article["date"] == {"day": "2026-03-12", "origin": "text"}
    assert {field["lang"] for field in article["fields"]} == {{"zh": "zh-Hans"}.get(lang, lang)}


def test_the_example_is_offered_only_while_there_is_no_article() -> None:
    app = check_text()
    app.button(key="cr_new").click().run()
    assert not [button for button in app.button if button.key == "cr_example"]
