"""Tests that a name inside another word is not found."""

import pytest
from pydantic import ValidationError

from backend.articles.engine import correct, scan
from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.model import Pack
from backend.articles.rules.pack_loader import default_files, read_packs
from backend.articles.schemas import Article
from backend.entities.model import Entity, Language


@pytest.fixture(scope="module")
def packs() -> list[Pack]:
    return [file.pack for file in read_packs(default_files())]


@pytest.fixture(scope="module")
def rules(packs: list[Pack]) -> RuleSet:
    return compile_rules(packs)


def find_entity_ids(rules: RuleSet, text: str, language: Language) -> set[str]:
    return {match["entity_id"] for match in scan(rules, Article(content=text, language=language))["matches"]}


@pytest.mark.parametrize(
    ("language", "text", "entity"),
    [
        ("zh", "人民币安全吗？", "binance"),
        ("zh", "货币安排正在讨论。", "binance"),
        ("zh", "一路透露出消息。", "reuters"),
        ("zh", "搜索尼日利亚的新闻。", "sony"),
        ("zh", "多元宇宙是电影题材。", "metaverse"),
        ("zh", "产业链上下游企业。", "on-chain"),
        ("zh", "他在航空投资领域工作。", "airdrop"),
        ("zh", "这座城市值得一去。", "market-cap"),
        ("zh", "規律動作", "blockbeats"),
        ("ja", "データマイニングの手法を学ぶ。", "mining"),
        ("ja", "今日銀座で会う。", "boj"),
        ("ja", "暗号資産のパラダイムシフトが起きた。", "paradigm"),
        ("ja", "暗号資産とバンガードナー社。", "vanguard"),
        ("ja", "暗号資産のブロックが生成された。", "block-inc"),
        ("ja", "暗号資産に強い米ブロックチェーン企業。", "block-inc"),
        ("ja", "暗号資産とパラダイムシフター。", "paradigm"),
    ],
)
def test_part_of_another_word_is_not_a_name(
    rules: RuleSet, language: Language, text: str, entity: str
) -> None:
    assert entity not in find_entity_ids(rules, text, language)


@pytest.mark.parametrize(
    ("language", "text", "entity"),
    [
        ("zh", "币安全球用户突破三亿。", "binance"),
        ("zh", "人民币与币安都在此列。", "binance"),
        ("zh", "路透消息称价格上涨。", "reuters"),
        ("zh", "元宇宙项目获得融资。", "metaverse"),
        ("zh", "比特币链上数据。", "on-chain"),
        ("zh", "项目方将空投代币。", "airdrop"),
        ("ja", "ビットコインのマイニングを始めた。", "mining"),
        ("ja", "日銀は金利を据え置いた。", "boj"),
        ("ja", "米ブロックは暗号資産を買い増した。", "block-inc"),
        ("ja", "暗号資産企業に投資するパラダイムは、", "paradigm"),
    ],
)
def test_a_separate_word_is_a_name(rules: RuleSet, language: Language, text: str, entity: str) -> None:
    assert entity in find_entity_ids(rules, text, language)


def test_an_ordinary_katakana_word_counts_alone_regardless_of_length() -> None:
    entities = [
        {"id": "zorb", "type": "asset", "names": {"ja": "ゾルビング"}, "context": True},
        {"id": "fink", "type": "asset", "names": {"ja": "フィンカル"}},
    ]
    pack = Pack.model_validate({"version": 1, "entities": entities, "context_words": {"ja": ["通貨"]}})
    rules = compile_rules([pack])
    assert find_entity_ids(rules, "通貨のゾルビングとフィンカル", "ja") == {"zorb", "fink"}
    assert find_entity_ids(rules, "通貨のゾルビングボードとフィンカルズ", "ja") == {"fink"}


def test_a_condition_also_applies_to_wrong_forms() -> None:
    entity = Entity.model_validate(
        {
            "id": "zorb",
            "type": "asset",
            "names": {"en": "Zorb"},
            "former": [{"name": "Oldzorb"}],
            "conditions": [
                {"name": "Zorb", "not_before": [" cake"], "not_after": ["no "]},
                {"name": "Oldzorb", "not_before": [" cake"]},
            ],
        }
    )
    rules = compile_rules([Pack(version=1, entities=(entity,))])
    text = "ZORb, ZORb cake, no ZORb, Oldzorb cake."
    corrected = correct(rules, text, language="en")
    assert corrected.text == "Zorb, ZORb cake, no ZORb, Oldzorb cake."
    assert len(corrected.violations) == 1


def test_a_condition_on_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValidationError, match="'Zork', which is not one of its names"):
        Entity.model_validate(
            {"id": "zorb", "type": "asset", "names": {"en": "Zorb"}, "conditions": [{"name": "Zork"}]}
        )
