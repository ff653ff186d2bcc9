"""Finds days that are named (three days before Christmas 2020) and months of the next year (翌年1月)."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from backend.sources.claims import numbers
from backend.sources.claims.model import DateSpan, Precision

_DAYS = {
    "new year's day": (1, 1),
    "valentine's day": (2, 14),
    "halloween": (10, 31),
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "元日": (1, 1),
    "元旦": (1, 1),
    "バレンタインデー": (2, 14),
    "情人节": (2, 14),
    "クリスマスイブ": (12, 24),
    "平安夜": (12, 24),
    "クリスマス": (12, 25),
    "圣诞节": (12, 25),
    "大晦日": (12, 31),
}
_NAMES = "|".join(sorted(_DAYS, key=len, reverse=True))
_NAMED = re.compile(
    r"(?:\b(?P<count>a|one|two|three|four|five|six|seven|ten|\d{1,2}) (?P<unit>day|week)s?"
    r" (?P<way>before|after) )?(?:(?P<before>(?:19|20)\d\d)年の?)?"
    rf"(?<![a-z])(?P<name>{_NAMES})(?: of|,)?(?: (?P<behind>(?:19|20)\d\d)(?!\d))?",
    re.IGNORECASE,
)
NEAR = timedelta(days=14)
"""How far "shortly before Christmas" reaches."""
_BEFORE_EN = re.compile(r"\b(?:before|ahead of|on the eve of) $", re.IGNORECASE)
_AFTER_EN = re.compile(r"\bafter $", re.IGNORECASE)
_AROUND_EN = re.compile(r"\b(?:around|about|near) $", re.IGNORECASE)
_AROUND_HAN = re.compile("前後|前后|ごろ|頃|左右")
_BEFORE_HAN = re.compile("の?直前|前夜|之?前|前夕|を前に")
_AFTER_HAN = re.compile("の?直後|明け|之?后|過ぎ|后|後")
_NEXT_YEAR_EN = re.compile(r" of the (?P<which>following|next|same) year\b")
_NEXT_YEAR_HAN = re.compile(r"(?P<which>翌年|次年|同年)の?(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})日)?")


def find_named_days(text: str) -> Iterator[DateSpan]:
    """Find the named days of a plain text that have a year."""
    for match in _NAMED.finditer(text):
        year = match["before"] or match["behind"]
        if year is None:
            continue
        day = date(int(year), *_DAYS[match["name"].lower()])
        if match["count"] is not None:
            count = numbers.parse(match["count"]) or 1
            step = timedelta(days=int(count) * (7 if match["unit"].lower() == "week" else 1))
            day = day - step if match["way"].lower() == "before" else day + step
        first, last = (day, day) if match["count"] is not None else _find_range(text, match, day)
        precision: Precision = "day" if first == last else "month"
        yield DateSpan(first, last, precision, match.start(), match.end(), match.group())


def _find_range(text: str, match: re.Match[str], day: date) -> tuple[date, date]:
    """Return the days that a text may mean with words such as *shortly before* beside a named day."""
    before, end = text[: match.start()], match.end()
    if _AROUND_EN.search(before) or _AROUND_HAN.match(text, end):
        return day - NEAR, day + NEAR
    if _BEFORE_EN.search(before) or _BEFORE_HAN.match(text, end):
        return day - NEAR, day
    if _AFTER_EN.search(before) or _AFTER_HAN.match(text, end):
        return day, day + NEAR
    return day, day


def find_dependent_dates(text: str, spans: Sequence[DateSpan]) -> Iterator[DateSpan]:
    """Find the dates that take their year from the one before: 翌年1月20日, 20 January of the following year.

    ``spans`` are the dates found so far, in order. The English ones replace the span at their place.
    """
    dated = [span for span in spans if not span.yearless]
    for match in _NEXT_YEAR_HAN.finditer(text):
        before = [span for span in dated if span.end <= match.start()]
        if not before:
            continue
        year = before[-1].first.year + (match["which"] != "同年")
        span = _build_span(year, int(match["month"]), int(match["day"] or 0), match.start(), match.group())
        if span is not None:
            yield span
    for span in spans:
        year_match = _NEXT_YEAR_EN.match(text, span.end)
        before = [earlier_span for earlier_span in dated if earlier_span.end <= span.start]
        if year_match is None or not before or span.precision not in ("day", "month"):
            continue
        year = before[-1].first.year + (year_match["which"] != "same")
        day = span.first.day if span.precision == "day" else 0
        resolved = _build_span(year, span.first.month, day, span.start, text[span.start : year_match.end()])
        if resolved is not None:
            yield resolved


def _build_span(year: int, month: int, day: int, start: int, text: str) -> DateSpan | None:
    try:
        first = date(year, month, day or 1)
    except ValueError:
        return None
    if day:
        return DateSpan(first, first, "day", start, start + len(text), text)
    last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    return DateSpan(first, last, "month", start, start + len(text), text)
