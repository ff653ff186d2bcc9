"""Lines in capitals, and stops that end a sentence."""

import pytest

from backend.articles.engine import compile_rules, correct
from backend.articles.text.capitalization import Lines, ends_sentence
from tests.backend.articles.packs import entity, pack, rule


@pytest.mark.parametrize(
    ("line", "is_in_capitals"),
    [
        ("ETHEREUM RISES 5%", True),
        ("Ethereum RISES", False),
        ("昨日、ETHEREUMは上昇した", False),
        ("使用METAMASK登录", False),
    ],
)
def test_a_line_with_kana_or_han_is_no_headline_in_capitals(line: str, is_in_capitals: bool) -> None:
    assert Lines(line, "content").in_capitals(3) is is_in_capitals


@pytest.mark.parametrize("text", ["Macos is out.", "Use it. Macos is out.", "- Macos is out."])
def test_a_suggestion_with_capitals_inside_keeps_them_at_the_start_of_a_sentence(text: str) -> None:
    rules = compile_rules([pack(rule(["Macos"], suggest="macOS"))])
    assert correct(rules, text, language="en").text == text.replace("Macos", "macOS")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Fin Inc.", True),
        ("Fin Inc. Then", True),
        ("(Fin Inc.) Then", True),
        ("Fin Inc.\n\n- item", True),
        ("Fin Inc. said", False),
        ("Fin Inc. CEO Lee", False),
        ("Fin Inc. Chair Lee", False),
    ],
)
def test_a_stop_ends_a_sentence_before_a_capitalised_word(text: str, ends: bool) -> None:
    assert ends_sentence(text, text.index(".") + 1) is ends


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("He left Fin, Inc.", "He left Finn."),
        ("He left Fin, Inc. Then", "He left Finn. Then"),
        ("He left Fin, Inc. in May", "He left Finn in May"),
    ],
)
def test_a_correction_keeps_the_stop_of_its_sentence(text: str, right: str) -> None:
    rules = compile_rules([pack(entity("Finn"), rule(["Fin, Inc."], entity="finn"))])
    assert correct(rules, text, language="en").text == right
