"""What authors have decided stays as it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.engine import apply, scan
from backend.articles.matching.rule_set import compile_rules
from backend.articles.schemas import Article
from tests.backend.articles.packs import pack_of

RULES = compile_rules([pack_of("Ethereum", "Etherium")])
PARTS = [
    *("Etherium", " ", "\n", "ethereum", "<!-- chainproof-disable -->", "<!-- chainproof-enable -->"),
    *("# chainproof-disable-next-line ethereum-spelling\n", "<!-- chainproof-disable-line -->", "[sic]"),
]


def found(text: str, **fields: object) -> list[str]:
    article = Article.model_validate({"content": text, "language": "en", **fields})
    return [violation["matched_text"] for violation in scan(RULES, article)["violations"]]


def test_a_marked_spelling_is_no_finding() -> None:
    assert found('"Etherium" [sic] and Etherium') == ["Etherium"]


@pytest.mark.parametrize("name", ["", " ethereum-spelling", " ethereum", " ethereum.case, ethereum-spelling"])
def test_a_remark_switches_off_all_rules_or_those_it_names(name: str) -> None:
    assert found(f"<!-- chainproof-disable{name} -->\nEtherium\n<!-- chainproof-enable -->\nEtherium") == [
        "Etherium"
    ]


def test_a_remark_about_another_rule_changes_nothing() -> None:
    assert found("<!-- chainproof-disable solana.case -->\nEtherium") == ["Etherium"]


def test_an_accepted_text_is_no_finding_and_neither_are_its_parts() -> None:
    assert found("Etherium Labs uses Etherium", accept=["Etherium Labs"]) == ["Etherium"]
    assert found("Etherium and ethereum", accept=["Etherium"]) == ["ethereum"]


@pytest.mark.parametrize("between", ["\n", "\n  ", "  ", "&nbsp;", "\u00a0"])
def test_an_accepted_text_also_counts_over_a_break(between: str) -> None:
    assert found(f"Etherium{between}Labs uses Etherium", accept=["Etherium Labs"]) == ["Etherium"]


@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_applying_twice_is_applying_once_whatever_authors_say(text: str) -> None:
    once = apply(RULES, Article(content=text, language="en"))["corrected_article"]
    assert apply(RULES, Article.model_validate(once))["applied"] == []


@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_nothing_is_reported_behind_a_remark_that_is_never_undone(text: str) -> None:
    rest = text.replace("chainproof-enable", "chainproof-x")
    assert found(f"<!-- chainproof-disable -->{rest}") == []
