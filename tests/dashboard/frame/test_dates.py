"""Dates and times in the reader's language."""

from datetime import UTC, datetime

import pytest

from dashboard.frame import dates
from dashboard.i18n import Language

MORNING = datetime(2026, 11, 3, 9, 5, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lang", "day", "time", "recent_time"),
    [
        ("en", "3 November 2026", "3 November 2026 09:05", "3 November 09:05"),
        ("ja", "2026年11月3日", "2026年11月3日 09:05", "11月3日 09:05"),
        ("zh", "2026年11月3日", "2026年11月3日 09:05", "11月3日 09:05"),
    ],
)
def test_dates_and_times_are_written_in_the_form_of_the_language_without_seconds(
    lang: Language, day: str, time: str, recent_time: str
) -> None:
    assert dates.format_date(MORNING.date(), lang) == day
    assert dates.format_date_time(MORNING, lang) == time
    assert dates.format_recent_date_time(MORNING, lang) == recent_time
