"""A correction keeps the breaks and the markup inside the name."""

import pytest

from backend.articles.engine import compile_rules, correct, scan
from backend.articles.schemas import Article
from tests.backend.articles.packs import entity, pack, rule

RULES = compile_rules(
    [
        pack(
            entity("Zorbium"),
            entity("Foo Bar"),
            rule(["Zorbum"], id="zorb", entity="zorbium"),
            rule(["Zor bium"], id="zorb-spacing", entity="zorbium"),
            rule(["Fu Bar", "FooBar"], id="foo", entity="foo-bar"),
        )
    ]
)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a **Zor**bum", "a **Zor**bium"),
        ("a [Zor](https://a.b/Zorbum)bum", "a [Zor](https://a.b/Zorbum)bium"),
        ("a <b>Zor</b>bum", "a <b>Zor</b>bium"),
        ("a Zor\u00adbum", "a Zor\u00adbium"),
        ("a Fu\n  Bar", "a Foo\n  Bar"),
        ("a Fu\nBar", "a Foo\nBar"),
        ("a **Fu** Bar", "a **Foo** Bar"),
        ("a Fu&nbsp;Bar", "a Foo&nbsp;Bar"),
        ("a Fu\u00a0Bar", "a Foo\u00a0Bar"),
        ("a Fu  Bar", "a Foo  Bar"),
        ("a Zor  bium", "a Zorbium"),
        ("a Zor\n  bium rose", "a Zorbium\n   rose"),
        ("a Zor\nbium.", "a \nZorbium."),
    ],
)
def test_a_correction_keeps_breaks_and_markup(text: str, right: str) -> None:
    assert correct(RULES, text, language="en").text == right
    assert correct(RULES, right, language="en").violations == []


def test_a_break_that_would_make_a_blank_line_leaves_the_name_to_the_editor() -> None:
    found = correct(RULES, "Zor\nbium", language="en")
    assert found.text == "Zor\nbium"
    assert [violation["suggested_name"] for violation in found.violations] == ["Zorbium"]


def test_a_correct_name_over_a_break_is_a_match() -> None:
    result = scan(RULES, Article(content="the **Foo**\n  Bar", language="en"))
    assert [match["matched_text"] for match in result["matches"]] == ["Foo**\n  Bar"]
    assert result["violations"] == []


def test_evidence_counts_over_a_break() -> None:
    rules = compile_rules(
        [
            pack(
                entity("Foo Bar"),
                entity("Base", context=True),
                rule(["Bas"], entity="base", context=True),
            )
        ]
    )
    assert correct(rules, "Foo\n  Bar on Bas", language="en").text == "Foo\n  Bar on Base"


def test_guards_look_over_a_break() -> None:
    guarded = {"text": "Zorb", "not_before": [" coin"]}
    rules = compile_rules([pack(rule([guarded], suggest="Zorbium"))])
    assert correct(rules, "a Zorb\n  coin", language="en").text == "a Zorb\n  coin"
    assert correct(rules, "a Zorb\n  rose", language="en").text == "a Zorbium\n  rose"
