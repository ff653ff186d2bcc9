"""Tests that persons are found by a part of their name if the text makes clear who is meant."""

from itertools import pairwise

import pytest

from backend.articles.engine import RuleSet
from backend.articles.matching.rule_set import compile_rules
from backend.extraction.mentions import find_mentions
from tests.backend.articles.packs import entity, pack

RULES = compile_rules(
    [
        pack(
            entity("Anna Quorvig", type="person", names={"en": "Anna Quorvig", "ja": "アンナ・クォーヴィグ"}),
            entity("Bert Quorvig", type="person", names={"en": "Bert Quorvig", "ja": "バート・クォーヴィグ"}),
            entity(
                "Carl Zembla",
                type="person",
                names={"en": "Carl Zembla", "ja": "カール・ゼンブラ", "zh": "卡尔·岑布拉"},
            ),
            entity("Dora Smith", type="person"),
            entity("Emil Solo", type="person", also={"en": ["Solo"]}),
            entity("Taro Tanimura", type="person", names={"en": "Taro Tanimura", "ja": "谷村太郎"}),
            entity("Coinfirm", type="exchange"),
        )
    ]
)


def find_entities(text: str, rules: RuleSet = RULES) -> list[tuple[str, str]]:
    return [(mention.text, mention.entity_id) for mention in find_mentions(rules, text)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Anna and Bert Quorvig founded it.", ("Anna", "anna-quorvig")),
        ("アンナとバート・クォーヴィグの姉弟が来た。", ("アンナ", "anna-quorvig")),
    ],
)
def test_a_given_name_before_a_relative_of_the_same_family_is_a_person(
    text: str, first: tuple[str, str]
) -> None:
    assert find_entities(text)[0] == first
    assert len(find_entities(text)) == 2


def test_a_given_name_before_somebody_else_is_nobody() -> None:
    assert [text for text, _ in find_entities("Anna and Carl Zembla founded it.")] == ["Carl Zembla"]


def test_a_family_name_counts_after_the_full_name() -> None:
    text = "Dora Smith spoke. Later Smith said more, but John Smith and Smith Street did not."
    assert find_entities(text) == [("Dora Smith", "dora-smith"), ("Smith", "dora-smith")]


@pytest.mark.parametrize(
    "text",
    [
        "Judge Zembla met Coinfirm.",
        "Zembla said Coinfirm will close.",
        "Coinfirmのゼンブラ会長が語った。",
        "Coinfirm的岑布拉表示反对。",
        "Coinfirmの谷村副社長が語った。",
    ],
)
def test_a_titled_family_name_near_another_name_counts(text: str) -> None:
    assert len(find_entities(text)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Judge Zembla met nobody.",  # no other name stands near
        "Judge Quorvig met Coinfirm.",  # two persons bear it
        "Judge Smith met Coinfirm.",  # too many people bear it
        "Zembla County met Coinfirm.",
        "Coinfirmのゼンブラの丘で会った。",
        "Coinfirm见 https://zembla.example/Zembla 。",
    ],
)
def test_a_family_name_alone_is_nobody(text: str) -> None:
    assert all(name == "Coinfirm" for name, _ in find_entities(text))


def test_a_long_katakana_family_name_with_a_title_needs_no_other_name() -> None:
    names = {"en": "Fay Ostwick", "ja": "フェイ・オストウィック"}
    rules = compile_rules([pack(entity("Fay Ostwick", type="person", names=names))])
    assert find_entities("オストウィック氏は来た。", rules) == [("オストウィック", "fay-ostwick")]
    assert find_entities("オストウィックの丘は高い。", rules) == []


def test_an_official_bears_the_title_of_an_office() -> None:
    founder = entity("Gus Tarnow", type="person", evidence=True)
    official = entity("Hal Tarnow", type="person")
    rules = compile_rules([pack(founder, official, entity("Coinfirm", type="exchange"))])
    assert find_entities("Commissioner Tarnow met Coinfirm.", rules)[0] == ("Tarnow", "hal-tarnow")


def test_a_family_name_of_the_catalogue_in_another_full_name_is_nobody() -> None:
    assert find_entities("But Solo said no.") == [("Solo", "emil-solo")]
    assert find_entities("Marvin Solo said no.") == []


def test_mentions_stay_in_order_without_overlaps() -> None:
    text = "Zembla said Coinfirm fell, and Carl Zembla left; Zembla's lawyers agreed."
    spans = [(mention.start, mention.end) for mention in find_mentions(RULES, text)]
    assert spans == sorted(spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
