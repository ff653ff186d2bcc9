"""Every state of an article, and the way back to it."""

from backend.articles.schemas import ScanResult
from dashboard.app_pages.corrections import edit_history, findings, text_diff
from dashboard.app_pages.corrections.article_edits import edited, texts
from dashboard.app_pages.corrections.edit_history import Boxes, Desk
from dashboard.app_pages.corrections.findings import Decision
from dashboard.client.article_schemas import Article
from tests.support.scans import article, found, scanned

TEXT = article(title="Etherium", content="Etherium and CoinBase\r\nEtherium", tags=["a,b"])


def scan(text: Article) -> ScanResult:
    return scanned(
        text,
        found(text, "Etherium", "Ethereum", rule="typo"),
        found(text, "CoinBase", "Coinbase", auto=False),
    )


def begun() -> Desk:
    made = Desk()
    made.checked(TEXT, scan(TEXT), "v1")
    return made


def apply_approved(made: Desk) -> None:
    step = made.step
    assert step is not None
    edits = findings.approved_edits(step.article, step.findings, step.decisions)
    after = edited(step.article, edits)
    made.changed("approved", after, edits, scan(after), "v1")


def test_undo_brings_back_text_findings_and_decisions_and_redo_goes_forth() -> None:
    made = begun()
    assert made.step is not None
    made.keep(made.step.number, {0: Decision("approved"), 1: Decision("ignored")}, new=True)
    apply_approved(made)
    assert made.step.article["title"] == "Ethereum"
    made.undo()
    assert made.step.article == TEXT
    assert dict(made.step.decisions) == {0: Decision("approved"), 1: Decision("ignored")}
    assert made.can_redo
    made.redo()
    assert made.step.article["title"] == "Ethereum"
    assert not made.can_redo


def test_what_was_ignored_stays_ignored_after_other_corrections() -> None:
    made = begun()
    assert made.step is not None
    made.keep(made.step.number, {0: Decision("approved"), 1: Decision("ignored")}, new=True)
    apply_approved(made)
    (number,) = made.step.decisions
    assert made.step.findings[number].text == "Etherium"
    assert made.step.settled == 1


def test_a_new_decision_ends_the_way_forth_but_taking_one_back_does_not() -> None:
    made = begun()
    assert made.step is not None
    made.keep(made.step.number, {0: Decision("approved")}, new=True)
    apply_approved(made)
    made.undo()
    made.keep(made.step.number, {}, new=False)
    assert made.can_redo
    made.keep(made.step.number, {1: Decision("ignored")}, new=True)
    assert not made.can_redo


def test_decisions_on_a_state_that_is_not_shown_are_left_out() -> None:
    made = begun()
    assert made.step is not None
    made.keep(made.step.number + 1, {0: Decision("approved")}, new=True)
    made.keep(made.step.number, {99: Decision("approved"), -1: Decision("ignored")}, new=True)
    assert made.step.decisions == {}


def test_the_way_back_reaches_an_article_that_was_there_before() -> None:
    made = begun()
    other = article(content="Another text")
    made.checked(other, scan(other), "v1")
    assert made.step is not None
    assert not made.step.changed
    made.undo()
    assert made.step.article == TEXT


def test_the_comparison_holds_what_was_applied_and_what_is_approved() -> None:
    made = begun()
    assert made.step is not None
    made.keep(made.step.number, {0: Decision("approved")}, new=True)
    apply_approved(made)
    step = made.step
    coinbase = next(n for n, one in enumerate(step.findings) if one.text == "CoinBase")
    made.keep(step.number, {coinbase: Decision("approved")}, new=True)
    step = made.step
    shown = {
        name: text_diff.text_of(texts(step.original).get(name, ""), pieces)
        for name, pieces in step.proposed.items()
    }
    assert shown["title"] == "Ethereum"
    assert shown["content"] == "Etherium and Coinbase\r\nEtherium"
    assert step.article["content"] == TEXT["content"]


def test_a_field_that_is_added_by_hand_is_compared_with_nothing() -> None:
    made = begun()
    after = article(**{**TEXT, "summary": "New"})
    edits = findings.edits_by_hand(TEXT, after)
    assert edits is not None
    made.changed("edited", after, edits, scan(after), "v1")
    assert made.step is not None
    assert text_diff.text_of("", made.step.pieces["summary"]) == "New"
    assert made.step.original == TEXT


def test_tags_of_another_number_begin_anew() -> None:
    made = begun()
    after = article(**{**TEXT, "tags": ["x", "y"]})
    edits = findings.edits_by_hand(TEXT, after)
    assert edits is not None
    made.changed("edited", after, edits, scan(after), "v1")
    assert made.step is not None
    assert made.step.original["tags"] == ["x", "y"]
    assert set(made.step.pieces) == {"title", "content", "tags[0]", "tags[1]"}


def test_the_same_article_checked_again_is_no_new_state() -> None:
    made = begun()
    assert made.step is not None
    made.keep(made.step.number, {1: Decision("ignored")}, new=True)
    number = made.step.number
    made.renewed(scan(TEXT), "v2")
    assert made.step.number > number
    assert not made.can_undo
    assert made.step.decisions == {1: Decision("ignored")}


def test_boxes_that_were_not_touched_give_back_the_article() -> None:
    assert edit_history.from_boxes(edit_history.boxes(TEXT), TEXT) == TEXT


def test_a_typed_word_keeps_the_files_line_ends() -> None:
    shown = edit_history.boxes(TEXT)
    typed = Boxes(shown.title, shown.summary, shown.content + "!", "a, b", "ja")
    after = edit_history.from_boxes(typed, TEXT)
    assert after["content"] == "Etherium and CoinBase\r\nEtherium!"
    assert after["tags"] == ["a", "b"]
    assert after["language"] == "ja"
    assert edit_history.from_boxes(Boxes(), TEXT)["title"] is None
