"""The sparklines of past totals: known values at their times, gaps where hours are missing, and the span."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.overview.sparkline_data import (
    PERIOD,
    SparklineData,
    compute_sparkline,
    round_span,
)

NOW = datetime(2026, 5, 18, 12, 7, tzinfo=UTC)
WIDTH, HEIGHT = 700, 32


def point(at: datetime, cap: str | None = "100", **figures: str | None) -> Any:
    return {"at": at.isoformat(), "market_cap": cap, "volume_24h": None, **figures}


def points_at(*minutes_ago: float) -> list[Any]:
    return [point(NOW - timedelta(minutes=minutes), str(100 + n)) for n, minutes in enumerate(minutes_ago)]


def compute(points: Sequence[Any], now: datetime = NOW) -> SparklineData:
    sparkline = compute_sparkline(points, "market_cap", now, WIDTH, HEIGHT)
    assert sparkline is not None
    return sparkline


def list_coordinates(sparkline: SparklineData) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"([\d.-]+) ([\d.-]+)", sparkline.path)]


def test_a_line_knows_its_first_last_lowest_and_highest_value_exactly() -> None:
    caps = ("2693886540498.12", "2800000000000.5", "2500000000000.25", "2600000000000")
    sparkline = compute([point(NOW - timedelta(hours=3 - n), cap) for n, cap in enumerate(caps)])
    assert (sparkline.first, sparkline.last) == (Decimal(caps[0]), Decimal(caps[3]))
    assert (sparkline.low, sparkline.high) == (Decimal(caps[2]), Decimal(caps[1]))


def test_fewer_than_two_known_values_of_the_last_seven_days_are_no_line() -> None:
    assert compute_sparkline([], "market_cap", NOW, WIDTH, HEIGHT) is None
    old, new = point(NOW - PERIOD - timedelta(minutes=1)), point(NOW)
    assert compute_sparkline([old, new], "market_cap", NOW, WIDTH, HEIGHT) is None
    assert compute_sparkline([new, new], "volume_24h", NOW, WIDTH, HEIGHT) is None


def test_a_value_is_drawn_at_its_time_so_a_young_history_leaves_the_left_empty() -> None:
    sparkline = compute([point(NOW - timedelta(days=1)), point(NOW - timedelta(hours=23)), point(NOW)])
    assert [x for x, _ in list_coordinates(sparkline)[:2]] == [600.0, pytest.approx(604.2)]
    assert list_coordinates(sparkline)[-1][0] == 700.0


def test_a_larger_value_is_higher_and_all_fit_into_the_height() -> None:
    sparkline = compute(points_at(180, 120, 60, 0))
    heights = [y for _, y in list_coordinates(sparkline)]
    assert heights == sorted(heights, reverse=True)
    assert (heights[-1], heights[0]) == (1.0, HEIGHT - 1.0)


def test_a_steady_figure_is_drawn_flat_in_the_middle() -> None:
    steady = [point(NOW - timedelta(hours=1), "100"), point(NOW, "100.01")]
    assert all(abs(y - HEIGHT / 2) < 1 for _, y in list_coordinates(compute(steady)))
    zeros = [point(NOW - timedelta(hours=1), "0"), point(NOW, "0")]
    assert [y for _, y in list_coordinates(compute(zeros))] == [HEIGHT / 2] * 2


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
    sparkline = compute(points_at(*minutes_ago))
    assert sparkline.path.count("M") == parts


def test_an_hour_without_the_figure_breaks_its_line_alone() -> None:
    hours = [point(NOW - timedelta(hours=n), btc_market_cap_percentage="50") for n in range(4, -1, -1)]
    hours[2]["btc_market_cap_percentage"] = None
    share = compute_sparkline(hours, "btc_market_cap_percentage", NOW, WIDTH, HEIGHT)
    assert share is not None
    assert (share.path.count("M"), compute(hours).path.count("M")) == (2, 1)


def test_rare_polls_are_one_line_that_breaks_where_several_of_them_are_missing() -> None:
    every_four_hours = [240 * n for n in range(20, -1, -1)]
    assert compute(points_at(*every_four_hours)).path.count("M") == 1
    without_three = [minutes for minutes in every_four_hours if minutes not in (960, 1200, 1440)]
    assert compute(points_at(*without_three)).path.count("M") == 2


def test_a_single_value_between_gaps_is_a_dot() -> None:
    sparkline = compute(points_at(600, 300, 0))
    assert len(list_coordinates(sparkline)) == 6
    assert list_coordinates(sparkline)[0] == list_coordinates(sparkline)[1]


def test_a_providers_clock_that_is_ahead_keeps_the_line_within_its_box() -> None:
    sparkline = compute([point(NOW - timedelta(hours=1)), point(NOW + timedelta(seconds=50))])
    assert list_coordinates(sparkline)[-1][0] == WIDTH


@pytest.mark.parametrize(
    ("hours_ago", "span"),
    [
        (range(168, -1, -1), (7, "days")),
        (range(167, -1, -1), (7, "days")),
        (range(5, -1, -1), (5, "hours")),
        (range(72, -1, -1), (3, "days")),
        (range(165, -1, -1), (6, "days")),
        (range(168, -1, -4), (7, "days")),
        (range(164, -1, -4), (7, "days")),
        (range(160, -1, -4), (6, "days")),
        ((200, *range(30, -1, -1)), (30, "hours")),
        ((30, 0.3, 0), (30, "hours")),
    ],
    ids=str,
)
def test_the_span_is_seven_days_unless_the_first_hours_of_them_are_missing(
    hours_ago: Sequence[float], span: tuple[int, str]
) -> None:
    assert compute(points_at(*(60 * hours for hours in hours_ago))).span == span


@pytest.mark.parametrize(
    ("hours_ago", "span", "until", "has_gaps"),
    [
        (range(168, -1, -1), (7, "days"), None, False),
        (range(168, 100, -1), (7, "days"), 101, False),
        ((168, 100), (7, "days"), 100, True),
        ((80, 79, 78), (3, "days"), 78, False),
        (range(5, 2, -1), (5, "hours"), 3, False),
        ((6, 5, 1, 0), (6, "hours"), None, True),
        ((3, 2, 1.2), (3, "hours"), None, False),  # the next hourly poll is due soon
        ((168, 167, *range(30, -1, -1)), (7, "days"), None, True),
        (range(168, 3, -4), (7, "days"), None, False),  # every four hours
        (range(168, 11, -4), (7, "days"), 12, False),
    ],
    ids=str,
)
def test_data_say_until_when_they_reach_and_whether_hours_inside_are_missing(
    hours_ago: Sequence[float], span: tuple[int, str], until: float | None, has_gaps: bool
) -> None:
    sparkline = compute(points_at(*(60 * hours for hours in hours_ago)))
    assert sparkline.span == span
    assert sparkline.until == (None if until is None else NOW - timedelta(hours=until))
    assert sparkline.has_gaps is has_gaps


@pytest.mark.parametrize(
    ("span", "rounded"),
    [
        (timedelta(seconds=20), (1, "minutes")),
        (timedelta(minutes=40), (40, "minutes")),
        (timedelta(minutes=59, seconds=24), (59, "minutes")),
        (timedelta(minutes=59.9), (1, "hours")),
        (timedelta(minutes=80), (1, "hours")),
        (timedelta(minutes=90), (2, "hours")),
        (timedelta(minutes=150), (3, "hours")),
        (timedelta(hours=5, minutes=20), (5, "hours")),
        (timedelta(hours=47, minutes=20), (47, "hours")),
        (timedelta(hours=47, minutes=40), (2, "days")),
        (timedelta(hours=48), (2, "days")),
        (timedelta(days=3, hours=11), (3, "days")),
        (timedelta(days=6, hours=23), (6, "days")),
        (PERIOD, (7, "days")),
    ],
    ids=str,
)
def test_a_span_is_rounded_to_the_unit_that_suits_it_and_never_up_to_seven_days(
    span: timedelta, rounded: tuple[int, str]
) -> None:
    assert round_span(span) == rounded


@given(
    st.lists(st.tuples(st.integers(0, 167), st.decimals("0.01", "1e14", places=2)), min_size=2, max_size=40)
)
def test_every_coordinate_is_that_of_a_known_value_inside_the_box(
    hours: list[tuple[int, Decimal]],
) -> None:
    known = dict(hours)
    ordered = sorted(known.items(), reverse=True)
    sparkline = compute_sparkline(
        [point(NOW - timedelta(hours=hour), str(value)) for hour, value in ordered],
        "market_cap",
        NOW,
        WIDTH,
        HEIGHT,
    )
    if len(known) < 2:
        assert sparkline is None
        return
    assert sparkline is not None
    expected = {round(WIDTH * (1 - hour / 168), 1) for hour in known}
    assert {x for x, _ in list_coordinates(sparkline)} == expected
    assert all(0 <= y <= HEIGHT for _, y in list_coordinates(sparkline))
