"""Denials of a claim that a passage without a denial cannot bear out."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison.missing_denials import find_missing_denial
from tests.backend.sources.evidence import claim

STATEMENTS: dict[Language, str] = {
    "en": "The exchange did not name its founders.",
    "ja": "取引所は創業者の名を挙げていない。",
    "zh": "检方没有把创始人列为被告。",
}


@pytest.mark.parametrize(
    ("language", "passage"),
    [
        ("en", "The United States unveiled rules for the exchange."),
        ("en", "The exchange ran an unlicensed business."),
        ("ja", "取引所が不正に流用し、必ず報告するとした。"),
        ("ja", "取引所は無登録で営業した。"),
        ("zh", "检方起诉交易所，涉及无牌汇款业务及非法所得。"),
    ],
)
def test_words_that_only_name_something_are_no_denials(language: Language, passage: str) -> None:
    element = find_missing_denial(claim(STATEMENTS[language], language), claim(passage, language))
    assert element is not None
    assert element.kind == "negation"


@pytest.mark.parametrize(
    ("language", "passage"),
    [
        ("en", "The founders were not named."),
        ("ja", "創業者の名は公表されていない。"),
        ("zh", "起诉书未提及创始人。"),
        ("en", "The founders remained unidentified."),
        ("ja", "訴状は創業者を含まず公表された。"),
        ("zh", "检方不同意公布创始人。"),
    ],
)
def test_a_denial_of_the_passage_may_bear_out_that_of_the_claim(language: Language, passage: str) -> None:
    assert find_missing_denial(claim(STATEMENTS[language], language), claim(passage, language)) is None


@pytest.mark.parametrize(
    ("language", "statement", "passage"),
    [
        ("en", "The exchange did not have a licence.", "The exchange ran an unlicensed business."),
        ("ja", "取引所は登録を受けていなかった。", "取引所は無登録で営業した。"),
        ("zh", "交易所没有取得牌照。", "检方起诉交易所，涉及无牌汇款业务。"),
    ],
)
def test_unlicensed_denies_a_licence(language: Language, statement: str, passage: str) -> None:
    assert find_missing_denial(claim(statement, language), claim(passage, language)) is None


def test_a_state_that_went_on_is_a_denial_in_japanese() -> None:
    statement = claim("更新の後も、預けた資金は引き出せないままだった。", "ja")
    assert (
        find_missing_denial(statement, claim("更新により、資金の引き出しが可能になった。", "ja")) is not None
    )


def test_a_vote_of_no_denies_nothing() -> None:
    statement = claim("Twelve members voted no.")
    assert find_missing_denial(statement, claim("The vote was 40 in favour and 12 against.")) is None
