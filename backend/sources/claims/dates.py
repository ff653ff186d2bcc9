"""Finds the dates of English, Japanese and Chinese texts, each as a span of possible days.

Decisions: early, mid and late change nothing. 20/04/2024 and 04/20/2024 show their order; for 04/05/2024 both
days are kept (``other``). A day without a year gets the year of ``reference``, or a neighbouring year if that
is eight months nearer; without a reference it stays ``yearless``. Relative dates (yesterday, 去年) need a
reference too and are skipped without one. Years range from 1900 to 2099."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Literal

from backend.sources.claims import named_days, numbers
from backend.sources.claims.model import DateSpan, Precision

TWO_DIGIT_YEAR_BASE = 2000
"""Added to years of two digits."""
PLACEHOLDER_YEAR = 2000
"""The year of dates without a year: a leap year, so that 29 February is valid."""
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: k for k, name in enumerate(_MONTH_NAMES, 1)}
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "R": 2018, "H": 1988}
_MONTH = (
    r"(?P<month>Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?\.?|July?\.?|Aug(?:ust|\.)?"
    r"|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)(?![A-Za-z])"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:-(?P<until>\d{1,2})(?:st|nd|rd|th)?)?(?!\d|[,.]\d)"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d|[,.]\d|-\d)"
_ISO = re.compile(
    r"(?<![\w/-])(?<!\d[.,])(?P<year>(?:19|20)\d\d)(?P<sep>[-/.])(?P<month>\d{1,2})(?:(?P=sep)(?P<day>\d{1,2}))?"
    r"(?![\d/-]|[.,]\d)(?:T\d\d(?::?\d\d){1,2}(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)
_SLASHED = re.compile(
    r"(?<![\w/-])(?<!\d[.,])(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<year>(?:19|20)\d\d)(?![\d/-])",
    re.ASCII,
)
_DAY_FIRST = re.compile(
    rf"(?<![\w-])(?<!\d[.,]){_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?", re.IGNORECASE | re.ASCII
)
_MONTH_FIRST = re.compile(rf"(?<![A-Za-z]){_MONTH} {_DAY}(?:,? {_YEAR})?", re.IGNORECASE | re.ASCII)
_MONTH_YEAR = re.compile(rf"(?<![A-Za-z]){_MONTH}(?: of|,)? {_YEAR}", re.IGNORECASE | re.ASCII)
_MONTH_ALONE = re.compile(
    r"\b(?:[Ii]n|[Oo]f|[Bb]y|[Ss]ince|[Uu]ntil|[Dd]uring|[Ll]ast|[Tt]his|[Ee]arly|[Mm]id|[Ll]ate)[ -]"
    rf"{_MONTH}",
    re.ASCII,
)
_QUARTER = re.compile(
    r"\b(?:Q(?P<q>[1-4])|(?P<r>[1-4])Q|(?P<word>first|second|third|fourth) quarter)(?: of|,)?[ ']{0,2}"
    r"(?P<year>(?:19|20)\d\d)\b|\b(?P<before>(?:19|20)\d\d)[ -]?Q(?P<s>[1-4])\b",
    re.IGNORECASE | re.ASCII,
)
_HALF = re.compile(
    r"\b(?:H(?P<h>[12])|(?P<word>first|second) half)(?: of|,)? (?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE | re.ASCII,
)
_YEAR_ALONE = re.compile(
    r"(?:\b(?:[Ee]arly|[Mm]id|[Ll]ate)-|(?<![\w/#№$€£¥-])(?<!\d[.,]))(?P<year>(?:19|20)\d\d)(?!-\d|[\w%/枚億万亿個个]|[.,]\d"
    r"| ?(?:[$€£¥%]|BTC|ETH|USD|bitcoin|million|billion))",
    re.ASCII,
)
_HAN_NUMBER = "[〇零一二三四五六七八九十]"
_HAN_DATE = re.compile(
    r"(?:(?<!\d)(?<!\d[,.])(?:(?P<era>令和|平成|昭和|(?<![A-Za-z])[RH])?"
    rf"(?P<year>元|\d{{1,4}}|{_HAN_NUMBER}{{1,4}})年度?"
    r"|(?P<relative>今年|本年|去年|昨年|前年|一昨年|来年|明年|同年)))"
    r"(?:(?P<from_month>\d{1,2})月?[~-](?P<to_month>\d{1,2})月期?"
    rf"| ?(?P<month>\d{{1,2}}|{_HAN_NUMBER}{{1,3}})月(?:份)?"
    rf"(?:(?P<day>\d{{1,2}}|{_HAN_NUMBER}{{1,3}})[日号號])?"
    r"|の?第?(?P<quarter>[1-4一二三四])(?:四半期|季度|季|Q)|の?(?P<part>[上下前後后])半[年期]"
    r"|[ -]?Q(?P<q>[1-4]))?"
)
_YEAR_PART = re.compile("の?(?:[春夏秋冬末底]|初(?!日|回|め)|年初|年末|半ば|前半|後半)")
_HAN_MONTH = re.compile(
    rf"(?<!\d)(?<!\d[,.])(?<!年)(?P<month>\d{{1,2}}|{_HAN_NUMBER}{{1,3}})月(?:份)?"
    rf"(?:(?P<day>\d{{1,2}}|{_HAN_NUMBER}{{1,3}})[日号號])?"
)
_RELATIVE_DAY = re.compile(
    r"\b(?P<en>yesterday|today)\b|(?P<other>一昨日|昨日|昨天|前天|前日|本日|今日|今天)",
    re.IGNORECASE | re.ASCII,
)
_RELATIVE_SPAN = re.compile(
    r"\b(?P<en>last|this) (?P<unit>month|year)\b"
    r"|(?P<other>先月|今月|来月|上个月|上個月|上月|本月|这个月|這個月)",
    re.IGNORECASE | re.ASCII,
)
_DAYS_BACK = {"yesterday": 1, "昨日": 1, "昨天": 1, "前日": 1, "一昨日": 2, "前天": 2}
_YEAR_OFFSETS = {"去年": -1, "昨年": -1, "前年": -2, "一昨年": -2, "来年": 1, "明年": 1}
_MONTH_OFFSETS = {"last": -1, "先月": -1, "上个月": -1, "上個月": -1, "上月": -1, "来月": 1}
_MAX_DAYS_FROM_REFERENCE = 240
"""Distance in days from the reference beyond which a neighbouring year is more likely."""
_ORDER = {"first": 1, "second": 2, "third": 3, "fourth": 4, "一": 1, "二": 2, "三": 3, "四": 4}
_WEST, _EAST = timezone(timedelta(hours=-8)), timezone(timedelta(hours=9))


def find_dates(text: str, reference: date | None = None) -> list[DateSpan]:
    """Find the dates of a plain ``text``, in order and without overlap. ``reference`` is the day of writing,
    or of the event."""
    spans: list[DateSpan] = []
    covered = bytearray(len(text))
    for named_day in named_days.find_named_days(text):
        covered[named_day.start : named_day.end] = b"\1" * (named_day.end - named_day.start)
        spans.append(named_day)
    for pattern, reader in _list_notations(text):
        for match in pattern.finditer(text):
            if covered[match.start()] or covered[match.end() - 1]:
                continue
            span = reader(match, reference)
            if span is not None:
                covered[match.start() : match.end()] = b"\1" * (match.end() - match.start())
                spans.append(span)
    spans.sort(key=lambda span: span.start)
    dependent = list(named_days.find_dependent_dates(text, spans))
    starts = {span.start for span in dependent}
    spans = [span for span in spans if span.start not in starts] + dependent
    return _fill_in_years(sorted(spans, key=lambda span: span.start))


def _fill_in_years(spans: list[DateSpan]) -> list[DateSpan]:
    """Give a yearless date the year of the date before it, as readers do (15 May 2021, then 24 May)."""
    year = None
    completed = []
    for span in spans:
        if span.yearless and year is not None and (span.first.month, span.first.day) != (2, 29):
            span = replace(
                span,
                first=span.first.replace(year=year),
                last=span.last.replace(
                    year=year, day=min(span.last.day, monthrange(year, span.last.month)[1])
                ),
                yearless=False,
                other=_find_next_year(span, completed[-1], year),
            )
        elif not span.yearless:
            year = span.first.year
        completed.append(span)
    return completed


def _find_next_year(span: DateSpan, previous: DateSpan, year: int) -> date | None:
    """Return a day in the next year if it precedes the date before it: November 2024, then 20 January."""
    day = span.first.replace(year=year)
    return day.replace(year=year + 1) if span.precision == "day" and day < previous.first else span.other


def build_record_date(
    published_at: datetime | None, precision: Literal["year", "month", "day", "second"] | None
) -> DateSpan | None:
    """Build the date of a record's event. A known time has the day in Los Angeles and the day in Tokyo, the
    range of its readers' zones. A record of a day has that day alone."""
    if published_at is None:
        return None
    utc = published_at.astimezone(UTC)
    if precision == "year":
        return _build_span(date(utc.year, 1, 1), date(utc.year, 12, 31), "year", str(utc.year))
    if precision == "month":
        return _build_month(utc.year, utc.month, f"{utc:%Y-%m}")
    days = {utc.astimezone(zone).date() for zone in (_WEST, _EAST)} - {utc.date()}
    other = days.pop() if precision == "second" and days else None
    return _build_span(utc.date(), utc.date(), "day", utc.date().isoformat(), other=other)


