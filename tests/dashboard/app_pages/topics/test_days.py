"""Days in the reader's language and time zone."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from dashboard.app_pages.topics import days
from dashboard.i18n import Language

TIMES = ("2026-11-23T01:00:00Z", "2026-11-22T23:30:00Z", "2026-11-22T12:00:00Z")


@pytest.mark.parametrize(
    ("zone", "counts"),
    [
        ("UTC", {date(2026, 11, 23): 1, date(2026, 11, 22): 2}),
        ("Asia/Tokyo", {date(2026, 11, 23): 2, date(2026, 11, 22): 1}),
        ("America/New_York", {date(2026, 11, 22): 3}),
    ],
)
def test_topics_are_grouped_by_the_day_of_the_readers_time_zone(zone: str, counts: dict[date, int]) -> None:
    topics = [{"published_at": time} for time in TIMES]
    grouped = days.group_by_day(topics, ZoneInfo(zone))
    assert {day: len(items) for day, items in grouped} == counts
    assert [topic for _, items in grouped for topic in items] == topics


@pytest.mark.parametrize(
    ("lang", "written", "month", "weekday"),
    [
        ("en", "Monday, 23 November 2026", "Nov", "Monday"),
        ("ja", "2026年11月23日（月）", "11月", "月曜日"),
        ("zh", "2026年11月23日 星期一", "11月", "星期一"),
    ],
)
def test_days_are_written_in_the_readers_language(
    lang: Language, written: str, month: str, weekday: str
) -> None:
    day = date(2026, 11, 23)
    assert days.format_day(day, lang) == written
    assert days.format_short_month(day, lang) == month
    assert days.format_weekday(day, lang) == weekday
