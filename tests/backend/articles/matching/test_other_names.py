"""Corrections that ask because the words around a place make the name of another thing more likely."""

import pytest

from backend.articles.engine import apply, scan
from backend.articles.matching.rule_set import compile_rules
from backend.articles.schemas import Article
from backend.entities.model import Language
from tests.backend.articles.packs import entity, pack, rule

RULES = compile_rules(
    [
        pack(
            entity("Solana", names={"en": "Solana", "ja": "ソラナ", "zh": "索拉纳"}),
            entity("Zhao Min", type="person", names={"en": "Zhao Min", "zh": "赵敏"}),
            rule(["Solona"], entity="solana"),
            rule(["カルダーノ", "ソラーナ"], id="ja", entity="solana", languages=["ja"]),
            rule(["索拉那"], id="zh", entity="solana", languages=["zh"]),
            rule(["赵皿"], id="person", entity="zhao-min", languages=["zh"]),
        )
    ]
)


def unasked(text: str, language: Language = "en") -> list[bool]:
    article = Article.model_validate({"content": text, "language": language})
    return [found["auto_fixable"] for found in scan(RULES, article)["violations"]]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Solona Ventures never bought a token.", "en"),
        ("They sold a coin they called Solona.", "en"),
        ("A shop named “Solona” opened.", "en"),
        ("ソラーナ堂は無関係だと告知した。", "ja"),
        ("新会社はソラーナと名乗る。", "ja"),
        ("カルダーノは賭博師でもあった。", "ja"),
        ("『ソラーナの夜』という同人誌がある。", "ja"),
        ("手机游戏《索拉那》上线。", "zh"),
        ("赵皿表示，基金将拿出一亿元。", "zh"),
    ],
)
def test_where_another_thing_may_be_meant_a_correction_asks(text: str, language: Language) -> None:
    assert unasked(text, language) == [False]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Solona rose.", "en"),
        ("Solona Labs released a client.", "en"),
        ("ソラーナは続伸した。", "ja"),
        ("索拉那上涨。", "zh"),
    ],
)
def test_elsewhere_it_is_made_unasked(text: str, language: Language) -> None:
    assert True in unasked(text, language)


def test_a_question_stays_unanswered_when_corrections_are_applied() -> None:
    assert apply(RULES, Article(content="Solona Ventures fell."))["applied_count"] == 0


def test_a_word_that_the_text_introduces_as_a_family_name_is_no_finding() -> None:
    assert unasked("数学者ジェロラモ・カルダーノは賭博師だった。カルダーノは医師でもある。", "ja") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DAO Maker lost $7 million of tokens.", 0),
        ("启动平台DAO Maker遭到攻击。", 0),
        ("Maker raised its fee on tokens.", 1),
        ("The protocol Maker raised its fee.", 1),
        ("Since Maker raised its fee, tokens fell.", 1),
        ("Meanwhile Maker raised its fee on tokens.", 1),
        ("On Monday Maker raised its fee on tokens.", 1),
        ("Coinbase Delists Maker Tokens", 1),
    ],
)
def test_an_ordinary_word_that_ends_a_longer_name_is_no_finding(text: str, found: int) -> None:
    rules = compile_rules([pack(entity("Sky"), rule(["Maker"], entity="sky"))])
    assert len(scan(rules, Article(content=text))["violations"]) == found