def can_agree(span: DateSpan, other_span: DateSpan) -> bool:
    """True if two dates may mean the same day; either may be coarser than the other."""
    ranges = [(span.first, span.last)] + ([(span.other, span.other)] if span.other else [])
    other_ranges = [(other_span.first, other_span.last)] + (
        [(other_span.other, other_span.other)] if other_span.other else []
    )
    yearless = span.yearless or other_span.yearless
    return any(
        _share_season(a, b) if yearless else a[0] <= b[1] and b[0] <= a[1]
        for a in ranges
        for b in other_ranges
    )


def _share_season(day_range: tuple[date, date], other_range: tuple[date, date]) -> bool:
    """True if two spans of at most a year share a month and day in any year."""
    firsts = [(days[0].month, days[0].day) for days in (day_range, other_range)]
    lasts = [(days[1].month, days[1].day) for days in (day_range, other_range)]
    return firsts[0] <= lasts[1] and firsts[1] <= lasts[0]


Reader = Callable[["re.Match[str]", date | None], DateSpan | None]


def _list_notations(text: str) -> Iterator[tuple[re.Pattern[str], Reader]]:
    """Generate the notations that ``text`` may contain, fuller ones first; searching for all would be
    slower."""
    digits = _ANY_DIGIT.search(text) is not None
    letters = _ANY_MONTH.search(text) is not None
    if "年" in text or "月" in text:
        yield _HAN_DATE, _read_han
        yield _HAN_MONTH, _read_han_month
    if digits:
        yield _ISO, _read_iso
        yield _SLASHED, _read_slashed
        if letters:
            yield _DAY_FIRST, _read_english
            yield _MONTH_FIRST, _read_english
            yield _MONTH_YEAR, _read_english
        yield _QUARTER, _read_quarter
        yield _HALF, _read_half
    if letters:
        yield _MONTH_ALONE, _read_english
    if digits:
        yield _YEAR_ALONE, _read_year
    yield _RELATIVE_DAY, _read_relative_day
    yield _RELATIVE_SPAN, _read_relative_span


