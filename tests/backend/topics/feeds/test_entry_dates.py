"""Dates in the notations of feeds."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import Language
from backend.topics.feeds.entry_dates import clamp, parse_date

MOMENT = datetime(2023, 9, 8, 8, 4, 46, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "Fri, 08 Sep 2023 16:04:46 PRC+0800",
        "Fri, 08 Sep 2023 08:04:46 GMT",
        "Fri, 8 Sep 23 08:04:46 +0000",
        "08 Sep 2023 04:04:46 EDT",
        "2023-09-08T16:04:46+08:00",
        "2023-09-08T08:04:46Z",
        "2023-09-08t08:04:46.123z",
        "2023-09-08 16:04:46 +0800",
        "Fri Sep 08 2023 16:04:46 GMT+0800 (中国标准时间)",
        "Friday, 08-Sep-23 08:04:46 UTC",
        "Sep 8, 2023 8:04:46 AM GMT",
        "Fri, 08 Sep 2023 17:04:46 JST",
        "Fri Sep  8 08:04:46 2023",
        "2023/09/08 16:04:46 UTC+8",
    ],
)
def test_every_notation_of_a_time_is_parsed(text: str) -> None:
    assert parse_date(text) == MOMENT


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("2023-09-08 16:04:46", "zh", "2023-09-08T08:04:46Z"),
        ("2023年9月8日 16:04", "zh", "2023-09-08T08:04:00Z"),
        ("Fri, 08 Sep 2023 17:04:46", "ja", "2023-09-08T08:04:46Z"),
        ("Fri, 08 Sep 2023 08:04:46", "en", "2023-09-08T08:04:46Z"),
        ("Fri, 08 Sep 2023 16:04:46 CST", "zh", "2023-09-08T08:04:46Z"),
        ("Fri, 08 Sep 2023 02:04:46 CST", "en", "2023-09-08T08:04:46Z"),
        ("2024-03-13", "ja", "2024-03-13T00:00:00Z"),
        ("2023-09-08T24:00:00Z", "en", "2023-09-09T00:00:00Z"),
        ("2016-12-31T23:59:60Z", "en", "2017-01-01T00:00:00Z"),
        ("Sep 8, 2023 12:30 PM", "en", "2023-09-08T12:30:00Z"),
        ("Sep 8, 2023 12:30 AM", "en", "2023-09-08T00:30:00Z"),
        ("01 Jan 95 00:00:00 GMT", "en", "1995-01-01T00:00:00Z"),
    ],
)
def test_a_missing_zone_comes_from_the_language(text: str, language: Language, expected: str) -> None:
    assert parse_date(text, language) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not-a-date",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "0001-01-01T00:00:00Z",
        "Mon, 30 Feb 2024 00:00:00 GMT",
        "2024-13-01",
        "2024-01-01T25:00:00Z",
        "2024-01-01T00:61:00Z",
        "2024-01-01T00:00:00+99:00",
        "٢٠٢٤-٠١-٠١",
        "1" * 500,
        "9999-12-31T23:59:59-12:00",
    ],
)
def test_invalid_dates_are_none(text: str) -> None:
    assert parse_date(text) is None


def test_a_date_of_publication_is_limited_to_the_time_of_fetching() -> None:
    assert clamp(datetime(2099, 1, 1, tzinfo=UTC), MOMENT) == MOMENT
    assert clamp(datetime(2001, 1, 1, tzinfo=UTC), MOMENT) == datetime(2001, 1, 1, tzinfo=UTC)
    assert clamp(None, MOMENT) is None


@given(st.text(max_size=120), st.sampled_from(["en", "ja", "zh"]))
def test_any_text_can_be_parsed(text: str, language: Language) -> None:
    found = parse_date(text, language)
    assert found is None or found.tzinfo is UTC


@given(st.integers(631_300_000, 4_102_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)))
def test_a_formatted_time_is_parsed_back(moment: datetime) -> None:

    assert parse_date(moment.isoformat()) == moment
    assert parse_date(moment.strftime("%a, %d %b %Y %H:%M:%S +0000")) == moment
