"""The day's spreads in half hours, drawn and told."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from dashboard.app_pages.rankings.spread_chart import BARS, spread_day
from dashboard.client.market_schemas import SpreadPoint

NOW = datetime(2026, 5, 18, 14, 37, 12, tzinfo=UTC)
AGREE, CONFLICT = Decimal("0.5"), Decimal(5)


def point(minutes_ago: int, spread: str) -> SpreadPoint:
    at = NOW - timedelta(minutes=minutes_ago)
    return {"opened_at": f"{at:%Y-%m-%dT%H:%M:%SZ}", "spread_pct": spread}


def drawn(*points: SpreadPoint) -> list[str]:
    return re.findall(r"<i[^>]*>", spread_day(points, AGREE, CONFLICT, NOW))


def test_there_is_one_bar_for_each_half_hour_and_the_newest_stands_last() -> None:
    bars = drawn(point(0, "0.1"), point(24 * 60 - 40, "0.2"))
    assert len(bars) == BARS
    assert "14:30 UTC" in bars[-1]
    assert [n for n, bar in enumerate(bars) if "title" in bar] == [0, BARS - 1]


def test_a_half_hour_shows_its_widest_spread() -> None:
    assert "0.4 %" in drawn(point(6, "0.1"), point(1, "0.4"), point(2, "0.2"))[-1]


def test_bars_change_their_colour_at_the_limits() -> None:
    bars = drawn(point(0, "6"), point(30, "0.6"), point(60, "0.5"))
    assert [re.search(r"rk-(\w+)", bar)[1] for bar in bars[-3:]] == ["ok", "mid", "bad"]  # type: ignore[index]


def test_what_is_older_than_a_day_is_left_out_and_nothing_known_draws_nothing() -> None:
    assert spread_day([point(25 * 60, "1")], AGREE, CONFLICT, NOW) == ""
    assert spread_day([], AGREE, CONFLICT, NOW) == ""


def test_the_drawing_is_told_in_words() -> None:
    text = spread_day([point(0, "0.1"), point(95, "1.2"), point(200, "0.7")], AGREE, CONFLICT, NOW)
    said = re.search(r'role="img" aria-label="([^"]+)"', text)
    assert said is not None
    assert "highest 1.2% at 05-18 13:00 UTC" in said[1]
    assert "in 2 of 3 half hours" in said[1]
