"""Ranks: the second to do it, against the first."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison import ranks
from tests.backend.sources.evidence import claim

FIRST = claim("Bitcoin becomes legal tender. No other country did it before: it was the first.")


def test_a_later_rank_differs_from_the_first() -> None:
    difference = ranks.find_difference(claim("It was the second country to do so."), FIRST)
    assert difference is not None
    assert (difference.slot, difference.claimed) == ("figure", "second")


@pytest.mark.parametrize(
    "text",
    [
        "It was the first country to do so, before a second one.",
        "It announced this on the 9th.",
        "It did so in the second quarter.",
    ],
)
def test_a_first_and_a_day_do_not_differ(text: str) -> None:
    assert ranks.find_difference(claim(text), FIRST) is None


@pytest.mark.parametrize(
    ("statement", "record", "language"),
    [
        ("It was the third upgrade of the year.", "The fifth upgrade activates.", "en"),
        ("今回のアップグレードは3回目。", "5回目のアップグレードが完了した。", "ja"),
        ("这是该链的第3次升级。", "该链完成第5次升级。", "zh"),
    ],
)
def test_another_rank_of_the_same_thing_differs(statement: str, record: str, language: Language) -> None:
    assert ranks.find_difference(claim(statement, language), claim(record, language)) is not None
    assert ranks.find_difference(claim(record, language), claim(record, language)) is None


def test_ranks_of_different_things_do_not_differ() -> None:
    passage = claim("The fifth upgrade activates.")
    assert ranks.find_difference(claim("It was the third hearing."), passage) is None


@pytest.mark.parametrize(
    ("statement", "record", "language"),
    [
        ("同局にとって5件目の処分だった。", "同局初の処分。", "ja"),
        ("採用した2カ国目となった。", "採用した初の国。", "ja"),
        ("这是该局的第5项处罚。", "这是该局首次处罚。", "zh"),
    ],
)
def test_ranks_with_any_counter_differ_from_the_first(
    statement: str, record: str, language: Language
) -> None:
    assert ranks.find_difference(claim(statement, language), claim(record, language)) is not None
