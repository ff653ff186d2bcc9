"""Formats dates and times in the reader's language. No I/O."""

from collections.abc import Mapping
from datetime import date, datetime

from babel import dates

from dashboard.i18n.languages import Language

_DATE: Mapping[Language, str] = {"en": "d MMMM y", "ja": "y年M月d日", "zh": "y年M月d日"}
_DATE_WITHOUT_YEAR: Mapping[Language, str] = {"en": "d MMMM", "ja": "M月d日", "zh": "M月d日"}
"""Patterns of Unicode's locale data (UTS 35)."""


def format_date(day: date, lang: Language) -> str:
    """Formats a day: ``23 November 2026``, ``2026年11月23日``."""
    return dates.format_date(day, _DATE[lang], locale=lang)


def format_date_time(local: datetime, lang: Language) -> str:
    """Formats a local time with its date: ``23 November 2026 09:05``, ``2026年11月23日 09:05``."""
    return f"{format_date(local.date(), lang)} {local:%H:%M}"


def format_recent_date_time(local: datetime, lang: Language) -> str:
    """Formats a local time of the last months without its year: ``23 November 09:05``."""
    return f"{dates.format_date(local.date(), _DATE_WITHOUT_YEAR[lang], locale=lang)} {local:%H:%M}"