_ANY_DIGIT = re.compile(r"\d")
_ANY_MONTH = re.compile("jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE | re.ASCII)


def _build_span(
    first: date, last: date, precision: Precision, text: str, start: int = 0, other: date | None = None
) -> DateSpan:
    return DateSpan(first, last, precision, start, start + len(text), text, other)


def _build_day(year: int, month: int, day: int) -> date | None:
    return date(year, month, day) if 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1] else None


def _build_month(year: int, month: int, text: str, start: int = 0) -> DateSpan | None:
    if not 1 <= month <= 12:
        return None
    return _build_span(
        date(year, month, 1), date(year, month, monthrange(year, month)[1]), "month", text, start
    )


def _build_months(year: int, first: int, last: int, match: re.Match[str]) -> DateSpan:
    end = date(year, last, monthrange(year, last)[1])
    return _build_span(date(year, first, 1), end, "quarter", match.group(), match.start())


def _build_year(year: int, match: re.Match[str]) -> DateSpan:
    return _build_span(date(year, 1, 1), date(year, 12, 31), "year", match.group(), match.start())


def _build_day_or_month(
    year: int | None,
    month: int,
    day: int | None,
    match: re.Match[str],
    reference: date | None,
    until: int | None = None,
) -> DateSpan | None:
    """Read a day or month whose year may come from the reference."""
    if not 1 <= month <= 12:
        return None
    resolved_year = year or (
        _find_nearest_year(month, day, reference) if reference is not None else PLACEHOLDER_YEAR
    )
    if day is None:
        span = _build_month(resolved_year, month, match.group(), match.start())
    else:
        first, last = _build_day(resolved_year, month, day), _build_day(resolved_year, month, until or day)
        if first is None or last is None or last < first:
            return None
        span = _build_span(first, last, "day", match.group(), match.start())
    if span is None or year is not None or reference is not None:
        return span
    return replace(span, yearless=True)


def _find_nearest_year(month: int, day: int | None, reference: date) -> int:
    away = (date(PLACEHOLDER_YEAR, month, min(day or 15, 28)) - reference.replace(year=PLACEHOLDER_YEAR)).days
    return reference.year + (
        -1 if away > _MAX_DAYS_FROM_REFERENCE else 1 if away < -_MAX_DAYS_FROM_REFERENCE else 0
    )


