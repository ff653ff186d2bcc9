"""Tests the notes below a coin's chart: origin and age of the history, and how far it reaches."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dashboard.app_pages.rankings.coin_panel_candle_notes import build_notes
from dashboard.app_pages.rankings.columns import CANDLE_COUNTS, CANDLE_MS
from dashboard.client.market_schemas import CandleSeries, ChartSpan
from dashboard.i18n import t

NOW = datetime(2026, 11, 27, 10, 3, tzinfo=UTC)


def build_series(span: ChartSpan, count: int, *, missing: int = 0, **facts: Any) -> CandleSeries:
    """Build the newest ``count`` candles of a span, without the ``missing`` ones before the last."""
    step = CANDLE_MS[span]
    current = int(NOW.timestamp() * 1000) // step * step
    opened = [current - step * back for back in range(count - 1, -1, -1) if not 0 < back <= missing]
    series: Any = {
        "id": "bitcoin",
        "span": span,
        "interval_seconds": step // 1000,
        "basis": "ohlc",
        "source": "coingecko",
        "last_updated": (NOW - timedelta(minutes=5)).isoformat(),
        "candles": [(at, 1.0, 1.0, 1.0, 1.0, None) for at in opened],
        **facts,
    }
    return series


@pytest.mark.parametrize("span", CANDLE_COUNTS)
def test_a_complete_history_has_its_source_and_its_age(span: ChartSpan) -> None:
    notes = build_notes(build_series(span, CANDLE_COUNTS[span]), NOW, "en")
    assert notes == ["OHLC data from CoinGecko", "5 min ago"]


@pytest.mark.parametrize(("basis", "word"), [("hourly_prices", "hourly"), ("daily_prices", "daily")])
def test_candles_built_from_prices_say_so(basis: str, word: str) -> None:
    notes = build_notes(build_series("1y", 365, basis=basis), NOW, "en")
    assert notes[0] == f"Sampled from {word} prices of CoinGecko"


def test_a_coin_listed_six_days_ago_has_the_date_on_which_its_history_begins() -> None:
    notes = build_notes(build_series("1y", 7), NOW, "en")
    assert notes[-1] == "The known history begins on 2026-11-21: 7 of 365 candles"
    notes = build_notes(build_series("24h", 6), NOW, "en")
    assert notes[-1] == "The known history begins on 2026-11-27 07:30 UTC: 6 of 48 candles"


def test_gaps_are_not_taken_for_a_late_beginning() -> None:
    notes = build_notes(build_series("1h", 12, missing=4, basis="polls"), NOW, "en")
    assert notes[-1] == t("rankings.candles_gaps", n=8, full=12)


def test_a_stale_history_is_named_as_the_last_known_one() -> None:
    notes = build_notes(build_series("90d", 90, source="coingecko:stale"), NOW, "en")
    assert notes == [
        "OHLC data from CoinGecko (last known)",
        "5 min ago",
        t("rankings.candles_stale"),
    ]


def test_own_candles_in_place_of_a_providers_history_say_so() -> None:
    assert t("rankings.candles_own") in build_notes(build_series("30d", 180, basis="polls"), NOW, "en")
    assert t("rankings.candles_own") not in build_notes(build_series("1h", 12, basis="polls"), NOW, "en")
