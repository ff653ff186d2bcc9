"""Words beside a name tell that it is none."""

import pytest

from backend.articles.engine import compile_rules, correct
from backend.articles.matching.neighbours import is_in_identifier
from backend.articles.model import Pack, Rule, RuleExample
from backend.entities.model import Entity

RULES = compile_rules(
    [
        Pack(
            version=1,
            entities=(
                Entity(id="zorb", type="asset", names={"en": "Zorbium", "ja": "ゾービアム", "zh": "佐比"}),
                Entity(id="old", type="asset", names={"en": "Newname"}, former=({"name": "OLDX"},)),
            ),
            rules=(
                Rule(
                    id="zorb-spelling",
                    entity="zorb",
                    type="forbidden_variant",
                    match=("Zorbum",),
                    auto_fix=True,
                    specs=(RuleExample.model_validate({"from": "Zorbum", "to": "Zorbium"}),),
                ),
            ),
        )
    ]
)


def test_an_uppercase_ticker_does_not_get_an_uppercase_suggestion() -> None:
    assert correct(RULES, "OLDX上涨", language="en").text == "Newname上涨"


@pytest.mark.parametrize(
    "text", ["go-zorbium", "zorbium-cli", "zorbium/specs", "lib/zorbium", "Zorbium-based", "x-zorbium-x"]
)
def test_package_names_stay_lowercase(text: str) -> None:
    assert correct(RULES, text, language="en").text == text


@pytest.mark.parametrize(
    ("text", "right"),
    [("zorbium-based", "Zorbium-based"), ("zorbium’s", "Zorbium’s"), ("- zorbium", "- Zorbium")],
)
def test_a_name_in_an_english_compound_is_corrected(text: str, right: str) -> None:
    assert correct(RULES, text, language="en").text == right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("web3-zorbum", "web3-zorbum"),
        ("non-zorbum chains", "non-Zorbium chains"),
        ("web3-Zorbum", "web3-Zorbium"),
        ("zorbum-based", "Zorbium-based"),
    ],
)
def test_a_wrong_form_behind_a_hyphen_in_small_letters_is_part_of_a_package_name(
    text: str, right: str
) -> None:
    assert correct(RULES, text, language="en").text == right


def test_an_identifier_is_all_lowercase() -> None:
    assert is_in_identifier("go-zorbium", 3, 10)
    assert not is_in_identifier("Go-Zorbium", 3, 10)
