"""Finds the days and times that a sentence names: dates, ranges, weekdays, tomorrow, and vague times."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from backend.entities.model import Language
from backend.formats.chinese import to_simplified
from backend.sources.claims import dates, numbers
from backend.topics.insights.due_periods import find_periods

ONE_DAY = timedelta(days=1)
_EN = re.IGNORECASE | re.ASCII
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"\b(?P<before>on|by|until|next|(?<!day )to) (?P<day>{'|'.join(_WEEKDAYS)})\b(?!['’])", _EN
    ),
    "ja": re.compile(r"(?<!再)(?P<before>来週)の?(?P<day>[月火水木金土日])曜"),
    "zh": re.compile(r"(?<!下)(?P<before>下)(?:周|星期|礼拜)(?P<day>[一二三四五六日天])"),
}
_DAY_SIGNS: Mapping[Language, str] = {"ja": "月火水木金土日", "zh": "一二三四五六日"}
_SPACE_IN_DATE = re.compile(r"(?<=\d) (?=[年月日号號])|(?<=[年月]) (?=\d)")
_DAY_WITHOUT_SIGN = re.compile(r"(?<=月)\d{1,2}(?=[~、至到-]\d{1,2}[日号])")
"""The first day of *10月27〜28日*."""
_TOMORROW = re.compile(
    r"(?<!of )(?<!for )(?<!than )(?<!today and )\btomorrow\b(?!['’]s)|(?<!発)明日|明天", re.IGNORECASE
)
_DATE_BEHIND = re.compile(r",? (?:[A-Z][a-z]{2,8}\.? \d|\d{1,2} [A-Z][a-z]{2})|日?[（(]\d")
"""A weekday in front of its date (*Monday, November 16*) names no other day."""
_EXPLICIT_YEAR = re.compile(r"(?:19|20)\d\d|年")
_WEEKDAY_IN_BRACKETS = r"(?:\((?:[月火水木金土日](?:曜日?)?|周.|星期.)\))?"
_FURTHER_DAY = re.compile(
    rf"{_WEEKDAY_IN_BRACKETS}(?:起?[至到]|[~-]|(?P<and>、)|から(?=\d+日まで)) ?(?P<day>\d{{1,2}})[日号]"
)
_RANGE_JOIN = re.compile(
    rf",? (?:(?P<to>to|until|till)|through|-|(?P<and>and)) (?:[A-Z][a-z]+day,? )?"
    rf"|-|{_WEEKDAY_IN_BRACKETS}(?:起?[至到]|[~-]|(?P<kara>から)) ?",
    re.ASCII,
)
_OPEN_END = re.compile(
    r" (?:through|to|until) \d{1,2}\b(?!:)|(?:至|到|[~-]|から) ?(?:\d|年|[上下]半|第.[四季])"
)
_OPEN_START = re.compile(r"(?:[旬末底初]|[春夏秋冬])(?:至|到|[~-]|から)$")
"""Ends of a range whose other end is no exact day (10月1日至12月底)."""
_BETWEEN = re.compile(r"\bbetween (?:[A-Z][a-z]+day,? )?$", re.IGNORECASE)
_MOVED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:exten[ds]|postpon|delay|defer|adjourn|reschedul|mov(?:e|ing)|push|chang|shift"
        r"|advanc|br(?:ing|ought) forward)",
        _EN,
    ),
    "ja": re.compile(r"延期|変更|延長|前倒|繰り|先送り"),
    "zh": re.compile(r"推迟|延期|延后|延长|改|提前|调整"),
}
"""*From August 19 to October 21* tells a former and a new day in a sentence with such a word."""


@dataclass(frozen=True, slots=True)
class NamedDay:
    """A day or time at ``start`` to ``end`` of a sentence, with the last of several days.

    ``words`` are those of the report for a time that is no exact day.
    """

    day: date
    start: int
    end: int
    has_year: bool = False
    is_relative: bool = False
    words: str = ""
    until: date | None = None


def normalize_days(sentence: str, language: Language) -> tuple[str, list[str]]:
    """Normalise numbers, and the spaces and ranges of days in dates. Return also the original of each
    letter, which is empty for an added one."""
    full = numbers.normalize(sentence, language)
    removed = {match.start() for match in _SPACE_IN_DATE.finditer(full)}
    places = [place for place in range(len(full)) if place not in removed]
    plain, letters = "".join(full[place] for place in places), [sentence[place] for place in places]
    for match in reversed([*_DAY_WITHOUT_SIGN.finditer(plain)]):
        letters.insert(match.end(), "")
    return _DAY_WITHOUT_SIGN.sub(r"\g<0>日", plain), letters


def list_days(plain: str, letters: Sequence[str], language: Language, written_on: date) -> Iterator[NamedDay]:
    """Generate the days and times of a normalised sentence, the vague ones first."""
    covered = bytearray(len(plain))
    for period in find_periods(plain, language, written_on, letters):
        covered[period.start : period.end] = b"\1" * (period.end - period.start)
        yield NamedDay(period.first, period.start, period.end, words=period.words, until=period.last)
    for named in _join_ranges(_list_exact_days(plain, covered, written_on), plain, language):
        if not (_OPEN_END.match(plain, named.end) or _OPEN_START.search(plain[: named.start])):
            yield named
    if tomorrow := _TOMORROW.search(plain):
        yield NamedDay(written_on + ONE_DAY, *tomorrow.span(), is_relative=True)
    for match in _WEEKDAY[language].finditer(to_simplified(plain) if language == "zh" else plain):
        if _DATE_BEHIND.match(plain, match.end()):
            continue
        if (day := _find_weekday(match, language, written_on)) is not None:
            yield NamedDay(day, match.start("day"), match.end(), is_relative=True)


def _list_exact_days(plain: str, covered: bytearray, written_on: date) -> Iterator[NamedDay]:
    for span in dates.find_dates(plain, written_on):
        is_part = covered.find(1, span.start, span.end) >= 0
        if span.precision != "day" or span.yearless or span.other is not None or is_part:
            continue
        has_year = _EXPLICIT_YEAR.search(span.text) is not None
        until = span.last if span.last > span.first else None
        named = NamedDay(span.first, span.start, span.end, has_year=has_year, until=until)
        further = _FURTHER_DAY.match(plain, span.end)
        yield _extend(named, further) if further else named


def _extend(named: NamedDay, further: re.Match[str]) -> NamedDay:
    """Add the last day of *11月7日〜9日*."""
    number = int(further["day"])
    is_next = number == named.day.day + 1
    if (further["and"] and not is_next) or number <= named.day.day:
        return named
    try:
        return replace(named, until=named.day.replace(day=number), end=further.end())
    except ValueError:
        return named


def _join_ranges(listed: Iterator[NamedDay], plain: str, language: Language) -> Iterator[NamedDay]:
    """Join the first and the last day of a range to one."""
    former: NamedDay | None = None
    is_moved = _MOVED[language].search(plain) is not None
    for named in listed:
        if former is not None and _is_range(former, named, plain, is_moved=is_moved):
            until = named.until or named.day
            has_year = former.has_year or named.has_year
            former = replace(former, until=until, end=named.end, has_year=has_year)
            continue
        if former is not None:
            yield former
        former = named
    if former is not None:
        yield former


def _is_range(former: NamedDay, named: NamedDay, plain: str, *, is_moved: bool) -> bool:
    join = _RANGE_JOIN.fullmatch(plain, former.end, named.start)
    if join is None or former.until is not None or named.day <= former.day:
        return False
    if join["and"]:
        return _BETWEEN.search(plain[: former.start]) is not None
    if join["kara"] and not plain.startswith("まで", named.end):
        return False
    return not (is_moved and (join["to"] or join["kara"]))


def _find_weekday(match: re.Match[str], language: Language, written_on: date) -> date | None:
    """Find the day that a weekday means. The week begins on Monday.

    *Next Friday* on a Tuesday is unclear, and *on Friday* on a Friday is the day of the report."""
    if language == "en":
        number = _WEEKDAYS.index(match["day"].lower())
        if match["before"].lower() == "next" and number > written_on.weekday():
            return None
        if match["before"].lower() == "on" and number == written_on.weekday():
            return None
        return written_on + timedelta(days=(number - written_on.weekday() - 1) % 7 + 1)
    number = _DAY_SIGNS[language].index(match["day"].replace("天", "日"))
    return written_on + timedelta(days=7 - written_on.weekday() + number)
