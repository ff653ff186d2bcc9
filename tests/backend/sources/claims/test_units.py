"""Words that number what follows are no names."""

import pytest

from backend.sources.claims.units import is_label


@pytest.mark.parametrize(
    ("text", "word", "label"),
    [
        ("Block 840,000 was mined", "Block", True),
        ("ブロック高84万で迎えた", "ブロック", True),
        ("ブロック84で迎えた", "ブロック", True),
        ("Block bought 4,709 BTC", "Block", False),
        ("Coinbase 2024", "Coinbase", False),
    ],
)
def test_a_word_before_its_number_is_a_label(text: str, word: str, label: bool) -> None:
    at = text.index(word)
    assert is_label(text, at, at + len(word)) is label
