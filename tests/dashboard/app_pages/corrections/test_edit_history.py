"""The history of an article's states, with undo and redo."""

from backend.articles.schemas import ScanResult
from dashboard.app_pages.corrections import edit_history, findings, text_diff
from dashboard.app_pages.corrections.article_edits import apply_article_edits, list_texts
from dashboard.app_pages.corrections.edit_history import EditHistory, FormFields
from dashboard.app_pages.corrections.findings import Decision
from dashboard.client.article_schemas import Article
from tests.support.articles.scans import article, build_scan_result, build_violations

TEXT = article(title="Etherium", content="Etherium and CoinBase\r\nEtherium", tags=["a,b"])


def scan(text: Article) -> ScanResult:
    return build_scan_result(
        text,
        build_violations(text, "Etherium", "Ethereum", rule="typo"),
        build_violations(text, "CoinBase", "Coinbase", auto=False),
    )


def start_history() -> EditHistory:
    history = EditHistory()
    history.add_checked(TEXT, scan(TEXT), "v1")
    return history


def apply_approved(history: EditHistory) -> None:
    step = history.step
    assert step is not None
    edits = findings.build_approved_edits(step.article, step.findings, step.decisions)
    after = apply_article_edits(step.article, edits)
    history.add_edited("approved", after, edits, scan(after), "v1")


def test_undo_restores_text_findings_and_decisions_and_redo_reapplies() -> None:
    history = start_history()
    assert history.step is not None
    history.store_decisions(history.step.number, {0: Decision("approved"), 1: Decision("ignored")}, new=True)
    apply_approved(history)
    assert history.step.article["title"] == "Ethereum"
    history.undo()
    assert history.step.article == TEXT
    assert dict(history.step.decisions) == {0: Decision("approved"), 1: Decision("ignored")}
    assert history.can_redo
    history.redo()
    assert history.step.article["title"] == "Ethereum"
    assert not history.can_redo


def test_ignored_findings_stay_ignored_after_other_corrections() -> None:
    history = start_history()
    assert history.step is not None
    history.store_decisions(history.step.number, {0: Decision("approved"), 1: Decision("ignored")}, new=True)
    apply_approved(history)
    (number,) = history.step.decisions
    assert history.step.findings[number].text == "Etherium"
    assert history.step.carried_count == 1


def test_a_new_decision_deletes_the_redo_steps_but_an_undone_one_does_not() -> None:
    history = start_history()
    assert history.step is not None
    history.store_decisions(history.step.number, {0: Decision("approved")}, new=True)
    apply_approved(history)
    history.undo()
    history.store_decisions(history.step.number, {}, new=False)
    assert history.can_redo
    history.store_decisions(history.step.number, {1: Decision("ignored")}, new=True)
    assert not history.can_redo


def test_decisions_on_other_steps_are_ignored() -> None:
    history = start_history()
    assert history.step is not None
    history.store_decisions(history.step.number + 1, {0: Decision("approved")}, new=True)
    history.store_decisions(
        history.step.number, {99: Decision("approved"), -1: Decision("ignored")}, new=True
    )
    assert history.step.decisions == {}


def test_undo_reaches_an_earlier_article() -> None:
    history = start_history()
    other_article = article(content="Another text")
    history.add_checked(other_article, scan(other_article), "v1")
    assert history.step is not None
    assert not history.step.is_changed
    history.undo()
    assert history.step.article == TEXT


def test_the_preview_contains_applied_and_approved_corrections() -> None:
    history = start_history()
    assert history.step is not None
    history.store_decisions(history.step.number, {0: Decision("approved")}, new=True)
    apply_approved(history)
    step = history.step
    coinbase = next(n for n, finding in enumerate(step.findings) if finding.text == "CoinBase")
    history.store_decisions(step.number, {coinbase: Decision("approved")}, new=True)
    step = history.step
    previews = {
        name: text_diff.join_pieces(list_texts(step.original).get(name, ""), pieces)
        for name, pieces in step.preview_pieces.items()
    }
    assert previews["title"] == "Ethereum"
    assert previews["content"] == "Etherium and Coinbase\r\nEtherium"
    assert step.article["content"] == TEXT["content"]


def test_an_added_field_is_compared_with_an_empty_text() -> None:
    history = start_history()
    after = article(**{**TEXT, "summary": "New"})
    edits = findings.find_manual_edits(TEXT, after)
    assert edits is not None
    history.add_edited("edited", after, edits, scan(after), "v1")
    assert history.step is not None
    assert text_diff.join_pieces("", history.step.pieces["summary"]) == "New"
    assert history.step.original == TEXT


def test_a_changed_number_of_tags_resets_their_originals() -> None:
    history = start_history()
    after = article(**{**TEXT, "tags": ["x", "y"]})
    edits = findings.find_manual_edits(TEXT, after)
    assert edits is not None
    history.add_edited("edited", after, edits, scan(after), "v1")
    assert history.step is not None
    assert history.step.original["tags"] == ["x", "y"]
    assert set(history.step.pieces) == {"title", "content", "tags[0]", "tags[1]"}


def test_checking_the_same_article_again_adds_no_step() -> None:
    history = start_history()
    assert history.step is not None
    history.store_decisions(history.step.number, {1: Decision("ignored")}, new=True)
    number = history.step.number
    history.refresh_findings(scan(TEXT), "v2")
    assert history.step.number > number
    assert not history.can_undo
    assert history.step.decisions == {1: Decision("ignored")}


def test_an_unchanged_form_returns_the_article() -> None:
    assert edit_history.apply_form_fields(edit_history.build_form_fields(TEXT), TEXT) == TEXT


def test_a_typed_word_keeps_the_line_ends_of_the_file() -> None:
    form_fields = edit_history.build_form_fields(TEXT)
    typed = FormFields(form_fields.title, form_fields.summary, form_fields.content + "!", "a, b", "ja")
    after = edit_history.apply_form_fields(typed, TEXT)
    assert after["content"] == "Etherium and CoinBase\r\nEtherium!"
    assert after["tags"] == ["a", "b"]
    assert after["language"] == "ja"
    assert edit_history.apply_form_fields(FormFields(), TEXT)["title"] is None
