"""Tests that each spelling of a name gives the same entity, in three languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.engine import RuleSet
from backend.articles.rules import rules_loader
from backend.extraction.mentions import build_entity_results, find_mentions, list_entities


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return rules_loader.load_shipped().rules


def list_names(rules: RuleSet, text: str) -> list[tuple[str, str]]:
    return [(entity.entity_id, entity.name) for entity in list_entities(rules, [text])]


@pytest.mark.parametrize(
    ("text", "entity", "name"),
    [
        ("Ethereum rose.", "ethereum", "Ethereum"),
        ("イーサリアムは上昇した。", "ethereum", "イーサリアム"),
        ("以太坊价格上涨。", "ethereum", "以太坊"),
        ("Analysts bought ETH and sold.", "ethereum", "ETH"),
        ("They hold $ETH.", "ethereum", "$ETH"),
        ("Etherium rose.", "ethereum", "Etherium"),
        ("Ｅｔｈｅｒｅｕｍ rose.", "ethereum", "Ｅｔｈｅｒｅｕｍ"),
        ("米証券取引委員会（SEC）は承認した。", "sec", "米証券取引委員会"),
        ("韩国交易所宣布上市新的基金。", "krx", "韩国交易所"),
    ],
)
def test_every_spelling_resolves_to_one_entity(rules: RuleSet, text: str, entity: str, name: str) -> None:
    assert (entity, name.removeprefix("$")) in [(e, n.removeprefix("$")) for e, n in list_names(rules, text)]


@pytest.mark.parametrize(
    "text",
    [
        "See https://ethereum.org/en/ and mail bitcoin@example.com or @coinbase.",
        "The base of the mountain is near the compound.",
        "カリフォルニアのブロックチェーン",
        "```\nbitcoin-cli\n```",
        "",
        "DeFi and NFT are words of the field.",
        "这家韩国交易所用自有资金补上了损失。",
        "韓国の取引所が損失を補った。",
    ],
)
def test_text_that_is_not_a_name_gives_no_entity(rules: RuleSet, text: str) -> None:
    assert list_names(rules, text) == []


def test_each_entity_is_listed_once_with_its_first_name_in_order(rules: RuleSet) -> None:
    text = "ビットコイン (BTC) and Ethereum; Bitcoin again, 以太坊 too."
    assert list_names(rules, text) == [("bitcoin", "ビットコイン"), ("ethereum", "Ethereum")]


def test_several_texts_are_read_in_sequence(rules: RuleSet) -> None:
    assert [entity.name for entity in list_entities(rules, ["Coinbase", "Bitcoin and Coinbase"])] == [
        "Coinbase",
        "Bitcoin",
    ]


def test_an_entity_result_has_english_name_type_domains_and_accounts(rules: RuleSet) -> None:
    assert build_entity_results(rules, list_entities(rules, ["コインベース"])) == [
        {
            "name": "コインベース",
            "canonical_name": "Coinbase",
            "type": "exchange",
            "official_domains": list(rules.entities["coinbase"].official_domains),
            "official_x_accounts": list(rules.entities["coinbase"].official_x_accounts),
        }
    ]


@given(st.text(alphabet="Bitcoin ETH$以太坊イーサ.,@/#`\n\u200b", max_size=80))
def test_every_mention_matches_the_text_at_its_offsets(text: str) -> None:
    previous_end = 0
    for mention in find_mentions(rules_loader.load_shipped().rules, text):
        assert previous_end <= mention.start < mention.end
        assert text[mention.start : mention.end] == mention.text
        previous_end = mention.end
