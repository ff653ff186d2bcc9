"""The language of an entry: the feed's, unless its script shows another one."""

import pytest

from backend.entities.model import Language
from backend.topics.feeds.entry_analysis import detect_language
from backend.topics.feeds.parsing import Entry


@pytest.mark.parametrize(
    ("title", "text", "feed", "meant"),
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
    title: str, text: str, feed: Language, meant: Language
) -> None:
    assert detect_language(Entry("g", "https://a.example/", title, text, None, None, False), feed) == meant
