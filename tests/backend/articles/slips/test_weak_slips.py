"""Slips that an edit alone does not show: another name of the entity or the name's other words do."""

import pytest

from backend.articles.engine import scan
from backend.articles.matching.matched_field import FoundName, MatchedField
from backend.articles.matching.rule_set import compile_rules
from backend.articles.schemas import Article, Violation
from backend.articles.slips.targets import Need
from backend.entities.model import Language
from tests.backend.articles.packs import entity, pack

NAMES = [
    entity("Electora", symbols=["ELR"], names={"en": "Electora", "zh": "航链", "ja": "ドルカ"}),
    entity("Monastic", symbols=["MNX"]),
    entity("Zebix", type="exchange", also={"ja": ["ゼビックス"]}),
    entity("Haven Markets", type="exchange"),
    entity("Karol Stone", type="person", names={"en": "Karol Stone", "ja": "斎藤孝太"}),
    entity("Olga Vernadskaya", type="person"),
    entity("ABC Holdco", type="company", names={"en": "ABC Holdco", "ja": "ABCコンサルト"}),
    entity("Quartzcoin", type="asset", names={"en": "Quartzcoin", "zh": "晶石莱币"}),
    entity("Kepler", names={"en": "Kepler", "zh": "莱晶币"}),
    entity("Ethereum", names={"en": "Ethereum", "ja": "イーサリアム", "zh": "以太坊"}),
]
WORDS = {"en": ["blockchain", "wallet"], "ja": ["暗号資産"], "zh": ["区块链", "加密"]}
RULES = compile_rules([pack(*NAMES, context_words=WORDS)])


def slips(text: str, language: Language = "en") -> list[Violation]:
    result = scan(RULES, Article.model_validate({"content": text, "language": language}))
    return [found for found in result["violations"] if found["violation_type"] == "unlisted_slip"]


def pairs(text: str, language: Language = "en") -> list[tuple[str, str | None]]:
    return [(found["matched_text"], found["suggested_name"]) for found in slips(text, language)]


@pytest.mark.parametrize(
    ("text", "language", "written", "right"),
    [
        ("Validators who work for Monastics get MNX.", "en", None, None),
        ("Validators who secure Monastix earn MNX.", "en", "Monastix", "Monastic"),
        ("Fees that people pay on Electoral go to holders of ELR.", "en", "Electoral", "Electora"),
        ("トルカ（ELR）の価格は上昇した。", "ja", "トルカ", "ドルカ"),
        ("公司与杭链（Electora）合作。", "zh", "杭链", "航链"),
    ],
)
def test_a_word_beside_another_name_of_its_entity_is_a_slip(
    text: str, language: Language, written: str | None, right: str | None
) -> None:
    assert pairs(text, language) == ([(written, right)] if written else [])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Fees that people pay on Electoral go to the builders of the wallet.", "en"),
        ("Fees on electoral coins go to holders of ELR.", "en"),
        ("Electoral coins are not ELR.", "en"),
        ("Electora and the Roman coins that are called Electoral are no ELR.", "en"),
        ("暗号資産のトルカは上昇した。", "ja"),
        ("加密公司与杭链合作。", "zh"),
    ],
)
def test_such_a_word_without_the_other_name_or_a_capital_is_left_alone(text: str, language: Language) -> None:
    assert pairs(text, language) == []


def test_what_another_name_makes_a_slip_is_never_corrected_without_asking() -> None:
    text = "Fees that people pay on Electoral go to holders of ELR."

    assert [found["auto_fixable"] for found in slips(text)] == [False]


@pytest.mark.parametrize("written", ["Zebxi", "Zebbix", "Zebiix"])
def test_a_name_of_five_letters_asks_beside_evidence(written: str) -> None:
    found = slips(f"The blockchain firm moved funds to {written} on Monday.")

    assert [(violation["suggested_name"], violation["auto_fixable"]) for violation in found] == [
        ("Zebix", False)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The garden was sold to Zebxi on Monday.",
        "The blockchain firm moved funds to zebxi on Monday.",
        "The blockchain firm hired Laura Zebxi on Monday.",
        "The blockchain firm moved funds to Zebxi Partners on Monday.",
    ],
)
def test_five_letters_without_evidence_or_within_another_name_are_left_alone(text: str) -> None:
    assert pairs(text) == []


@pytest.mark.parametrize(
    ("text", "language", "written", "right"),
    [
        ("The wallet maker joined Havn Markets on Monday.", "en", "Havn Markets", "Haven Markets"),
        ("The wallet was built by Karol Stones in 2016.", "en", "Karol Stones", "Karol Stone"),
        ("The wallet was built by the Vernadskaja family.", "en", "Vernadskaja", "Vernadskaya"),
        ("暗号資産のABCコンサルトは上場した。", "ja", None, None),
        ("暗号資産のABCコンサルトスは上場した。", "ja", "ABCコンサルトス", "ABCコンサルト"),
        ("暗号資産会社の斎藤考太氏が語った。", "ja", "斎藤考太", "斎藤孝太"),
        ("暗号資産会社の齋藤孝太氏が語った。", "ja", "齋藤孝太", "斎藤孝太"),
    ],
)
def test_the_length_that_counts_is_that_of_the_whole_name(
    text: str, language: Language, written: str | None, right: str | None
) -> None:
    found = slips(text, language)

    assert pairs(text, language) == ([(written, right)] if written else [])
    assert not any(violation["auto_fixable"] for violation in found)


@pytest.mark.parametrize(
    "text",
    [
        "The wallet is for the Karol Stones of this world.",
        "The wallet was built by Maria Vernadskaja in 2016.",
        "The wallet was seen in a havn markets file.",
    ],
)
def test_a_plural_another_given_name_or_small_letters_are_left_alone(text: str) -> None:
    assert pairs(text) == []


def test_a_candidate_that_needs_a_capital_does_not_hide_one_that_needs_none() -> None:
    rules = compile_rules([pack(*NAMES, entity("Vernadskija"), context_words=WORDS)])
    index = rules.slip_index()
    assert index is not None
    candidates = index.find_in_word("vernadskaja", is_katakana=False)
    weakest_first = sorted(candidates, key=lambda candidate: candidate.need is Need.NOTHING)
    index.slips["vernadskaja"] = tuple(weakest_first)

    text = "The blockchain wallet holds vernadskaja tokens."
    found = scan(rules, Article.model_validate({"content": text, "language": "en"}))["violations"]

    assert weakest_first[0].need is not Need.NOTHING
    assert [violation["suggested_name"] for violation in found] == ["Vernadskija"]


def test_the_names_beside_many_slips_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    find_names, reads = MatchedField.find_names, 0

    def count_reads(field: MatchedField, start: int, end: int) -> list[FoundName]:
        nonlocal reads
        reads += 1
        return find_names(field, start, end)

    monkeypatch.setattr(MatchedField, "find_names", count_reads)
    text = "公司与杭链（Electora）合作" * 200

    assert len(slips(text, "zh")) == 200
    assert reads < 100


def test_a_word_over_the_edge_of_a_han_name_explains_little_where_a_word_before_has_its_other_character() -> (
    None
):
    # 出来 is a word, but 推出 has its first character.
    assert pairs("加密公司推出来晶币。", "zh") == [("来晶币", "莱晶币")]


def test_a_word_over_the_edge_of_a_han_name_explains_it_otherwise() -> None:
    assert pairs("加密公司原来晶币。", "zh") == []
