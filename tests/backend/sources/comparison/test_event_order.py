"""Which of two parties was first."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison.event_order import find_difference
from tests.backend.sources.evidence import claim

RECORD = "Kraken opened its futures a week before Coinbase."


@pytest.mark.parametrize(
    "statement",
    [
        "Kraken opened its futures a week after Coinbase.",
        "Coinbase opened its futures a week before Kraken.",
        "Coinbase came first, with futures of its own.",
    ],
)
def test_another_order_differs(statement: str) -> None:
    assert find_difference(claim(statement), claim(RECORD)) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "Kraken opened its futures ahead of Coinbase.",
        "Coinbase opened its futures a week after Kraken.",
        "Kraken opened its futures before Tesla.",
        "Kraken opened its futures.",
    ],
)
def test_the_same_order_and_an_order_of_others_do_not_differ(statement: str) -> None:
    assert find_difference(claim(statement), claim(RECORD)) is None


@pytest.mark.parametrize(
    ("statement", "record", "language"),
    [
        (
            "ビットフライヤーはコインチェックより1週間早く始めた。",
            "ビットフライヤーはコインチェックの1週間後に始めた。",
            "ja",
        ),
        ("比特币比币安早一周上线。", "比特币在币安之后上线。", "zh"),
        ("币安抢先上线，比特币随后跟进。", "比特币比币安早一周上线。", "zh"),
        (
            "コインチェックが先行し、ビットフライヤーは1週間後に続いた。",
            "ビットフライヤーはコインチェックより1週間早く始めた。",
            "ja",
        ),
    ],
)
def test_the_order_is_read_in_each_language(statement: str, record: str, language: Language) -> None:
    assert find_difference(claim(statement, language), claim(record, language)) is not None
    assert find_difference(claim(record, language), claim(record, language)) is None


@pytest.mark.parametrize("words", ["早了整整一周", "抢先了一周", "提前一周"])
def test_what_came_before_another_is_read_before_the_verb_too(words: str) -> None:
    record = claim("Coinbase推出期货，比Kraken的比特币期货早一周上市。", "zh")
    assert find_difference(claim(f"比Kraken{words}，Coinbase推出比特币期货。", "zh"), record) is None
    assert find_difference(claim(f"比Coinbase{words}，Kraken推出比特币期货。", "zh"), record) is not None
