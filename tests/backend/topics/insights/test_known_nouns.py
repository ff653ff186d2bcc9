"""Tests when a noun that stands for a name means one thing that the reader has read."""

import pytest

from backend.entities.model import Language
from backend.topics.insights.known_nouns import names_known_noun


@pytest.mark.parametrize(
    ("language", "printed", "sentence", "is_known"),
    [
        ("zh", "奥林协议遭到攻击。奥林协议周一发布公告。", "该协议损失300万美元。", True),
        ("zh", "奥林代币和红隼代币周一下跌。", "该代币上涨10%。", False),
        ("zh", "奥林周一遭到攻击。", "该协议损失300万美元。", False),
        ("ja", "オリンが検証機能を公開した。", "同機能は無料で使える。", True),
        ("ja", "オリンの検証機能とケストレルの送金機能を公開した。", "同機能は停止した。", False),
        ("ja", "オリンの社長が辞任した。", "同社長は述べた。", False),
    ],
)
def test_a_noun_of_two_names_or_of_none_means_nothing_known(
    language: Language, printed: str, sentence: str, is_known: bool
) -> None:
    assert names_known_noun(sentence, [], printed, language) == is_known
