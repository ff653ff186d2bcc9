"""Which of two parties owns, runs or founded the other."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison.affiliations import find_difference
from tests.backend.sources.evidence import claim


@pytest.mark.parametrize(
    ("statement", "record", "language"),
    [
        ("Kraken, the owner of Coinbase, raised money.", "Coinbase's subsidiary Kraken raised money.", "en"),
        ("Coinbase, a unit of Kraken, raised money.", "Kraken, owned by Coinbase, raised money.", "en"),
        ("Coinbase's parent Kraken raised money.", "Kraken, an arm of Coinbase, raised money.", "en"),
        ("コインチェックの親会社Krakenが調達した。", "コインチェック傘下のKrakenが調達した。", "ja"),
        ("Coinbase旗下的Kraken融资。", "Kraken是Coinbase的母公司。", "zh"),
    ],
)
def test_an_owner_told_as_the_owned_party_differs(statement: str, record: str, language: Language) -> None:
    assert find_difference(claim(statement, language), claim(record, language)) is not None


@pytest.mark.parametrize(
    ("statement", "record", "language"),
    [
        ("Coinbase, the owner of Kraken, raised money.", "Coinbase's subsidiary Kraken raised money.", "en"),
        ("Kraken, the owner of Coinbase, raised money.", "Kraken and Coinbase raised money.", "en"),
        ("Kraken, the owner of NinjaTrader, raised money.", "Kraken, a subsidiary of Coinbase.", "en"),
        ("Kraken, the owner of Tesla, raised money.", "Kraken, a subsidiary of Coinbase.", "en"),
        ("Kraken raised money.", "Coinbase's subsidiary Kraken raised money.", "en"),
        ("Krakenの親会社コインチェックが調達した。", "コインチェック傘下のKrakenが調達した。", "ja"),
        ("Kraken旗下的Coinbase融资。", "Kraken是Coinbase的母公司。", "zh"),
    ],
)
def test_the_same_owner_and_a_record_without_one_do_not_differ(
    statement: str, record: str, language: Language
) -> None:
    assert find_difference(claim(statement, language), claim(record, language)) is None


def test_the_words_of_a_difference_keep_all_letters_of_the_names() -> None:
    difference = find_difference(
        claim("Tesla is the parent of Mt. Gox."), claim("Tesla, a unit of Mt. Gox, raised money.")
    )
    assert difference is not None
    assert difference.claimed.startswith("Tesla")
