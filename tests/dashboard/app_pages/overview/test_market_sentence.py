"""The sentence of the market in three languages, with the right plurals."""

from decimal import Decimal
from typing import Any

import pytest

from dashboard.app_pages.overview.market_figures import Breadth, Coin
from dashboard.app_pages.overview.market_sentence import build_market_sentence
from dashboard.i18n import SESSION_KEY


def coin(symbol: str, change: str) -> Coin:
    return Coin(symbol.lower(), symbol, symbol, "", None, Decimal(change), None, None, False, ())


TON, SOL = coin("TON", "-3"), coin("SOL", "2.5")


def write(up: int, down: int, flat: int = 0, unknown: int = 0, **leaders: Any) -> str:
    breadth = Breadth(up, down, flat, unknown, None, ())
    return build_market_sentence(
        breadth, "24h", leaders.get("top_gainer", SOL), leaders.get("top_loser", TON)
    )


def test_the_sentence_names_the_larger_side_and_its_leader() -> None:
    assert write(40, 201, 9) == "Over 24h, 201 of 250 assets fall; TON −3.00% leads."
    assert write(201, 40, 9) == "Over 24h, 201 of 250 assets rise; SOL +2.50% leads."


def test_verbs_and_nouns_follow_their_numbers() -> None:
    assert write(0, 1, 4) == "Over 24h, 1 of 5 assets falls; TON −3.00% leads."
    assert write(1, 0) == "Over 24h, 1 of 1 asset rises; SOL +2.50% leads."
    assert write(1, 1) == "Over 24h, 1 of 2 assets rises and 1 falls."
    assert write(3, 3, 1) == "Over 24h, 3 of 7 assets rise and 3 fall."


def test_unknown_changes_are_counted_apart() -> None:
    assert write(0, 2, 0, 1).endswith("leads. 1 asset has no current data.")
    assert write(0, 2, 0, 1200).endswith("leads. 1,200 assets have no current data.")


def test_without_a_move_or_a_leader_none_is_named() -> None:
    assert write(0, 0, 5) == "Over 24h, none of 5 assets moved."
    assert write(0, 4, top_loser=None) == "Over 24h, 4 of 4 assets fall."
    assert write(0, 0, 0, 9) == "No current change data."


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        (
            "ja",
            "24時間で250銘柄中201銘柄が下落し、下落率首位はTON（−3.00%）です。1銘柄は現在のデータがありません。",
        ),
        ("zh", "24小时内，250种资产中有201种下跌，TON（−3.00%）领跌。1种资产暂无最新数据。"),
    ],
)
def test_the_sentence_is_written_in_the_readers_language(
    monkeypatch: pytest.MonkeyPatch, lang: str, expected: str
) -> None:
    monkeypatch.setattr("streamlit.session_state", {SESSION_KEY: lang})
    assert write(40, 201, 9, 1) == expected
