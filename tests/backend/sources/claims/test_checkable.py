"""What states something, and what only asks, hopes, foretells or names."""

import pytest

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims.checkable import is_checkable
from backend.sources.claims.claim_parser import parse_claim
from tests.backend.sources.evidence import claim


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Is Bitcoin good?", "en"),
        ("is Bitcoin a security", "en"),
        ("Did the SEC approve spot bitcoin ETFs in January 2024?", "en"),
        ("What happened to Mt. Gox in February 2014", "en"),
        ("Bitcoin Bitcoin Bitcoin", "en"),
        ("Bitcoin", "en"),
        ("I think Ethereum will go to $10,000.", "en"),
        ("Ethereum will reach $10,000 by 2030.", "en"),
        ("Bitcoin is the best.", "en"),
        ("Bitcoin to the moon!", "en"),
        ("ビットコインは良いですか", "ja"),
        ("ビットコインは1000万円になると思う。", "ja"),
        ("比特币会涨到100万美元。", "zh"),
        ("SEC批准了现货ETF吗", "zh"),
    ],
)
def test_a_text_without_a_factual_claim_is_not_checkable(text: str, language: Language) -> None:
    assert not is_checkable(claim(text, language))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The SEC approved spot bitcoin ETFs in January 2024.", "en"),
        ("The reward of Bitcoin will fall to 3.125 BTC.", "en"),
        ("Poly Network returned to the moon village market.", "en"),
        ("The exchange said that users should withdraw by May 2020.", "en"),
        ("ビットコインは法定通貨になる。", "ja"),
        ("比特币成为法定货币。", "zh"),
    ],
)
def test_a_statement_can_be_checked(text: str, language: Language) -> None:
    assert is_checkable(claim(text, language))


def test_a_name_that_begins_like_a_question_word_does_not_make_a_question() -> None:
    text = "Do Kwon was sentenced in 2025."
    assert is_checkable(parse_claim(text, "en", [Mention("do-kwon", 0, 7, "Do Kwon")]))
    assert not is_checkable(parse_claim("Do courts sentence in 2025", "en"))
