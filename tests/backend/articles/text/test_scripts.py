"""A correction stays in the script of the slip."""

import pytest

from backend.articles.engine import compile_rules, correct
from backend.articles.text.scripts import Script, choose_same_script, script_of
from backend.entities.model import Language
from tests.backend.articles.packs import entity, pack, rule

NAMES = {"en": "Zorbium", "ja": "ゾービアム", "zh": "佐比币"}


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Zorbium 2", "latin"),
        ("Ｚｏｒｂ", "latin"),
        ("ゾービ・アム", "kana"),
        ("ぞーび", "kana"),
        ("佐比", "han"),
        ("佐比Zorb", None),
        ("2.0", None),
    ],
)
def test_the_script_of_a_name_is_that_of_all_its_letters(text: str, script: Script | None) -> None:
    assert script_of(text) == script


@pytest.mark.parametrize(
    ("text", "language", "right"),
    [
        ("Zorbum（Zorbum）", "ja", "Zorbium（Zorbium）"),
        ("ゾビアムはZorbumのこと", "ja", "ゾービアムはZorbiumのこと"),
        ("Zorbum上涨，佐匕币下跌", "zh", "Zorbium上涨，佐比币下跌"),
        ("ゾビアム (佐匕币)", "en", "ゾービアム (佐比币)"),
    ],
)
def test_a_slip_is_corrected_in_its_own_script(text: str, language: Language, right: str) -> None:
    slips = rule(["Zorbum", "ゾビアム", "佐匕币"], entity="zorbium")
    rules = compile_rules([pack(entity("Zorbium", names=NAMES), slips)])
    assert correct(rules, text, language=language).text == right


def test_a_name_in_another_script_needs_approval() -> None:
    slips = rule(["Zorbum"], entity="zorbium")
    rules = compile_rules([pack(entity("Zorbium", names={"zh": "佐比币"}), slips)])
    found = correct(rules, "Zorbum上涨", language="zh")
    assert found.text == "佐比币上涨"
    assert [correction["requires_approval"] for correction in found.corrections] == [True]


def test_a_rule_may_ask_for_another_script_by_a_suggestion() -> None:
    rules = compile_rules([pack(rule(["user"], suggest="ユーザー"))])
    assert correct(rules, "userです", language="ja").text == "ユーザーです"


def test_a_rule_that_forbids_a_correct_name_in_its_script_keeps_the_name_of_the_language() -> None:
    style = rule(["Zorbium"], entity="zorbium", type="wrong_script", languages=["ja"])
    rules = compile_rules([pack(entity("Zorbium", names=NAMES), style)])
    assert correct(rules, "Zorbiumが上昇", language="ja").text == "ゾービアムが上昇"


def test_other_names_count_only_if_the_slip_resembles_them() -> None:
    others = ["ビルドアンド", "ゾービコイン"]
    assert choose_same_script("ゾビコイン", "ZRB", ["ZRB"], others) == ("ゾービコイン", True)
    assert choose_same_script("カクレクマノミ", "ZRB", ["ZRB"], others) == ("ZRB", False)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("投資者買入佐匕币，並看好發展", "投資者買入佐比幣，並看好發展"),
        ("投资者买入佐匕币，并看好发展", "投资者买入佐比币，并看好发展"),
    ],
)
def test_a_slip_is_corrected_in_the_chinese_script_of_its_article(text: str, right: str) -> None:
    slips = rule(["佐匕币"], entity="zorbium")
    for also in ({}, {"zh": ["佐比幣"]}):
        rules = compile_rules([pack(entity("Zorbium", names=NAMES, also=also), slips)])
        assert correct(rules, text, language="zh").text == right


def test_a_text_that_a_rule_suggests_stays_in_its_chinese_script() -> None:
    rules = compile_rules([pack(rule(["加蜜"], suggest="加密货币"))])
    assert correct(rules, "買賣加蜜並發行", language="zh").text == "買賣加密货币並發行"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("two Zorbums fell", "two Zorbiums fell"),
        ("Zorbums和", "Zorbiums和"),
        ("Zorbumses", "Zorbumses"),
    ],
)
def test_a_wrong_form_counts_in_the_plural(text: str, right: str) -> None:
    rules = compile_rules([pack(entity("Zorbium"), rule(["Zorbum"], entity="zorbium"))])
    assert correct(rules, text, language="en").text == right


def test_a_plural_that_another_rule_lists_is_left_to_that_rule() -> None:
    listed = rule(["Zorbums"], id="plural", suggest=["Zorbia", "Zorbiums"], type="ambiguous", auto_fix=False)
    rules = compile_rules([pack(entity("Zorbium"), rule(["Zorbum"], entity="zorbium"), listed)])
    assert correct(rules, "Zorbums", language="en").corrections == []
