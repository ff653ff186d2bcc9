"""Parses dates in the notations of feeds, including invalid ones."""

import re
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType

from backend.entities.model import Language

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
"""Earlier dates (the epoch, the year 1) count as missing."""
_ZONES = MappingProxyType({
    **dict.fromkeys(("Z", "UT", "UTC", "GMT", "WET"), 0),
    "EST": -300, "EDT": -240, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420,
    "BST": 60, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180, "MSK": 180, "IST": 330,
    "JST": 540, "KST": 540, "HKT": 480, "SGT": 480, "PRC": 480, "AWST": 480, "AEST": 600, "AEDT": 660,
})  # fmt: skip
"""Minutes east of Greenwich. CST is not listed: it means China in Chinese feeds and Chicago in others."""
_OFFSET_OF_LANGUAGE = MappingProxyType({"en": 0, "ja": 540, "zh": 480})
"""Offset of times without a zone: that of most outlets of the language, in minutes."""
_MONTHS = MappingProxyType(
    {
        name: number
        for number, name in enumerate(
            ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
        )
    }
)
_TIME = r"(?P<hour>\d{1,2})[:時时](?P<minute>\d{2})(?:[:分](?P<second>\d{2})(?:[.,]\d{1,9})?)?秒?"
_ZONE = r"\s*(?P<zone>.*)"
_NUMERIC_DATE = re.compile(
    rf"(?P<year>\d{{4}})[-/.年]\s?(?P<month>\d{{1,2}})[-/.月]\s?(?P<day>\d{{1,2}})日?(?:[Tt\s]*{_TIME}{_ZONE})?",
    re.ASCII,
)
_DAY_FIRST_DATE = re.compile(
    rf"(?:[A-Za-z]{{3,9}}\.?,?\s+)?(?P<day>\d{{1,2}})[-\s]+(?P<month>[A-Za-z]{{3,9}})\.?,?[-\s]+"
    rf"(?P<year>\d{{4}}|\d{{2}})(?:,?\s+{_TIME}{_ZONE})?",
    re.ASCII,
)
_MONTH_FIRST_DATE = re.compile(
    rf"(?:[A-Za-z]{{3,9}}\.?,?\s+)?(?P<month>[A-Za-z]{{3,9}})\.?\s+(?P<day>\d{{1,2}}),?"
    rf"(?:\s+(?P<year>\d{{4}}))?(?:,?\s+{_TIME}(?:\s+(?P<behind>\d{{4}}))?{_ZONE})?",
    re.ASCII,
)
_OFFSET = re.compile(r"([A-Za-z]{0,5})\s*([+-])(\d{1,2}):?(\d{2})?(?:\s*\([^)]*\))?$", re.ASCII)
_NAMED = re.compile(r"(?:([AP])M\s*)?([A-Z]{0,5})(?:\s*\([^)]*\))?$", re.ASCII | re.IGNORECASE)


def parse_date(text: str, language: Language = "en") -> datetime | None:
    """Parse a date; returns the time in UTC, or None if ``text`` is not a date.

    Accepted are RFC 822 and 5322, RFC 3339, W3CDTF, the output of JavaScript and C, and Chinese and Japanese
    dates, with years of two digits and with offsets after any name (``PRC+0800``, ``GMT+8``). A time without
    a zone gets the zone of ``language``. A date without a time starts at midnight UTC, so it keeps its day.
    """
    text = " ".join(text.split())[:100]
    for pattern in (_NUMERIC_DATE, _DAY_FIRST_DATE, _MONTH_FIRST_DATE):
        if (match := pattern.fullmatch(text)) is not None:
            return _build_time(match.groupdict(), language)
    return None


def clamp(moment: datetime | None, now: datetime) -> datetime | None:
    """Limit ``moment`` to ``now``: an entry that was fetched had been published."""
    return None if moment is None else min(moment, now)


def _build_time(parts: dict[str, str | None], language: Language) -> datetime | None:
    month = parts["month"] or ""
    number = int(month) if month.isdigit() else _MONTHS.get(month[:3].lower(), 0)
    year = parts["year"] or parts.get("behind")
    if year is None:
        return None
    zone = parts.get("zone") or ""
    afternoon = _is_afternoon(zone)
    minutes = 0 if parts["hour"] is None else _find_offset_minutes(zone, language)
    if minutes is None:
        return None
    try:
        hour, leap = _to_24_hours(int(parts["hour"] or 0), afternoon), parts.get("second") == "60"
        local = datetime(
            _expand_year(year), number, int(parts["day"] or 0), hour % 24, int(parts["minute"] or 0),
            59 if leap else int(parts["second"] or 0), tzinfo=timezone(timedelta(minutes=minutes)),
        )  # fmt: skip
        instant = (local + timedelta(days=hour // 24, seconds=leap)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return instant if instant >= EARLIEST else None


def _expand_year(year: str) -> int:
    """Expand a year of two digits as in RFC 5322, section 4.3, but 70 to 99 mean 1970 to 1999."""
    if len(year) == 4:
        return int(year)
    return int(year) + (2000 if int(year) < 70 else 1900)


def _to_24_hours(hour: int, afternoon: bool | None) -> int:
    if hour > 24:
        raise ValueError(f"The hour {hour} does not exist.")
    if afternoon is None or hour > 12:
        return hour
    return hour % 12 + (12 if afternoon else 0)


def _is_afternoon(zone: str) -> bool | None:
    marker = zone[:2].upper()
    return marker == "PM" if marker in ("AM", "PM") else None


def _find_offset_minutes(zone: str, language: Language) -> int | None:
    """Return the offset of ``zone``, that of the language if it names none, and None if it is out of
    range."""
    zone = re.sub(r"^[AP]M\b\s*", "", zone.strip(), flags=re.IGNORECASE)
    if (offset := _OFFSET.fullmatch(zone)) is not None:
        minutes = int(offset[3]) * 60 + int(offset[4] or 0)
        return (-minutes if offset[2] == "-" else minutes) if minutes <= 14 * 60 else None
    zone_match = _NAMED.fullmatch(zone)
    name = zone_match[2].upper() if zone_match is not None else ""
    if name == "CST":
        return 480 if language == "zh" else -360
    return _ZONES.get(name, _OFFSET_OF_LANGUAGE[language])
