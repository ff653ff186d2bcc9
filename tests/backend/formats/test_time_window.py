"""Tests time windows and the time ranges that they give."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import BadRequest
from backend.formats.time_window import MAX_WINDOW, parse_window, resolve_time_range

NOW = datetime(2026, 5, 18, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("30s", timedelta(seconds=30)),
        ("90m", timedelta(minutes=90)),
        ("24h", timedelta(hours=24)),
        ("7d", timedelta(days=7)),
        ("2w", timedelta(weeks=2)),
        ("0h", timedelta(0)),
    ],
)
def test_a_window_is_a_number_and_a_unit(text: str, length: timedelta) -> None:
    assert parse_window(text) == length


@pytest.mark.parametrize(
    "text", ["", "h", "24", "24 h", "-1h", "1.5h", "24H", "1y", "٢h", "999999999w", "9" * 99]
)
def test_other_texts_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        parse_window(text)


def test_start_overrides_the_window_and_the_end_is_now_by_default() -> None:
    day = timedelta(days=1)
    assert resolve_time_range(day, None, None, now=NOW) == (NOW - day, NOW)
    assert resolve_time_range(day, NOW - 3 * day, None, now=NOW) == (NOW - 3 * day, NOW)
    assert resolve_time_range(day, None, NOW - day, now=NOW) == (NOW - 2 * day, NOW - day)


def test_a_start_after_the_end_is_refused() -> None:
    with pytest.raises(BadRequest):
        resolve_time_range(timedelta(0), NOW, NOW - timedelta(seconds=1), now=NOW)


@given(st.timedeltas(timedelta(0), MAX_WINDOW), st.datetimes(timezones=st.just(UTC)))
def test_no_window_starts_before_the_first_possible_day(window: timedelta, to: datetime) -> None:
    start, end = resolve_time_range(window, None, to, now=NOW)
    assert start <= end == to
