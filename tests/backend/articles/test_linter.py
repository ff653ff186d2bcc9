"""What is pointed out in rules that are all right by themselves."""

from pathlib import Path

import pytest

from backend.articles.lint.linter import Finding, lint
from backend.articles.lint.pattern_checks import load_common_words
from backend.articles.rules.pack_loader import default_files, parse_pack, read_packs

FACTS = """\
version: 1
entities:
  - {id: ethereum, type: asset, names: {en: Ethereum, ja: イーサリアム}, symbols: [ETH],
     symbols_need_context: false}
  - {id: solana, type: asset, names: {en: Solana}}
context_words: {en: [blockchain]}
"""


def rule(id: str = "own", **fields: str) -> str:
    given = {
        "type": "forbidden_variant",
        "match": "[Etherium]",
        "suggest": "Ethereum",
        "specs": "[{from: a, to: b}]",
        **fields,
    }
    return f"  - id: {id}\n" + "".join(f"    {name}: {value}\n" for name, value in given.items())


def findings(*rules: str, facts: str = FACTS) -> list[Finding]:
    return lint([parse_pack(facts + "rules:\n" + "".join(rules), Path("own.yaml"))])


def only(kind: str, *rules: str, facts: str = FACTS) -> Finding:
    found = findings(*rules, facts=facts)
    assert [finding.kind for finding in found] == [kind], [str(finding) for finding in found]
    return found[0]


def test_good_rules_have_no_findings() -> None:
    one = rule(entity="ethereum", suggest="auto", match="[Etherium, イーサリウム]", auto_fix="true")
    assert findings(one, rule("two", match="[Solanna]", suggest="Solana")) == []


def test_a_finding_names_its_line_its_rule_and_a_fix() -> None:
    finding = only("short", rule(match="[Etherium, eh]", auto_fix="true"))
    assert str(finding) == (
        "own.yaml:10: warning: 'own': 'eh' has fewer than 3 characters, and would be corrected without "
        "approval. Remove 'auto_fix', or add 'context', 'not_before' or 'not_after'. [short]"
    )
    assert finding.as_dict()["file"] == "own.yaml"


@pytest.mark.parametrize("word", ["near", "Avalanche", "リスク", "波浪"])
def test_automatic_correction_of_a_common_word_is_an_error(word: str) -> None:
    assert (
        only("common_word", rule(match=f"[{word}]", suggest="Own Name", auto_fix="true")).severity == "error"
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"auto_fix": "false"},
        {"context": "true"},
        {"match": "[{text: near, not_before: [' to']}]"},
        {"match": "[NEAR]", "case": "exact"},
    ],
)
def test_a_common_word_can_be_corrected_with_approval_or_a_condition(fields: dict[str, str]) -> None:
    assert findings(rule(**{"match": "[near]", "suggest": "Own Name", "auto_fix": "true", **fields})) == []


def test_two_rules_with_the_same_surface_are_reported() -> None:
    found = findings(rule("first"), rule("second", match="[ＥＴＨＥＲＩＵＭ]", severity="error"))
    assert [(finding.kind, finding.rule) for finding in found] == [
        ("unreachable", "first"),
        ("two_rules", "second"),
    ]
    assert "also a pattern of rule 'first'" in found[1].sentence


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"languages": "[en]"}, {"languages": "[ja, zh]"}),
        ({"fields": "[title]"}, {"fields": "[tags]"}),
        ({"case": "exact"}, {"case": "exact", "match": "[ETHERIUM]"}),
        ({}, {"match": "[{text: Etherium, not_before: ['!']}]"}),
    ],
)
def test_rules_with_separate_scopes_can_share_a_surface(
    first: dict[str, str], second: dict[str, str]
) -> None:
    kinds = {finding.kind for finding in findings(rule("first", **first), rule("second", **second))}
    assert "two_rules" not in kinds


def test_a_duplicate_surface_is_reported() -> None:
    assert only("repeated", rule(match="[Etherium, etherium]")).line == 10


def test_an_unreachable_rule_is_reported_with_the_rule_that_wins() -> None:
    found = findings(rule("always", severity="error"), rule("never", severity="info"))
    unreachable = [finding for finding in found if finding.kind == "unreachable"]
    assert [finding.rule for finding in unreachable] == ["never"]
    assert "rule 'always' is always reported instead" in unreachable[0].sentence


