"""Names days, and groups topics by the reader's days. Pure."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, tzinfo
from itertools import groupby
from typing import Any, TypeVar

from babel import dates

from dashboard.i18n.languages import Language

Topic = TypeVar("Topic", bound=Mapping[str, Any])

_DAY: Mapping[Language, str] = {
    "en": "EEEE, d MMMM y",
    "ja": "y年M月d日（E）",
    "zh": "y年M月d日 EEEE",
}
_MONTH: Mapping[Language, str] = {"en": "MMM", "ja": "M月", "zh": "M月"}
"""Patterns of Unicode's locale data (UTS 35)."""


def group_by_day(topics: Iterable[Topic], zone: tzinfo) -> list[tuple[date, list[Topic]]]:
    """Group topics, newest first, by their day in ``zone``."""

    def find_day(topic: Topic) -> date:
        return datetime.fromisoformat(topic["published_at"]).astimezone(zone).date()

    return [(day, list(items)) for day, items in groupby(topics, find_day)]


def format_day(day: date, language: Language) -> str:
    """Format a day with its weekday: ``Monday, 23 November 2026``, ``2026年11月23日（月）``."""
    return dates.format_date(day, _DAY[language], locale=language)


def format_short_month(day: date, language: Language) -> str:
    """Format the month for a calendar leaf: ``Nov``, ``11月``."""
    return dates.format_date(day, _MONTH[language], locale=language)


def format_weekday(day: date, language: Language) -> str:
    """Format the weekday: ``Monday``, ``月曜日``, ``星期一``."""
    return dates.format_date(day, "EEEE", locale=language)
