"""What an editor decides, and the edits that follow."""

import pytest

from dashboard.app_pages.corrections import findings
from dashboard.app_pages.corrections.article_edits import Edit, WrongPlace
from dashboard.app_pages.corrections.findings import Decision
from tests.support.scans import article, found, scanned

TEXT = article(
    title="Etherium rises", content="😀 Etherium and CoinBase; リップル and CoinBase", tags=["Etherium"]
)
SCAN = scanned(
    TEXT,
    found(TEXT, "リップル", None, rule="ripple", severity="info", kind="ambiguous"),
    found(TEXT, "CoinBase", "Coinbase", rule="case", severity="warning", auto=False),
    found(TEXT, "Etherium", "Ethereum", rule="typo"),
)
FOUND = findings.findings(SCAN)


def test_findings_stand_in_reading_order_with_their_corrections() -> None:
    assert [(one.field, one.text, one.suggestion) for one in FOUND] == [
        ("title", "Etherium", "Ethereum"),
        ("content", "Etherium", "Ethereum"),
        ("content", "CoinBase", "Coinbase"),
        ("content", "リップル", None),
        ("content", "CoinBase", "Coinbase"),
        ("tags[0]", "Etherium", "Ethereum"),
    ]
    assert [one.safe for one in FOUND] == [True, True, False, False, False, True]


def test_counts_keep_safe_approval_and_open_ones_apart() -> None:
    counts = findings.count(FOUND)
    assert (counts.error, counts.warning, counts.info, counts.all) == (3, 2, 1, 6)
    assert (counts.safe, counts.approval, counts.open) == (3, 2, 1)


def test_only_approved_corrections_become_edits_and_a_chosen_name_wins() -> None:
    decisions = {4: Decision("approved"), 3: Decision("approved", "XRP"), 0: Decision("ignored")}
    edits = findings.approved_edits(TEXT, FOUND, decisions)
    assert list(edits) == ["content"]
    assert [edit.text for edit in edits["content"]] == ["XRP", "Coinbase"]
    assert edits["content"] == sorted(edits["content"])


def test_approving_what_has_no_suggestion_changes_nothing() -> None:
    assert findings.approved_edits(TEXT, FOUND, {3: Decision("approved")}) == {}


def test_an_edit_is_refused_where_the_text_is_another_by_now() -> None:
    other = article(title="Ethereum rises", content=TEXT["content"], tags=["x"])
    with pytest.raises(WrongPlace, match="title"):
        findings.approved_edits(other, FOUND, {0: Decision("approved")})


def test_the_services_safe_corrections_are_made_but_for_those_ignored() -> None:
    applied = [one for one in SCAN["corrections"] if one["auto_fixable"]]
    edits = findings.safe_edits(TEXT, applied, FOUND, {1: Decision("ignored"), 2: Decision("approved")})
    assert edits == {"title": [Edit(0, 8, "Ethereum")], "tags[0]": [Edit(0, 8, "Ethereum")]}


def test_decisions_follow_their_findings_to_where_they_are_after_an_edit() -> None:
    edits = {"content": [Edit(2, 10, "ETH")]}
    after = article(
        title=TEXT["title"], content="😀 ETH and CoinBase; リップル and CoinBase", tags=["Etherium"]
    )
    scan = scanned(after, found(after, "CoinBase", "Coinbase", rule="case", severity="warning", auto=False))
    decisions = {1: Decision("approved"), 4: Decision("ignored"), 3: Decision("ignored")}
    kept = findings.carried(FOUND, decisions, edits, findings.findings(scan))
    assert kept == {1: Decision("ignored")}


def test_a_few_words_typed_are_an_edit_and_another_text_is_another_article() -> None:
    typed = article(**{**TEXT, "content": f"{TEXT['content']} More."})
    length = len(TEXT["content"] or "")
    assert findings.edits_by_hand(TEXT, typed) == {"content": [Edit(length, length, " More.")]}
    assert findings.edits_by_hand(TEXT, article(content="Something else")) is None
    titled = article(title="New", content="A long text that stays")
    assert findings.edits_by_hand(article(content="A long text that stays"), titled) == {
        "title": [Edit(0, 0, "New")]
    }