def test_a_rule_that_forbids_a_name_of_another_entity_is_reported() -> None:
    found = findings(rule(entity="ethereum", suggest="auto", match="[Solana]", languages="[en]"))
    assert {finding.kind for finding in found} >= {"right_is_wrong"}
    assert "a correct name of 'solana', which takes precedence" in next(
        finding.sentence for finding in found if finding.kind == "right_is_wrong"
    )


def test_a_rule_can_choose_among_the_names_of_its_entity() -> None:
    found = findings(
        rule(entity="ethereum", suggest="{ja: Ethereum}", match="[イーサリアム]", languages="[ja]")
    )
    assert "right_is_wrong" not in {finding.kind for finding in found}


def test_a_suggestion_that_another_rule_reports_is_a_finding() -> None:
    finding = only(
        "wrong_suggestion",
        rule("one", match="[Power-Ledger]", suggest="Powerledger"),
        rule("two", match="[Powerledger]", suggest="[Power Ledger, PowerLedger]", case="exact"),
    )
    assert (finding.rule, "'Powerledger' is reported by rule 'two'" in finding.sentence) == ("one", True)


def test_a_correction_cycle_is_reported_with_its_rules() -> None:
    found = findings(
        rule("a", match="[Power Ledger]", suggest="Powerledger"),
        rule("b", match="[Powerledger]", suggest="Power-Ledger"),
        rule("c", match="[Power-Ledger]", suggest="Power Ledger"),
    )
    circles = [finding for finding in found if finding.kind == "circle"]
    assert len(circles) == 1
    assert "a → b → c → a" in circles[0].sentence or "b → c → a → b" in circles[0].sentence


def test_a_wrong_form_inside_its_own_suggestion_is_reported() -> None:
    finding = only("wrong_inside_right", rule(match="[wallet]", suggest="wallet app"))
    assert "'Wallet app' contains a text that it corrects" in finding.sentence


def test_a_wrong_form_that_its_suggestion_protects_is_allowed() -> None:
    assert findings(rule(match="[サーバ]", suggest="サーバー", languages="[ja]")) == []


def test_a_symbol_of_several_entities_needs_a_context_condition() -> None:
    facts = FACTS + "  \n"
    facts = facts.replace("names: {en: Solana}", "names: {en: Solana}, symbols: [ETH]")
    finding = only("shared_symbol", rule(), facts=facts)
    assert (finding.rule, finding.line) == ("ethereum", 3)


def test_a_name_that_is_a_common_word_needs_a_context_condition() -> None:
    facts = FACTS.replace("names: {en: Solana}", "names: {en: Near}")
    assert only("common_name", rule(), facts=facts).rule == "solana"
    with_context = facts.replace("names: {en: Near}", "names: {en: Near}, context: true")
    assert findings(rule(), facts=with_context) == []


def test_a_disabled_rule_is_not_compared_with_other_rules() -> None:
    assert findings(rule("first"), rule("second", enabled="false")) == []


@pytest.mark.parametrize("where", ["match", "id"])
def test_an_allow_comment_silences_a_finding(where: str) -> None:
    text = rule(match="[eh]", auto_fix="true")
    remark = "  # allow: common_word, short\n"
    text = (
        text.replace("[eh]\n", f"[eh]{remark}") if where == "match" else text.replace("own\n", f"own{remark}")
    )
    assert findings(text) == []


def test_an_allow_comment_silences_only_the_named_findings() -> None:
    text = rule(match="[eh]", auto_fix="true").replace("[eh]\n", "[eh]  # allow: two_rules\n")
    assert [finding.kind for finding in findings(text)] == ["short"]


def test_lint_reports_only_the_requested_files() -> None:
    base = parse_pack(FACTS + "rules:\n" + rule("base", match="[eh]", auto_fix="true"), Path("base.yaml"))
    own = parse_pack("version: 1\nrules:\n" + rule("own", match="[uh]", auto_fix="true"), Path("own.yaml"))
    assert {finding.rule for finding in lint([base, own])} == {"base", "own"}
    assert {finding.rule for finding in lint([base, own], {Path("own.yaml")})} == {"own"}


def test_the_default_rules_have_no_findings() -> None:
    assert [str(finding) for finding in lint(read_packs(default_files()))] == []


def test_load_common_words_cover_all_three_languages_in_lowercase() -> None:
    assert set(load_common_words()) == {"en", "ja", "zh"}
    assert all(word == word.lower() for words in load_common_words().values() for word in words)
