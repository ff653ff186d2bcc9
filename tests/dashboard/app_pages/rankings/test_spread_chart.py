"""The chart of the spread over a day, and its text alternative."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from dashboard.app_pages.rankings.spread_chart import BAR_COUNT, build_spread_chart
from dashboard.client.market_schemas import SpreadPoint

NOW = datetime(2026, 5, 18, 14, 37, 12, tzinfo=UTC)
AGREE, CONFLICT = Decimal("0.5"), Decimal(5)


def point(minutes_ago: int, spread: str) -> SpreadPoint:
    at = NOW - timedelta(minutes=minutes_ago)
    return {"opened_at": f"{at:%Y-%m-%dT%H:%M:%SZ}", "spread_pct": spread}


def find_bars(*points: SpreadPoint) -> list[str]:
    return re.findall(r"<i[^>]*>", build_spread_chart(points, AGREE, CONFLICT, NOW))


def test_there_is_one_bar_per_half_hour_and_the_newest_is_last() -> None:
    bars = find_bars(point(0, "0.1"), point(24 * 60 - 40, "0.2"))
    assert len(bars) == BAR_COUNT
    assert "14:30 UTC" in bars[-1]
    assert [n for n, bar in enumerate(bars) if "title" in bar] == [0, BAR_COUNT - 1]


def test_a_half_hour_shows_its_widest_spread() -> None:
    assert "0.4%" in find_bars(point(6, "0.1"), point(1, "0.4"), point(2, "0.2"))[-1]


def test_bars_have_the_colour_of_their_level() -> None:
    bars = find_bars(point(0, "6"), point(30, "0.6"), point(60, "0.5"))
    assert [re.search(r"rk-(\w+)", bar)[1] for bar in bars[-3:]] == ["ok", "mid", "bad"]  # type: ignore[index]


def test_spreads_older_than_a_day_are_left_out_and_no_spreads_give_no_chart() -> None:
    assert build_spread_chart([point(25 * 60, "1")], AGREE, CONFLICT, NOW) == ""
    assert build_spread_chart([], AGREE, CONFLICT, NOW) == ""


def test_the_chart_has_a_text_alternative() -> None:
    text = build_spread_chart([point(0, "0.1"), point(95, "1.2"), point(200, "0.7")], AGREE, CONFLICT, NOW)
    summary = re.search(r'role="img" aria-label="([^"]+)"', text)
    assert summary is not None
    assert "highest 1.2% at 05-18 13:00 UTC" in summary[1]
    assert "in 2 of 3 half hours" in summary[1]
