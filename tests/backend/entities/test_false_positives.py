"""Tests that texts about other subjects contain few entities, and none by an ordinary word."""

import pytest

from backend.articles.engine import RuleSet, compile_rules, mentions
from backend.articles.rules.pack_loader import default_files, read_packs
from backend.entities.model import Entity


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return compile_rules([file.pack for file in read_packs(default_files())])


@pytest.mark.parametrize(
    "text",
    [
        "Microsoft Office の文書では、ブロックごとに Base の表をグレースケールで印刷できます。",
        "APT と BTS については Google で検索し、RGB の値とストライプの幅を指定してください。",
        "秘密鍵と公開鍵を生成して APT の設定に加え、ハッシュ値を確かめます。",
        "セシウムの半減期は30年で、スイ素やダッシュ記号とは関係がありません。",
        "ether は有機溶媒である。una corda とコルダは弱音ペダルを指す。",
        "Copy the private key to the Base system, run make near the Beam directory and read the DEP list.",
        "The package cme needs dbs; eu and nem are names of its options. The ordinal is a Symbol of Harmony.",
        "The Federal Reserve and Reuters met near the Circle, where a Block of the Graph was painted.",
        "微软的 Base 组件可以打印灰度图像，私钥保存在 APT 的目录里，哈希值会自动计算。",
    ],
)
def test_ordinary_words_in_other_texts_are_not_names(rules: RuleSet, text: str) -> None:
    general = {"microsoft", "google", "federal-reserve", "reuters"}
    entity_ids = {key for _, _, key in mentions(rules, text) if rules.entities[key].type != "term"}
    assert entity_ids <= general


def test_one_coin_on_a_page_gives_no_context_to_distant_words(rules: RuleSet) -> None:
    page = "Bitcoin is named once. " + "The page goes on about printing. " * 20 + "Block and Circle follow."
    assert [key for _, _, key in mentions(rules, page)] == ["bitcoin"]
    near = "Bitcoin is named once. Block and Circle follow."
    assert [key for _, _, key in mentions(rules, near)] == ["bitcoin", "block-inc", "circle"]


@pytest.mark.parametrize(
    ("changes", "tells"),
    [
        ({"type": "asset"}, True),
        ({"type": "term", "evidence": False}, False),
        ({"type": "company"}, False),
        ({"type": "company", "evidence": True}, True),
        ({"type": "media", "authority": "press"}, False),
        ({"type": "media", "authority": "trade_press"}, True),
        ({"type": "organization", "authority": "official_project"}, True),
        ({"type": "regulator", "authority": "regulator"}, False),
    ],
)
def test_evidence_of_the_field_follows_the_type_or_the_explicit_value(
    changes: dict[str, object], tells: bool
) -> None:
    assert Entity.model_validate({"id": "a", "names": {"en": "A"}, **changes}).is_domain_evidence is tells
