"""Parties and outcomes that a claim exchanges between its clauses."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison.exchanged_clauses import find_difference
from tests.backend.sources.evidence import claim

RECORDS: dict[Language, str] = {
    "en": "Coinbase offered margin loans, while Kraken offered prepaid cards.",
    "ja": "古い端末の利用者は更新を受け入れ、新しい店舗は拒んだ。",
    "zh": "法院认为，平台代币不属于证券，而债权凭证属于证券。",
}


@pytest.mark.parametrize(
    ("statement", "language"),
    [
        ("Kraken offered margin loans, while Coinbase offered prepaid cards.", "en"),
        ("更新を受け入れたのは新しい店舗で、古い端末の利用者は拒んだ。", "ja"),
        ("法院认为，平台代币属于证券，而债权凭证不属于。", "zh"),
    ],
)
def test_exchanged_clauses_differ(statement: str, language: Language) -> None:
    assert find_difference(claim(statement, language), claim(RECORDS[language], language)) is not None


@pytest.mark.parametrize(
    ("statement", "language"),
    [
        ("Kraken offered prepaid cards, and Coinbase margin loans.", "en"),
        ("Coinbase offered margin loans.", "en"),
        ("新しい店舗は更新を拒み、古い端末の利用者は受け入れた。", "ja"),
        ("法院认为债权凭证属于证券，平台代币不属于。", "zh"),
    ],
)
def test_the_same_pairs_in_another_order_do_not_differ(statement: str, language: Language) -> None:
    assert find_difference(claim(statement, language), claim(RECORDS[language], language)) is None
