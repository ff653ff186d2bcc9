"""Findings, an editor's decisions, and the edits that follow."""

import pytest

from dashboard.app_pages.corrections import findings
from dashboard.app_pages.corrections.article_edits import Edit, EditMismatchError
from dashboard.app_pages.corrections.findings import Decision
from tests.support.articles.scans import article, build_scan_result, build_violations

TEXT = article(
    title="Etherium rises", content="😀 Etherium and CoinBase; リップル and CoinBase", tags=["Etherium"]
)
SCAN = build_scan_result(
    TEXT,
    build_violations(TEXT, "リップル", None, rule="ripple", severity="info", kind="ambiguous"),
    build_violations(TEXT, "CoinBase", "Coinbase", rule="case", severity="warning", auto=False),
    build_violations(TEXT, "Etherium", "Ethereum", rule="typo"),
)
FOUND = findings.build_findings(SCAN)


def test_findings_are_in_reading_order_with_their_corrections() -> None:
    assert [(finding.field, finding.text, finding.suggestion) for finding in FOUND] == [
        ("title", "Etherium", "Ethereum"),
        ("content", "Etherium", "Ethereum"),
        ("content", "CoinBase", "Coinbase"),
        ("content", "リップル", None),
        ("content", "CoinBase", "Coinbase"),
        ("tags[0]", "Etherium", "Ethereum"),
    ]
    assert [finding.safe for finding in FOUND] == [True, True, False, False, False, True]


def test_counts_distinguish_safe_approval_and_open_findings() -> None:
    counts = findings.count_findings(FOUND)
    assert (counts.error, counts.warning, counts.info, counts.all) == (3, 2, 1, 6)
    assert (counts.safe, counts.approval, counts.open) == (3, 2, 1)


def test_only_approved_corrections_become_edits_and_a_chosen_name_wins() -> None:
    decisions = {4: Decision("approved"), 3: Decision("approved", "XRP"), 0: Decision("ignored")}
    edits = findings.build_approved_edits(TEXT, FOUND, decisions)
    assert list(edits) == ["content"]
    assert [edit.text for edit in edits["content"]] == ["XRP", "Coinbase"]
    assert edits["content"] == sorted(edits["content"])


def test_approving_a_finding_without_a_suggestion_changes_nothing() -> None:
    assert findings.build_approved_edits(TEXT, FOUND, {3: Decision("approved")}) == {}


def test_an_edit_of_a_changed_text_is_rejected() -> None:
    changed_article = article(title="Ethereum rises", content=TEXT["content"], tags=["x"])
    with pytest.raises(EditMismatchError, match="title"):
        findings.build_approved_edits(changed_article, FOUND, {0: Decision("approved")})


def test_safe_corrections_are_applied_except_ignored_ones() -> None:
    applied = [correction for correction in SCAN["corrections"] if correction["auto_fixable"]]
    edits = findings.build_safe_edits(TEXT, applied, FOUND, {1: Decision("ignored"), 2: Decision("approved")})
    assert edits == {"title": [Edit(0, 8, "Ethereum")], "tags[0]": [Edit(0, 8, "Ethereum")]}


def test_decisions_follow_their_findings_after_an_edit() -> None:
    edits = {"content": [Edit(2, 10, "ETH")]}
    after = article(
        title=TEXT["title"], content="😀 ETH and CoinBase; リップル and CoinBase", tags=["Etherium"]
    )
    scan = build_scan_result(
        after, build_violations(after, "CoinBase", "Coinbase", rule="case", severity="warning", auto=False)
    )
    decisions = {1: Decision("approved"), 4: Decision("ignored"), 3: Decision("ignored")}
    carried = findings.carry_over(FOUND, decisions, edits, findings.build_findings(scan))
    assert carried == {1: Decision("ignored")}


def test_typed_words_are_an_edit_and_another_text_is_another_article() -> None:
    typed = article(**{**TEXT, "content": f"{TEXT['content']} More."})
    length = len(TEXT["content"] or "")
    assert findings.find_manual_edits(TEXT, typed) == {"content": [Edit(length, length, " More.")]}
    assert findings.find_manual_edits(TEXT, article(content="Something else")) is None
    titled = article(title="New", content="A long text that stays")
    assert findings.find_manual_edits(article(content="A long text that stays"), titled) == {
        "title": [Edit(0, 0, "New")]
    }