def _read_english(match: re.Match[str], reference: date | None) -> DateSpan | None:
    parts = match.groupdict()
    month = _MONTHS[parts["month"][:3].lower()]
    if parts["month"][0].islower() and parts["month"] in ("may", "march", "mar") and not parts.get("year"):
        return None  # the verb
    year, day, until = (int(parts[name]) if parts.get(name) else None for name in ("year", "day", "until"))
    return _build_day_or_month(year, month, day, match, reference, until)


def _read_iso(match: re.Match[str], reference: date | None) -> DateSpan | None:
    year, month = int(match["year"]), int(match["month"])
    if match["day"] is None:
        return _build_month(year, month, match.group(), match.start()) if len(match["month"]) == 2 else None
    return _build_day_or_month(year, month, int(match["day"]), match, reference)


def _read_slashed(match: re.Match[str], _: date | None) -> DateSpan | None:
    year, a, b = int(match["year"]), int(match["a"]), int(match["b"])
    readings = [day for day in (_build_day(year, b, a), _build_day(year, a, b)) if day is not None]
    if not readings:
        return None
    other = readings[1] if len(readings) > 1 and readings[1] != readings[0] else None
    return _build_span(readings[0], readings[0], "day", match.group(), match.start(), other)


def _read_quarter(match: re.Match[str], _: date | None) -> DateSpan | None:
    word = match["word"]
    quarter = _ORDER[word.lower()] if word else int(match["q"] or match["r"] or match["s"])
    return _build_months(int(match["year"] or match["before"]), 3 * quarter - 2, 3 * quarter, match)


def _read_half(match: re.Match[str], _: date | None) -> DateSpan | None:
    half = _ORDER[match["word"].lower()] if match["word"] else int(match["h"])
    return _build_months(int(match["year"]), 6 * half - 5, 6 * half, match)


def _read_year(match: re.Match[str], _: date | None) -> DateSpan | None:
    return _build_year(int(match["year"]), match)


def _parse_han_number(text: str) -> int:
    if text == "元":
        return 1
    value = numbers.parse(text, "ja")
    return int(value) if value is not None else 0


def _read_han(match: re.Match[str], reference: date | None) -> DateSpan | None:
    if match["relative"] is not None:
        if reference is None:
            return _read_han_month(match, None) if match["month"] is not None else None
        year = reference.year + _YEAR_OFFSETS.get(match["relative"], 0)
    else:
        year = _parse_han_number(match["year"]) + _ERAS.get(match["era"] or "", 0)
        if match["year"] == "元" and match["era"] is None:
            return None
        is_short = match["era"] is None and len(match["year"]) == len("25") and match["year"].isdigit()
        has_part = any(match[part] is not None for part in ("month", "quarter", "q", "part"))
        if is_short and (has_part or _YEAR_PART.match(match.string, match.end())):
            year += TWO_DIGIT_YEAR_BASE  # 25年3月, 25年春; 25年 alone may be a duration
    if not 1900 <= year <= 2099:
        return None
    if match["from_month"] is not None:
        first, last = int(match["from_month"]), int(match["to_month"])
        return _build_months(year, first, last, match) if 1 <= first <= last <= 12 else None
    if match["month"] is not None:
        day = _parse_han_number(match["day"]) if match["day"] else None
        return _build_day_or_month(year, _parse_han_number(match["month"]), day, match, reference)
    if (quarter := match["quarter"] or match["q"]) is not None:
        number = _ORDER.get(quarter) or int(quarter)
        return _build_months(year, 3 * number - 2, 3 * number, match)
    if match["part"] is not None:
        half = 1 if match["part"] in "上前" else 2
        return _build_months(year, 6 * half - 5, 6 * half, match)
    return _build_year(year, match)


def _read_han_month(match: re.Match[str], reference: date | None) -> DateSpan | None:
    day = _parse_han_number(match["day"]) if match["day"] else None
    return _build_day_or_month(None, _parse_han_number(match["month"]), day, match, reference)


def _read_relative_day(match: re.Match[str], reference: date | None) -> DateSpan | None:
    if reference is None or reference <= date(1900, 1, 3):
        return None
    day = reference - timedelta(days=_DAYS_BACK.get(match.group().lower(), 0))
    return _build_span(day, day, "day", match.group(), match.start())


def _read_relative_span(match: re.Match[str], reference: date | None) -> DateSpan | None:
    if reference is None:
        return None
    offset = _MONTH_OFFSETS.get((match["en"] or match["other"]).lower(), 0)
    if match["unit"] is not None and match["unit"].lower() == "year":
        return _build_year(reference.year + offset, match)
    months = reference.year * 12 + reference.month - 1 + offset
    return _build_month(months // 12, months % 12 + 1, match.group(), match.start())
