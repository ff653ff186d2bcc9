"""The lines of past totals: known values at their times, broken where hours are missing, never invented."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.overview.totals_line import PERIOD, TotalsLine, build_line

NOW = datetime(2026, 5, 18, 12, 7, tzinfo=UTC)
WIDTH, HEIGHT = 700, 32


def point(at: datetime, cap: str | None = "100", **figures: str | None) -> Any:
    return {"at": at.isoformat(), "market_cap": cap, "volume_24h": None, **figures}


def points_at(*minutes_ago: int) -> list[Any]:
    return [point(NOW - timedelta(minutes=minutes), str(100 + n)) for n, minutes in enumerate(minutes_ago)]


def draw(points: Sequence[Any], now: datetime = NOW) -> TotalsLine:
    line = build_line(points, "market_cap", now, WIDTH, HEIGHT)
    assert line is not None
    return line


def places(line: TotalsLine) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"([\d.-]+) ([\d.-]+)", line.path)]


def test_a_line_knows_its_first_last_lowest_and_highest_value_exactly() -> None:
    caps = ("2693886540498.12", "2800000000000.5", "2500000000000.25", "2600000000000")
    line = draw([point(NOW - timedelta(hours=3 - n), cap) for n, cap in enumerate(caps)])
    assert (line.first, line.last) == (Decimal(caps[0]), Decimal(caps[3]))
    assert (line.low, line.high) == (Decimal(caps[2]), Decimal(caps[1]))


def test_fewer_than_two_known_values_of_the_last_seven_days_are_no_line() -> None:
    assert build_line([], "market_cap", NOW, WIDTH, HEIGHT) is None
    old, new = point(NOW - PERIOD - timedelta(minutes=1)), point(NOW)
    assert build_line([old, new], "market_cap", NOW, WIDTH, HEIGHT) is None
    assert build_line([new, new], "volume_24h", NOW, WIDTH, HEIGHT) is None


def test_a_value_is_drawn_at_its_time_so_a_young_history_leaves_the_left_empty() -> None:
    line = draw([point(NOW - timedelta(days=1)), point(NOW - timedelta(hours=23)), point(NOW)])
    assert [x for x, _ in places(line)[:2]] == [600.0, pytest.approx(604.2)]
    assert places(line)[-1][0] == 700.0


def test_a_larger_value_is_higher_and_all_fit_into_the_height() -> None:
    line = draw(points_at(180, 120, 60, 0))
    heights = [y for _, y in places(line)]
    assert heights == sorted(heights, reverse=True)
    assert (heights[-1], heights[0]) == (1.0, HEIGHT - 1.0)


def test_a_steady_figure_is_drawn_flat_in_the_middle() -> None:
    steady = [point(NOW - timedelta(hours=1), "100"), point(NOW, "100.01")]
    assert all(abs(y - HEIGHT / 2) < 1 for _, y in places(draw(steady)))
    zeros = [point(NOW - timedelta(hours=1), "0"), point(NOW, "0")]
    assert [y for _, y in places(draw(zeros))] == [HEIGHT / 2] * 2


@pytest.mark.parametrize(
    ("minutes_ago", "parts"),
    [
        ((180, 120, 60, 0), 1),
        ((180, 0), 2),
        ((240, 180, 60, 0), 2),
        ((127, 8), 1),  # at 10:00 and 11:59: each hour has its point
        ((68, 5), 1),  # at 10:59 and 12:02, an hourly poll that drifted over an hour
        ((128, 0), 2),  # at 09:59 and 12:07
    ],
)
def test_the_line_breaks_where_hours_are_missing(minutes_ago: tuple[int, ...], parts: int) -> None:
    line = draw(points_at(*minutes_ago))
    assert line.path.count("M") == parts


def test_an_hour_without_the_figure_breaks_its_line_alone() -> None:
    hours = [point(NOW - timedelta(hours=n), btc_market_cap_percentage="50") for n in range(4, -1, -1)]
    hours[2]["btc_market_cap_percentage"] = None
    share = build_line(hours, "btc_market_cap_percentage", NOW, WIDTH, HEIGHT)
    assert share is not None
    assert (share.path.count("M"), draw(hours).path.count("M")) == (2, 1)


def test_rare_polls_are_one_line_that_breaks_where_several_of_them_are_missing() -> None:
    every_four_hours = [240 * n for n in range(20, -1, -1)]
    assert draw(points_at(*every_four_hours)).path.count("M") == 1
    without_three = [minutes for minutes in every_four_hours if minutes not in (960, 1200, 1440)]
    assert draw(points_at(*without_three)).path.count("M") == 2


def test_a_single_value_between_gaps_is_a_dot() -> None:
    line = draw(points_at(600, 300, 0))
    assert len(places(line)) == 6
    assert places(line)[0] == places(line)[1]


def test_a_providers_clock_that_is_ahead_keeps_the_line_within_its_place() -> None:
    line = draw([point(NOW - timedelta(hours=1)), point(NOW + timedelta(seconds=50))])
    assert places(line)[-1][0] == WIDTH


@given(
    st.lists(st.tuples(st.integers(0, 167), st.decimals("0.01", "1e14", places=2)), min_size=2, max_size=40)
)
def test_every_place_is_that_of_a_known_value_inside_the_drawing(hours: list[tuple[int, Decimal]]) -> None:
    known = dict(hours)
    ordered = sorted(known.items(), reverse=True)
    line = build_line(
        [point(NOW - timedelta(hours=hour), str(value)) for hour, value in ordered],
        "market_cap",
        NOW,
        WIDTH,
        HEIGHT,
    )
    if len(known) < 2:
        assert line is None
        return
    assert line is not None
    expected = {round(WIDTH * (1 - hour / 168), 1) for hour in known}
    assert {x for x, _ in places(line)} == expected
    assert all(0 <= y <= HEIGHT for _, y in places(line))
