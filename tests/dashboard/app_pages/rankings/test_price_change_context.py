"""Comparing a coin's price change with other coins, its own week, and doubts about its data."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from dashboard.app_pages.rankings import price_change_context
from dashboard.app_pages.rankings.rows import Row
from dashboard.client.market_schemas import CandleRow

NOW = datetime(2026, 11, 26, 12, 0, tzinfo=UTC)


def coin(name: str, change: str | None, *categories: str, **more: Any) -> Row:
    pct = None if change is None else Decimal(change)
    return Row(name, name.upper(), name, pct_24h=pct, categories=categories, **more)


COINS = [
    coin("a", "-5", "Meme", "Payments"),
    coin("b", "-1", "Meme"),
    coin("c", "-2", "Meme"),
    coin("d", "1", "Meme"),
    coin("e", "3", "Payments"),
    coin("f", None, "Payments"),
]


def test_a_coin_is_compared_with_the_median_of_the_other_coins() -> None:
    peers = price_change_context.compare_with_market(COINS[0], COINS, "24h")
    assert (peers.count, peers.median, peers.difference) == (4, Decimal(0), Decimal(-5))


def test_a_stale_change_is_no_change_of_the_present() -> None:
    stale = coin("z", "90", "Meme", source="coingecko:stale")
    peers = price_change_context.compare_with_market(stale, [*COINS, stale], "24h")
    assert peers.difference is None
    assert peers.median == Decimal(-1)
    assert price_change_context.compare_with_market(COINS[0], [*COINS, stale], "24h").count == 4


def test_only_categories_with_enough_other_coins_are_compared() -> None:
    (meme,) = price_change_context.compare_with_categories(COINS[0], COINS, "24h")
    assert (meme.category, meme.count, meme.median, meme.difference) == ("Meme", 3, Decimal(-1), Decimal(-4))


def test_too_few_other_coins_give_no_median() -> None:
    peers = price_change_context.compare_with_market(COINS[0], COINS[:3], "24h")
    assert (peers.count, peers.median, peers.difference) == (2, None, None)


def week_of(volume: float | None, last_day: float | None) -> list[CandleRow]:
    """Builds 42 candles; those of the last day have another volume."""
    opened = [NOW - timedelta(hours=4 * (42 - n)) for n in range(42)]
    return [
        (int(at.timestamp() * 1000), 1, 1, 1, 1, volume if n < 36 else last_day)
        for n, at in enumerate(opened)
    ]


def test_the_volume_is_compared_with_the_days_before_the_last_one() -> None:
    row = coin("a", "1", volume=Decimal(1200))
    day = price_change_context.compute_day_volume(row, week_of(100.0, 999.0), NOW)
    assert day == (Decimal(1200), pytest.approx(2.0))


@pytest.mark.parametrize("candles", [week_of(None, 5.0), week_of(0.0, 5.0), week_of(100.0, 5.0)[-17:], []])
def test_a_week_without_enough_volumes_has_no_typical_day(candles: list[CandleRow]) -> None:
    row = coin("a", "1", volume=Decimal(1200))
    assert price_change_context.compute_day_volume(row, candles, NOW) == (Decimal(1200), None)


def test_an_unknown_or_stale_volume_is_not_compared() -> None:
    week = week_of(100.0, 100.0)
    assert price_change_context.compute_day_volume(coin("a", "1"), week, NOW) is None
    stale = coin("a", "1", volume=Decimal(5), source="coingecko:stale")
    assert price_change_context.compute_day_volume(stale, week, NOW) is None


def test_incidents_count_if_they_were_open_at_any_moment_of_the_span() -> None:
    def incident(number: int, opened: int, closed: int | None) -> Any:
        closed_at = None if closed is None else (NOW - timedelta(hours=closed)).isoformat()
        opened_at = (NOW - timedelta(hours=opened)).isoformat()
        return {"id": number, "opened_at": opened_at, "closed_at": closed_at}

    incidents = [incident(1, 200, None), incident(2, 30, 23), incident(3, 30, 25), incident(4, 300, 200)]
    assert [entry["id"] for entry in price_change_context.select_incidents(incidents, "24h", NOW)] == [1, 2]
    assert [entry["id"] for entry in price_change_context.select_incidents(incidents, "7d", NOW)] == [1, 2, 3]


def test_only_quote_providers_that_fail_now_are_named() -> None:
    def provider(name: str, role: str, state: str, since: str | None = None) -> Any:
        return {"provider": name, "role": [role], "state": state, "failing_since": since}

    providers = [
        provider("good", "quotes", "ok"),
        provider("open", "quotes", "open"),
        provider("failing", "quotes", "ok", "2026-11-26T11:00:00Z"),
        provider("mood", "fear_greed", "open"),
    ]
    failing = price_change_context.find_failing_providers(providers)
    assert [entry["provider"] for entry in failing] == ["open", "failing"]


def test_items_are_split_at_the_start_of_the_span() -> None:
    items = [("2026-11-26T10:00:00Z", 1), ("2026-11-25T12:00:00Z", 2), ("2026-11-25T11:59:59Z", 3)]
    assert price_change_context.split_by_span(items, "24h", NOW) == ([1, 2], [3])
