"""The language of an entry: the feed's, unless its script shows another one."""

import pytest

from backend.entities.model import Language
from backend.topics.feeds.entry_analysis import cut_outlet, detect_language, list_told_lines
from backend.topics.feeds.parsing import Entry


@pytest.mark.parametrize(
    ("title", "text", "feed", "expected"),
    [
        ("金融庁、暗号資産規制案公表", "", "ja", "ja"),
        ("金融庁、暗号資産規制案公表", "", "zh", "zh"),
        ("比特币突破六万美元", "", "zh", "zh"),
        ("比特币突破六万美元", "区块奖励降至" * 20, "ja", "zh"),
        ("ビットコインが上昇した", "", "zh", "ja"),
        ("Bitcoin rises", "The price rose on Monday.", "ja", "en"),
        ("Bitcoin ETF 承認", "Spot Bitcoin ETF", "ja", "ja"),
        ("ビットコインが上昇した", "", "en", "ja"),
        ("比特币突破六万美元", "", "en", "zh"),
        ("64,000", "", "zh", "zh"),
    ],
)
def test_the_script_of_an_entry_overrides_the_feeds_language(
    title: str, text: str, feed: Language, expected: Language
) -> None:
    assert detect_language(Entry("g", "https://a.example/", title, text, None, None, False), feed) == expected


def test_prices_credits_and_trading_pairs_are_no_part_of_what_is_told() -> None:
    text = (
        "Kestrel opened LMF/USDT交易 on Monday.\nBTC$64,201.11\nETH: $1,822.40 (-2.1%)\nFollow us on Google."
    )
    assert list(list_told_lines(text, "en")) == ["Kestrel opened  交易 on Monday."]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Kestrel opens vault - Daily Coin", "Kestrel opens vault"),
        ("Kestrel opens vault | daily coin", "Kestrel opens vault"),
        ("Kestrel opens vault - for Daily Coin", "Kestrel opens vault - for Daily Coin"),
        ("Daily Coin", "Daily Coin"),
        ("Bitcoin falls - again - Daily Coin", "Bitcoin falls - again"),
    ],
)
def test_the_outlet_behind_a_title_is_cut_off(title: str, expected: str) -> None:
    assert cut_outlet(title, "Daily Coin") == expected
