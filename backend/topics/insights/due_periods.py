"""Finds times that are no exact day (*by the end of Q1*, *the week of 9 November*, 11月上旬, 未来几周).

Such a time is shown in the report's own words, never as one of its days.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from backend.entities.model import Language
from backend.formats.chinese import to_simplified
from backend.topics.number_format import format_day

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>(?-i:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?|July?|Aug(?:ust|\.)?"
    r"|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?))(?![a-z])"
)
_YEAR = r"(?:,? (?:of )?(?:(?P<year>20\d\d)|(?P<next>next year)|this year|the year)(?!\d))?"
_PREPOSITION = r"(?:by|before|until|till|in|during|at|around|over|within|towards?)"
_DAY = rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? {_MONTH}|{_MONTH.replace('month', 'of')} (?P<at>\d{{1,2}}))"
_QUARTER = r"(?:Q(?P<quarter>[1-4])|(?P<ordinal>first|second|third|fourth) quarter)"
_HALF = r"(?:H(?P<half>[12])|(?P<which>first|second) half)"
_COUNT = r"(?:\d+|an?|one|two|three|four|five|six|seven|ten)"
_PERIODS: Mapping[Language, tuple[re.Pattern[str], ...]] = {
    "en": (
        re.compile(
            rf"\b(?:(?:in|during|by) )?the week (?:of|beginning|starting) {_DAY}{_YEAR}", re.IGNORECASE
        ),
        re.compile(rf"\b(?:on or )?(?:about|around|approximately) {_DAY}{_YEAR}", re.IGNORECASE),
        re.compile(rf"\b(?:on )?{_DAY}{_YEAR} or so\b", re.IGNORECASE),
        re.compile(
            rf"\b(?P<by>{_PREPOSITION} )?(?:(?:the )?(?:end|start|beginning|middle) of )?(?:the )?"
            rf"(?:(?:early|mid|late)[- ])?(?:{_QUARTER}|{_HALF}){_YEAR}\b",
            re.IGNORECASE,
        ),
        re.compile(
            rf"\b{_PREPOSITION} (?:(?:the )?(?:end|start|beginning|middle) of |(?:early|mid|late)[- ])?"
            rf"{_MONTH}(?! \d{{1,2}}\b){_YEAR}",
            re.IGNORECASE,
        ),
        re.compile(
            rf"\b{_PREPOSITION} (?:(?:the )?end of (?:the |this )?"
            r"(?:(?P<year>20\d\d)|year|quarter|month|week)|(?:the )?(?:year|month)(?:[’']s |-| )end"
            r"|(?:early|mid|late)[- ](?:(?P<from>20\d\d)|(?P<next>next year)))\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:(?:in|over|within|during) the (?:next|coming) (?:few |several )?(?:days|weeks|months)"
            rf"|within (?:the next )?{_COUNT} (?:hours|days|weeks?|months?)"
            r"|(?:early |late )?next (?:week|month|quarter|year)"
            r"|later this (?:week|month|quarter|year))\b",
            re.IGNORECASE,
        ),
    ),
    "ja": (
        re.compile(
            r"(?:(?:(?P<year>20\d\d)年|(?P<next>来年)|今年)の?)?(?P<month>\d{1,2})月?[～〜~-](?P<to>\d{1,2})月期"
        ),
        re.compile(
            r"(?:(?:(?P<year>20\d\d)年|(?P<next>来年)|今年)の?)?(?P<month>\d{1,2})月"
            r"(?:(?P<day>\d{1,2})日(?:の週|ごろ|頃|前後)|上旬|中旬|下旬|末|初め|前半|後半|中(?=に)|内)(?:まで)?"
        ),
        re.compile(
            r"(?:(?:(?P<year>20\d\d)年|(?P<next>来年)|今年)の?)?(?:第(?P<quarter>[1-4一二三四])四半期|(?P<half>[上下])半期)"
            r"(?:中|内|まで)?"
        ),
        re.compile(
            r"(?:(?:(?P<year>20\d\d)年|(?P<next>来年)|今年)の?(?:前半|後半|末|春|夏|秋|冬)|年内|年末|月内|月末|週内|来週|来月"
            r"|今後数(?:日|週間|[かカヶ]月))(?!の?[月火水木金土日]曜)(?:まで)?"
        ),
    ),
    "zh": (
        re.compile(
            r"(?:(?:(?P<year>20\d\d)年|(?P<next>明年)|今年))?(?P<month>\d{1,2})月"
            r"(?:(?P<day>\d{1,2})日(?:当周|左右|前后|那周)|上旬|中旬|下旬|底|末|初|份?内)(?:之?前)?"
        ),
        re.compile(
            r"(?<!对)(?<!对于)(?<!对第)(?<!对于第)(?:(?:(?P<year>20\d\d)年|(?P<next>明年)|今年))?(?:第?(?P<quarter>[一二三四1-4])季度|Q(?P<number>[1-4])"
            r"|(?P<half>[上下])半年)(?:内|末|之?前)?"
        ),
        re.compile(
            r"(?:(?P<year>20\d\d)年(?:底|末|初|中|内)|(?P<next>明年)(?:底|初|中|内)?|年(?:底|末|内)|月(?:底|末|内)"
            r"|下(?:周|个?月)(?![一二三四五六日天])|未来(?:几|数)(?:天|周|个月))(?:之?前)?"
        ),
    ),
}
"""The narrower times first."""
_NUMBERS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "上": 1,
    "下": 2,
}
_SAID_ON: Mapping[Language, str] = {
    "en": "{words} (said on {day})",
    "ja": "{words}（{day}の報道）",
    "zh": "{words}（{day}报道）",
}
_WITH_YEAR: Mapping[Language, str] = {
    "en": "{words} ({year})",
    "ja": "{words}（{year}年）",
    "zh": "{words}（{year}年）",
}
_MAX_PAST = timedelta(days=150)
"""Time since a month without a year beyond which the one of the next year is meant."""
_HORIZON_DAYS = (
    (re.compile(r"hour"), 3),
    (re.compile(r"day|日|天"), 7),
    (re.compile(r"week|週|周"), 31),
    (re.compile(r"month|月"), 62),
    (re.compile(r"quarter"), 92),
)
"""How far a time without a calendar (*in the coming weeks*) may reach, by its unit; another ends a year."""


@dataclass(frozen=True, slots=True)
class Period:
    """A time in a sentence. ``words`` are those of the report, with the year or the day of the report."""

    first: date
    last: date
    start: int
    end: int
    words: str


def find_periods(sentence: str, language: Language, written_on: date) -> Iterator[Period]:
    """Generate the times of a sentence that are no exact day, without overlap."""
    compared = to_simplified(sentence) if language == "zh" else sentence
    covered: list[tuple[int, int]] = []
    for pattern in _PERIODS[language]:
        for match in pattern.finditer(compared):
            start, end = match.span()
            if not _is_whole(match.groupdict()) or any(
                start < last and first < end for first, last in covered
            ):
                continue
            covered.append((start, end))
            words = sentence[start:end]
            days = _resolve(match.groupdict(), written_on)
            first, last = days or (written_on, _find_horizon(words, written_on))
            yield Period(first, last, start, end, _write(words, days, language, written_on))


def _is_whole(groups: Mapping[str, str | None]) -> bool:
    """False for an English quarter or half with neither preposition nor year (*third quarter results*)."""
    return "by" not in groups or any(groups[name] is not None for name in ("by", "year", "next"))


def _find_horizon(words: str, written_on: date) -> date:
    days = next((number for unit, number in _HORIZON_DAYS if unit.search(words)), None)
    return date(written_on.year, 12, 31) if days is None else written_on + timedelta(days=days)


def _write(words: str, days: tuple[date, date] | None, language: Language, written_on: date) -> str:
    capitalised = words[:1].upper() + words[1:]
    if days is None:
        return _SAID_ON[language].format(words=capitalised, day=format_day(written_on, language))
    if re.search(r"20\d\d", words):
        return capitalised
    return _WITH_YEAR[language].format(words=capitalised, year=days[0].year)


def _resolve(groups: Mapping[str, str | None], written_on: date) -> tuple[date, date] | None:
    """Return the first and the last day of a time; nothing if it has no calendar, None if it is none."""
    year = groups.get("year") or groups.get("from")
    is_next = groups.get("next") is not None
    named = groups.get("month") or groups.get("of")
    quarter = groups.get("quarter") or groups.get("ordinal") or groups.get("number")
    half = groups.get("half") or groups.get("which")
    if named is not None:
        month = int(named) if named.isdigit() else _MONTHS.index(named[:3].lower()) + 1
        months = (month, int(groups.get("to") or month))
    elif quarter is not None:
        number = _NUMBERS.get(quarter.lower()) or int(quarter)
        months = (3 * number - 2, 3 * number)
    elif half is not None:
        number = _NUMBERS.get(half.lower()) or int(half)
        months = (6 * number - 5, 6 * number)
    elif year is not None or is_next:
        months = (1, 12)
    else:
        return None
    if not 1 <= months[0] <= months[1] <= 12:
        return None
    of_year = int(year) if year else written_on.year + is_next
    if not year and not is_next and written_on - _end_month(of_year, months[1]) > _MAX_PAST:
        of_year += 1
    if (day := groups.get("day") or groups.get("at")) is not None:
        return _find_day(of_year, months[0], int(day))
    return date(of_year, months[0], 1), _end_month(of_year, months[1])


def _find_day(year: int, month: int, day: int) -> tuple[date, date] | None:
    if not 1 <= day <= monthrange(year, month)[1]:
        return None
    found = date(year, month, day)
    return found, found + timedelta(days=6)


def _end_month(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])
