"""Tests that the examples in rules (specs) are checked."""

from pathlib import Path

import pytest

from backend.articles.matching.pack_merging import merge_packs
from backend.articles.matching.rule_set import compile_rules
from backend.articles.model import Pack
from backend.articles.rules.pack_loader import default_files, parse_pack, read_packs
from backend.articles.rules.specs import find_failures, find_failures_in_pack

RULE_TEMPLATE = "{{id: {id}, type: {type}, match: [{match}], suggest: {suggest}, {more} specs: [{specs}]}}"


def pack(*rules: str) -> Pack:
    return parse_pack("version: 1\nrules:\n" + "".join(f"  - {rule}\n" for rule in rules), Path("x")).pack


def rule(
    match: str, suggest: str, specs: str, *, id: str = "own", type: str = "forbidden_variant", more: str = ""
) -> str:
    return RULE_TEMPLATE.format(id=id, type=type, match=match, suggest=suggest, specs=specs, more=more)


def failure_messages(made: Pack) -> list[str]:
    return [str(failure) for failure in find_failures(compile_rules([merge_packs([made])]), made.rules)]


def test_passing_specs_report_no_failures() -> None:
    specs = "{from: Etherium fell, to: Ethereum fell}, {from: Etheriums, to: Etheriums, finds: false}"
    assert failure_messages(pack(rule("Etherium", "Ethereum", specs))) == []


@pytest.mark.parametrize(
    ("specs", "reason"),
    [
        ("{from: Etherium, to: Ether}", "'Etherium' should become 'Ether', but became 'Ethereum'"),
        ("{from: Etheriums, to: Ethereums}", "'Etheriums' should become 'Ethereums', but stayed"),
        ("{from: Etherium, to: Etherium}", "'Etherium' should stay, but became 'Ethereum'"),
        ("{from: Ethereum, to: Ethereum, finds: true}", "should report something in 'Ethereum'"),
        ("{from: Etherium, to: Ethereum, finds: false}", "should report nothing in 'Etherium'"),
    ],
)
def test_a_failing_spec_reports_the_actual_result(specs: str, reason: str) -> None:
    (result,) = failure_messages(pack(rule("Etherium", "Ethereum", specs)))
    assert result.startswith("rule 'own': spec 1: ")
    assert reason in result


def test_a_spec_uses_the_first_language_of_its_rule_by_default() -> None:
    specs = "{from: Etherium, to: Ethereum}, {from: Etherium, to: Etherium, language: en}"
    assert failure_messages(pack(rule("Etherium", "Ethereum", specs, more="languages: [ja],"))) == []


def test_a_spec_checks_the_content_field_by_default() -> None:
    specs = "{from: Etherium, to: Etherium}, {from: Etherium, to: Ethereum, field: title}"
    assert failure_messages(pack(rule("Etherium", "Ethereum", specs, more="fields: [title],"))) == []


def test_a_spec_is_checked_with_the_corrections_of_all_rules() -> None:
    one = rule("Etherium", "Ethereum", "{from: Etherium Solanna, to: Ethereum Solanna}", id="one")
    other = rule("Solanna", "Solana", "{from: Solanna, to: Solana}", id="other")
    (result,) = failure_messages(pack(one, other))
    assert "became 'Ethereum Solana'" in result


def test_disabled_rules_are_checked_as_if_enabled_even_if_they_conflict() -> None:
    short = rule(
        "crypto currency", "crypto", "{from: crypto currency, to: crypto}", id="short", more="enabled: false,"
    )
    long = rule(
        "crypto", "cryptocurrency", "{from: crypto, to: cryptocurrency}", id="long", more="enabled: false,"
    )
    wrong = rule("Etherium", "Ethereum", "{from: Etherium, to: Ether}", id="wrong", more="enabled: false,")
    tried: list[int] = []
    failed = find_failures_in_pack(pack(short, long, wrong), {"short", "long", "wrong"}, tried.append)
    assert [failure.rule_id for failure in failed] == ["wrong"]
    assert sum(tried) == 3


def test_all_specs_of_the_default_rules_pass_including_disabled_rules() -> None:
    shipped = merge_packs(file.pack for file in read_packs(default_files()))
    assert [
        str(failure) for failure in find_failures_in_pack(shipped, {rule.id for rule in shipped.rules})
    ] == []
