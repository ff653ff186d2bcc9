"""Tests reading and writing of RFC 3339 timestamps."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.formats.timestamps import parse_instant, write_instant

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
NAIVE = NOON.replace(tzinfo=None)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-21T12:00:00Z",
        "2026-11-21t12:00:00z",
        "2026-11-21 12:00:00Z",
        "2026-11-21T12:00:00.000Z",
        "2026-11-21T12:00:00.0000000009Z",
        "2026-11-21T21:00:00+09:00",
        "2026-11-21T04:30:00-07:30",
        "2026-11-21T12:00:00-00:00",
        "2026-11-21T11:59:60Z",
    ],
)
def test_every_valid_form_is_read_in_utc(text: str) -> None:
    assert parse_instant(text) == NOON
    assert parse_instant(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "1795262400",
        "2026-11-21",
        "2026-11-21T12:00:00",
        "2026-11-21T12:00Z",
        "2026-11-21T12:00:00.Z",
        "2026-11-21T12:00:00+0900",
        "2026-11-21T12:00:00 09:00",
        "2026-02-30T12:00:00Z",
        "2026-11-21T25:00:00Z",
        "2026-11-21T12:00:61Z",
        "2026-11-21T12:00:00+24:00",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "9999-12-31T23:59:60Z",
        "0000-01-01T00:00:00Z",
        "２０２６-11-21T12:00:00Z",
        "2026-11-21T12:00:00Z\n",
        "2026-11-21T12:00:00." + "0" * 5000 + "Z",
    ],
)
def test_invalid_timestamps_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="must be an RFC 3339 instant"):
        parse_instant(text)


def test_the_error_explains_a_plus_that_a_query_turned_into_a_space() -> None:
    with pytest.raises(ValueError, match="%2B"):
        parse_instant("2026-11-21T12:00:00 09:00")


@given(
    st.datetimes(min_value=NAIVE.replace(year=2), max_value=NAIVE.replace(year=9998)),
    st.integers(min_value=-23 * 60, max_value=23 * 60),
)
def test_a_written_timestamp_is_read_as_the_same_instant(moment: datetime, minutes: int) -> None:
    aware = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    text = write_instant(aware)
    assert text.endswith("Z")
    assert parse_instant(text) == aware


def test_an_instant_without_a_time_zone_is_not_written() -> None:
    with pytest.raises(ValueError, match="time zone"):
        write_instant(NAIVE)
