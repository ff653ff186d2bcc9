"""Named days and dates that take their year from the one before."""

from datetime import date

import pytest

from backend.sources.claims import dates


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("On Valentine's Day 2019 the bank unveiled a coin.", date(2019, 2, 14)),
        ("Three days before Christmas 2020 the SEC sued.", date(2020, 12, 22)),
        ("It opened on New Year's Eve, 2021.", date(2021, 12, 31)),
        ("2018年の元日に始まった。", date(2018, 1, 1)),
        ("A week after Halloween 2013 it fell.", date(2013, 11, 7)),
    ],
)
def test_a_named_day_with_a_year_is_a_date(text: str, day: date) -> None:
    (span,) = dates.find_dates(text)
    assert (span.first, span.last, span.precision) == (day, day, "day")
    assert text[span.start : span.end] == span.text


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("It was signed shortly before Christmas 2022.", "2022-12-11", "2022-12-25"),
        ("It opened just after Halloween 2013.", "2013-10-31", "2013-11-14"),
        ("Around New Year's Eve 2021 it fell.", "2021-12-17", "2022-01-14"),
        ("2022年のクリスマス直前に成立した。", "2022-12-11", "2022-12-25"),
        ("2021年元旦前后上线。", "2020-12-18", "2021-01-15"),
    ],
)
def test_a_time_near_a_named_day_is_two_weeks_long(text: str, first: str, last: str) -> None:
    (span,) = dates.find_dates(text)
    assert (span.first.isoformat(), span.last.isoformat(), span.precision) == (first, last, "month")


def test_a_named_day_without_a_year_is_no_date() -> None:
    assert dates.find_dates("They sell gifts at Christmas.") == []


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        (
            "In November 2024 he said he would go on 20 January of the next year.",
            "2025-01-20",
            "2025-01-20",
        ),
        ("It began on 3 May 2021 and ended on 9 August of the same year.", "2021-08-09", "2021-08-09"),
        ("2019年6月に発表し、翌年12月に改称した。", "2020-12-01", "2020-12-31"),
        ("2019年6月18日公布，次年2月30日后，同年7月1日实施。", "2019-07-01", "2019-07-01"),
    ],
)
def test_a_following_date_has_the_year_of_the_date_before_it(text: str, first: str, last: str) -> None:
    span = dates.find_dates(text)[-1]
    assert (span.first.isoformat(), span.last.isoformat()) == (first, last)
