"""Names that one article writes in several right ways."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.engine import apply, scan
from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.schemas import Article
from tests.backend.articles.packs import entity, pack

PARTS = [
    entity("Foochain", names={"en": "Foochain", "ja": "フーチェーン", "zh": "福链"}, also={"zh": ["福鏈"]}),
    entity("Mt. Foo", id="mt-foo", also={"en": ["Mt.Foo"]}),
    entity("Newcoin", names={"en": "Newcoin", "ja": "ニューコイン"}, former=[{"name": "Oldcoin"}]),
    entity(
        "Boris Vu", names={"en": "Boris Vu", "ja": "ヴォリス・ヴー"}, also={"ja": ["ボリス・ブー", "ボリス"]}
    ),
    entity(
        "green paper",
        type="term",
        case="any",
        also={"en": ["green-paper", "green papers", "greenpaper", "greenpapers"]},
        names={"en": "green paper", "ja": "緑紙", "zh": "绿皮书"},
    ),
    entity("Dollar X", names={"en": "DLRX"}, also={"en": ["Dollar X"]}, alternatives=[["DLRX", "Dollar X"]]),
]
RULES = compile_rules([pack(*PARTS)])


def findings(text: str, rules: RuleSet = RULES, **fields: Any) -> list[tuple[str, str]]:
    result = scan(rules, Article.model_validate({"content": text, **fields}))
    return [
        (one["original_text"], one["corrected_text"])
        for one in result["corrections"]
        if one["rule_id"] == "consistency"
    ]


@pytest.mark.parametrize(
    ("text", "form", "majority"),
    [
        ("Mt. Foo fell. Mt. Foo rose. Mt.Foo slept.", "Mt.Foo", "Mt. Foo"),
        ("A green paper, a green paper and the greenpapers", "greenpapers", "green papers"),
        ("DLRX rose, DLRX fell, Dollar X slept.", "Dollar X", "DLRX"),
        ("Newcoin rose. Newcoin fell. Oldcoin slept.", "Oldcoin", "Newcoin"),
        (
            "ヴォリス・ヴーは話し、ヴォリス・ヴーは黙り、ボリス・ブーは寝た。",
            "ボリス・ブー",
            "ヴォリス・ヴー",
        ),
        ("フーチェーンは上がり、フーチェーンは下がり、Foochainは寝た。", "Foochain", "フーチェーン"),
        ("福链上涨，福链下跌，福鏈不变。", "福鏈", "福链"),
    ],
)
def test_the_form_that_occurs_less_is_reported(text: str, form: str, majority: str) -> None:
    assert findings(text) == [(form, majority)]


@pytest.mark.parametrize(
    "text",
    [
        "Mt. Foo fell. Mt.Foo rose.",  # none is more frequent
        "A green paper, a green paper, some green papers and the green-paper process",
        "フーチェーン（Foochain）は上がり、フーチェーンは下がった。",
        "福链的英文名是Foochain，福链上涨。",
        "フーチェーンとフーチェーンと「Foochain」",
        "フーチェーンとフーチェーン。Foochain Labsの発表。",
        "ヴォリス・ヴーとヴォリス・ヴー。ボリスは寝た。",
        "Newcoin rose. Newcoin, formerly Oldcoin, fell.",
        "In 2019 Oldcoin was small. Newcoin rose. Newcoin fell.",
        "Foochain rose. Foochain fell. フーチェーン slept.",
    ],
)
def test_a_form_that_is_meant_is_not_reported(text: str) -> None:
    assert findings(text) == []


def test_the_reason_has_both_counts_in_three_languages() -> None:
    article = Article(content="Mt. Foo fell. Mt. Foo rose. Mt.Foo slept.")
    (violation,) = scan(RULES, article)["violations"]
    assert violation["entity_id"] == "mt-foo"
    assert violation["violation_type"] == "inconsistent"
    assert violation["reasons"] == {
        "en": "This article has “Mt. Foo” twice and “Mt.Foo” once.",
        "ja": "この記事では「Mt. Foo」が2回、「Mt.Foo」が1回使われています。",
        "zh": "本文中“Mt. Foo”出现2次，“Mt.Foo”出现1次。",
    }


def test_the_reason_counts_every_place_that_a_reader_sees() -> None:
    article = Article(content='Mt. Foo fell. Mt. Foo rose. Mt.Foo slept, and "Mt. Foo" woke.')
    (violation,) = scan(RULES, article)["violations"]
    assert violation.get("reasons", {})["en"] == "This article has “Mt. Foo” 3 times and “Mt.Foo” once."


def test_all_fields_count_together() -> None:
    assert findings("Mt.Foo slept.", title="Mt. Foo fell", summary="Mt. Foo rose.") == [("Mt.Foo", "Mt. Foo")]


def test_authors_and_packs_can_switch_it_off() -> None:
    text = "Mt. Foo fell. Mt. Foo rose. Mt.Foo slept."
    assert findings(text, accept=["Mt.Foo"]) == []
    assert findings(f"<!-- chainproof-disable consistency -->{text}") == []
    assert findings(text, compile_rules([pack(*PARTS), pack(disable=["consistency"])])) == []


@given(
    st.lists(
        st.sampled_from(["Mt. Foo ", "Mt.Foo ", "mt. foo ", "フーチェーン ", "Foochain ", "\n\n"]),
        max_size=12,
    )
)
def test_it_changes_no_correction_that_is_made_unasked(parts: list[str]) -> None:
    article = Article(content="".join(parts), language="ja")
    without = compile_rules([pack(*PARTS), pack(disable=["consistency"])])
    assert apply(RULES, article)["corrected_article"] == apply(without, article)["corrected_article"]


def test_a_network_in_latin_letters_among_kana_asks_and_a_unit_in_kana_among_latin_letters_does_not() -> None:
    rules = compile_rules([pack(entity("bitfoo", case="any", names={"en": "bitfoo", "ja": "ビットフー"}))])
    kana = "ビットフーが増えた。ビットフーを持つ。Bitfooは上昇した。"
    latin = "Bitfooの規則は古い。Bitfooの開発者が、ビットフーを受け取る。"
    assert findings(kana, rules, language="ja") == [("Bitfoo", "ビットフー")]
    assert findings(latin, rules, language="ja") == []


def test_chinese_names_that_write_the_same_sounds_are_one_name() -> None:
    ether = entity("Ethereum", names={"en": "Ethereum", "zh": "以太坊"}, also={"zh": ["乙太坊", "以太币"]})
    rules = compile_rules([pack(ether)])
    text = "以太坊上涨，以太坊的费用下降。乙太坊开发者在开会，以太币持平。"
    assert findings(text, rules, language="zh") == [("乙太坊", "以太坊")]
