"""Sentences that only the title of their article makes clear."""

import pytest

from backend.entities.model import Language
from backend.topics.feeds.anaphora import (
    build_title_clause,
    has_unclear_opening,
    has_unclear_words,
    loses_turn,
)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The companies urged the regulator to wait."),
        ("en", "Both US regulators are short of members."),
        ("en", "The redesigned app will use AI to propose trades."),
        ("en", "They agreed to lend $40 million."),
        ("ja", "同社は出金を再開した。"),
        ("ja", "両社は契約に署名した。"),
        ("zh", "该公司已恢复提款。"),
        ("zh", "上述三家银行签署了协议。"),
        ("zh", "平台表示将赔偿用户。"),
    ],
)
def test_an_opening_without_a_name_is_unclear(language: Language, sentence: str) -> None:
    assert has_unclear_opening(sentence, language)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The exchange Northwind lost $90 million."),
        ("en", "The price of ether fell."),
        ("en", "The 12 banks agreed to wait."),
        ("en", "The crypto market lost a tenth of its value."),
        ("en", "The UK government plans a tax on tokens."),
        ("en", "Quillport said that the regulator agreed."),
        ("ja", "同意した投資家は100人に上る。"),
        ("ja", "取引所ノースウィンドは出金を再開した。"),
        ("zh", "北风交易所表示将赔偿用户。"),
    ],
)
def test_an_opening_that_names_its_subject_is_clear(language: Language, sentence: str) -> None:
    assert not has_unclear_opening(sentence, language)


def test_words_inside_a_sentence_are_unclear_unless_it_introduces_them() -> None:
    assert has_unclear_words("Quillport says that nobody lost money in the incident.", "en")
    assert not has_unclear_words("Quillport had an incident, and the incident is over.", "en")
    assert not has_unclear_words("Quillport praised the launch of its own chain.", "en")


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "Why Quillport left the market for good"),
        ("en", "Can Quillport hold its ground this year?"),
        ("en", "Weekly notes: a bank buys tokens again"),
        ("en", "Quillport under fire"),
        ("ja", "クイルポートとは何か？"),
        ("zh", "一文读懂奎尔港的新规则"),
    ],
)
def test_a_title_that_is_no_sentence_stands_before_none(language: Language, title: str) -> None:
    assert build_title_clause(title, language) == ""


def test_a_title_is_quoted_word_for_word() -> None:
    assert build_title_clause("Quillport pays back 40 million", "en") == "Quillport pays back 40 million."
    assert build_title_clause("ノースウィンド、出金を再開へ", "ja") == "ノースウィンド、出金を再開へ。"


def test_a_turn_is_told_by_any_word_for_it() -> None:
    title = "Court overturns fine against Quillport"
    assert loses_turn(title, ["Quillport had been fined $4 million."], "en")
    assert not loses_turn(title, ["A court struck down the fine of $4 million."], "en")
    assert not loses_turn("Quillport drops 5% in a day", ["Quillport trades lower."], "en")
