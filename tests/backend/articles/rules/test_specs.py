"""The examples that rules carry."""

from pathlib import Path

import pytest

from backend.articles.matching.pack_merging import merge_packs
from backend.articles.matching.rule_set import compile_rules
from backend.articles.model import Pack
from backend.articles.rules.pack_loader import default_files, parse_pack, read_packs
from backend.articles.rules.specs import failures, failures_of_all

RULE = "{{id: {id}, type: {type}, match: [{match}], suggest: {suggest}, {more} specs: [{specs}]}}"


def pack(*rules: str) -> Pack:
    return parse_pack("version: 1\nrules:\n" + "".join(f"  - {rule}\n" for rule in rules), Path("x")).pack


def rule(
    match: str, suggest: str, specs: str, *, id: str = "own", type: str = "forbidden_variant", more: str = ""
) -> str:
    return RULE.format(id=id, type=type, match=match, suggest=suggest, specs=specs, more=more)


def reasons(made: Pack) -> list[str]:
    return [str(failure) for failure in failures(compile_rules([merge_packs([made])]), made.rules)]


def test_specs_that_hold_are_no_failures() -> None:
    specs = "{from: Etherium fell, to: Ethereum fell}, {from: Etheriums, to: Etheriums, finds: false}"
    assert reasons(pack(rule("Etherium", "Ethereum", specs))) == []


@pytest.mark.parametrize(
    ("specs", "reason"),
    [
        ("{from: Etherium, to: Ether}", "'Etherium' should become 'Ether', but became 'Ethereum'"),
        ("{from: Etheriums, to: Ethereums}", "'Etheriums' should become 'Ethereums', but stayed"),
        ("{from: Etherium, to: Etherium}", "'Etherium' should stay, but became 'Ethereum'"),
        ("{from: Ethereum, to: Ethereum, finds: true}", "should find something in 'Ethereum'"),
        ("{from: Etherium, to: Ethereum, finds: false}", "should find nothing in 'Etherium'"),
    ],
)
def test_a_spec_that_does_not_hold_says_what_came_instead(specs: str, reason: str) -> None:
    (told,) = reasons(pack(rule("Etherium", "Ethereum", specs)))
    assert told.startswith("rule 'own': spec 1: ")
    assert reason in told


def test_a_spec_is_of_the_rules_first_language_unless_it_names_one() -> None:
    specs = "{from: Etherium, to: Ethereum}, {from: Etherium, to: Etherium, language: en}"
    assert reasons(pack(rule("Etherium", "Ethereum", specs, more="languages: [ja],"))) == []


def test_a_spec_is_of_the_content_unless_it_names_a_field() -> None:
    specs = "{from: Etherium, to: Etherium}, {from: Etherium, to: Ethereum, field: title}"
    assert reasons(pack(rule("Etherium", "Ethereum", specs, more="fields: [title],"))) == []


def test_a_spec_holds_with_all_corrections_of_the_set() -> None:
    one = rule("Etherium", "Ethereum", "{from: Etherium Solanna, to: Ethereum Solanna}", id="one")
    other = rule("Solanna", "Solana", "{from: Solanna, to: Solana}", id="other")
    (told,) = reasons(pack(one, other))
    assert "became 'Ethereum Solana'" in told


def test_rules_that_are_off_are_tried_as_if_they_were_on_even_where_they_contradict_each_other() -> None:
    short = rule(
        "crypto currency", "crypto", "{from: crypto currency, to: crypto}", id="short", more="enabled: false,"
    )
    long = rule(
        "crypto", "cryptocurrency", "{from: crypto, to: cryptocurrency}", id="long", more="enabled: false,"
    )
    wrong = rule("Etherium", "Ethereum", "{from: Etherium, to: Ether}", id="wrong", more="enabled: false,")
    tried: list[int] = []
    failed = failures_of_all(pack(short, long, wrong), {"short", "long", "wrong"}, tried.append)
    assert [failure.rule_id for failure in failed] == ["wrong"]
    assert sum(tried) == 3


def test_all_specs_of_the_shipped_rules_hold_those_of_rules_that_are_off_too() -> None:
    shipped = merge_packs(file.pack for file in read_packs(default_files()))
    assert [str(failure) for failure in failures_of_all(shipped, {rule.id for rule in shipped.rules})] == []
