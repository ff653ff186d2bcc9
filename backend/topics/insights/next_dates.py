"""Finds the next days and times at which something of a topic is due: a vote, a deadline, an unlock."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.sources.claims import dates, numbers
from backend.topics.insights.due_periods import find_periods
from backend.topics.insights.model import NextDate, Report
from backend.topics.insights.scheduled_days import is_ahead
from backend.topics.insights.statements import list_report_sentences, matches

MAX_DATES = 5
MAX_DAYS_AHEAD = 3 * 366
ONE_DAY = timedelta(days=1)
"""A further day of a sentence this near to its first is the same one in another time zone."""
_NEAR_CHARS: Mapping[Language, int] = {"en": 60, "ja": 36, "zh": 36}
_CLAUSE_MARK: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"[,;:—–] |\b(?:and|but|while|after|before|when|if)\b"),
    "ja": re.compile(r"[、。；]"),
    "zh": re.compile(r"[，；：]"),
}
_DATED_LINE = re.compile(r"^[・•●○※*-]?\s*(?P<label>[^:：。.\d]{2,40})[:：]\s*(?=\S*\d)(?P<day>[^。]{4,40})$")
"""A line of a notice that gives the day of a step (預け入れの終了：2月3日)."""
_LABELS_FILE = Path(__file__).parent / "data" / "due_labels.yaml"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"\b(?P<before>on|by|until|next) (?P<day>{'|'.join(_WEEKDAYS)})\b(?!['’])", re.IGNORECASE
    ),
    "ja": re.compile(r"(?P<before>来週)の?(?P<day>[月火水木金土日])曜"),
    "zh": re.compile(r"(?P<before>下)(?:周|星期|礼拜)(?P<day>[一二三四五六日天])"),
}
_DAY_SIGNS: Mapping[Language, str] = {"ja": "月火水木金土日", "zh": "一二三四五六日"}
_SPACE_IN_DATE = re.compile(r"(?<=\d) (?=[年月日号號])|(?<=[年月]) (?=\d)")
_CJK_DAY_RANGE = re.compile(r"(?<=月)(\d{1,2})[〜～~、-]\d{1,2}(?=日)")
_TOMORROW = re.compile(
    r"(?<!of )(?<!for )(?<!than )(?<!today and )\btomorrow\b(?!['’]s)|(?<!発)明日|明天", re.IGNORECASE
)
_DATE_BEHIND = re.compile(r",? (?:[A-Z][a-z]{2,8}\.? \d|\d{1,2} [A-Z][a-z]{2})|日?[（(]\d")
"""A weekday in front of its date (*Monday, November 16*) names no other day."""
_BARE_MONTH = re.compile(r"^(?:In|During) [A-Z]|月(?:中|内|份)")
_EXPLICIT_YEAR = re.compile(r"(?:19|20)\d\d|年")
_CERTAINTY_TEMPLATES: Mapping[Language, tuple[tuple[re.Pattern[str], str], ...]] = {
    "en": (
        (
            re.compile(
                r"\b(?:could|might|may(?! \d)|possibl[ey]|perhaps|likely|as (?:early|soon) as"
                r"|at the earliest)\b"
            ),
            "{label} (possible)",
        ),
        (
            re.compile(
                r"\b(?:expect\w*|plan(?:s|ned|ning) (?:to|for|on)|aim(?:s|ing)?|target\w*|propos\w+"
                r"|tentative\w*)\b"
            ),
            "{label} (planned)",
        ),
    ),
    "ja": (
        (re.compile(r"可能性|早ければ|かもしれ|見込|見通し|最短"), "{label}（見込み）"),
        (re.compile(r"予定|計画|目指|方針|目標"), "{label}（予定）"),
    ),
    "zh": (
        (re.compile(r"可能|最早|或(?:于|将|在)|有望|最快"), "{label}（可能）"),
        (re.compile(r"计划|预计|拟|目标|预定|力争"), "{label}（计划）"),
    ),
}
"""How certain a day is, by words of its sentence, the least certain first."""


@dataclass(frozen=True, slots=True)
class _NamedDay:
    day: date
    start: int
    end: int
    has_year: bool = False
    is_relative: bool = False
    words: str = ""
    """See :class:`NextDate`."""
    until: date | None = None


def find_next_dates(
    reports: Sequence[Report],
    language: Language,
    today: date,
    shown_text: str = "",
    earlier: Sequence[Report] = (),
) -> list[NextDate]:
    """Find the times from ``today`` on that reports of ``language`` name, the next one first; a report's own
    day is none. Each time occurs once, and a further one of a sentence only with a word on what is due.

    ``shown_text`` is what the reader has read. What ``earlier`` reports plan counts only for days after
    ``reports``, and only if these name no time for the same.
    """
    found: dict[tuple[date, str], NextDate] = {}
    _add_dates(found, reports, language, today, shown_text)
    labels = {_cut_certainty(one.label, language) for one in found.values()}
    newest = max((report.published_at.date() for report in reports), default=today)
    before: dict[tuple[date, str], NextDate] = {}
    _add_dates(before, earlier, language, max(today, newest + ONE_DAY), shown_text)
    for key, one in before.items():
        if one.label and _cut_certainty(one.label, language) not in labels:
            found.setdefault(key, one)
    return _drop_wider(found.values())[:MAX_DATES]


def _drop_wider(found: Collection[NextDate]) -> list[NextDate]:
    """Leave out a month (*in October*) of which an exact day is known, and sort the others."""
    days = [one.day for one in found if not one.words]
    kept = [
        one
        for one in found
        if not (_BARE_MONTH.search(one.words) and any(one.day <= day <= one.last for day in days))
    ]
    return sorted(kept, key=lambda one: (one.last, one.words))


def _add_dates(
    found: dict[tuple[date, str], NextDate],
    reports: Sequence[Report],
    language: Language,
    today: date,
    shown_text: str,
) -> None:
    seen_texts: set[str] = set()
    for report in reports:
        written_on = report.published_at.date()
        for line in report.text.split("\n"):
            dated = _DATED_LINE.match(line)
            day = _read_day(dated["day"], language, written_on) if dated else None
            if dated and day and written_on < day and today <= day:
                text = line[dated.start("label") :]
                found.setdefault((day, dated["label"]), NextDate(day, text, report.source, dated["label"]))
        titled = (report.title, report.title)
        for sentence, quote in (*list_report_sentences(report, shown_text), titled):
            if not matches(sentence, "due", language) or matches(sentence, "forecast", language):
                continue
            plain = _normalize_days(sentence, language)
            for named in _list_days_ahead(plain, language, written_on):
                label = _add_certainty(find_label(plain, language, named.start), plain, language, named.start)
                last = named.until or named.day
                is_near = written_on < last and today <= last <= today + timedelta(MAX_DAYS_AHEAD)
                is_further = quote in seen_texts and (not label or (named.day - ONE_DAY, "") in found)
                key = (named.day, last.isoformat() if named.words else "")
                is_new = key not in found and not is_further
                if is_near and is_new:
                    seen_texts.add(quote)
                    found[key] = NextDate(named.day, quote, report.source, label, named.words, named.until)


def find_label(sentence: str, language: Language, at: int) -> str:
    """Say in a word or two what is due on the day at ``at``, by the words of its clause, or else by those
    near it; empty if none fits."""
    near, place = _cut_near(sentence, language, at)
    marks = [match.span() for match in _CLAUSE_MARK[language].finditer(near)]
    start = max((end for _, end in marks if end <= place), default=0)
    end = min((first for first, _ in marks if first > place), default=len(near))
    labels = _load_labels()[language]
    return next(
        (label for text in (near[start:end], near) for pattern, label in labels if pattern.search(text)), ""
    )


def _cut_near(sentence: str, language: Language, at: int) -> tuple[str, int]:
    """Return the text near a place, and the place in it."""
    start = max(0, at - _NEAR_CHARS[language])
    near = sentence[start : at + _NEAR_CHARS[language]]
    return to_simplified(near) if language == "zh" else near, at - start


def _add_certainty(label: str, sentence: str, language: Language, at: int) -> str:
    """Add to a label that its day is only planned or possible: its reader may not see the sentence."""
    near, _ = _cut_near(sentence, language, at)
    templates = (one for pattern, one in _CERTAINTY_TEMPLATES[language] if pattern.search(near))
    return next(templates, "{label}").format(label=label) if label else ""


@cache
def _load_labels() -> Mapping[Language, Sequence[tuple[re.Pattern[str], str]]]:
    listed = yaml.safe_load(_LABELS_FILE.read_text("utf-8"))
    return {
        language: [
            (re.compile(entry["pattern"], re.IGNORECASE), entry["label"]) for entry in listed[language]
        ]
        for language in LANGUAGES
    }


def _normalize_days(sentence: str, language: Language) -> str:
    """Normalise numbers, and the spaces and ranges of days in dates, which changes positions."""
    return _CJK_DAY_RANGE.sub(r"\1", _SPACE_IN_DATE.sub("", numbers.normalize(sentence, language)))


def _read_day(text: str, language: Language, written_on: date) -> date | None:
    """Return the day with which a text begins; None without one."""
    listed = dates.find_dates(_normalize_days(text, language), written_on)
    return listed[0].first if listed and listed[0].precision == "day" and listed[0].start == 0 else None


def _cut_certainty(label: str, language: Language) -> str:
    return label.split(" (" if language == "en" else "（")[0]


def _list_days_ahead(plain: str, language: Language, written_on: date) -> Iterator[_NamedDay]:
    """Generate the times at which a normalised sentence says that something is ahead."""
    for named in _list_days(plain, language, written_on):
        is_due = is_ahead(
            plain,
            named.start,
            named.end,
            language,
            is_relative=named.is_relative,
            has_year=named.has_year,
        )
        if is_due:
            yield named


def _list_days(plain: str, language: Language, written_on: date) -> Iterator[_NamedDay]:
    periods = list(find_periods(plain, language, written_on))
    for period in periods:
        yield _NamedDay(period.first, period.start, period.end, words=period.words, until=period.last)
    for span in dates.find_dates(plain, written_on):
        is_part = any(period.start < span.end and span.start < period.end for period in periods)
        if span.precision == "day" and not span.yearless and span.other is None and not is_part:
            has_year = _EXPLICIT_YEAR.search(span.text) is not None
            until = span.last if span.last > span.first else None
            yield _NamedDay(span.first, span.start, span.end, has_year=has_year, until=until)
    if tomorrow := _TOMORROW.search(plain):
        yield _NamedDay(written_on + ONE_DAY, *tomorrow.span(), is_relative=True)
    for match in _WEEKDAY[language].finditer(to_simplified(plain) if language == "zh" else plain):
        if _DATE_BEHIND.match(plain, match.end()):
            continue
        if (day := _find_weekday(match, language, written_on)) is not None:
            yield _NamedDay(day, match.start("day"), match.end(), is_relative=True)


def _find_weekday(match: re.Match[str], language: Language, written_on: date) -> date | None:
    """Find the day that a weekday means. The week begins on Monday; *next Friday* on a Tuesday is unclear."""
    if language == "en":
        number = _WEEKDAYS.index(match["day"].lower())
        if match["before"].lower() == "next" and number > written_on.weekday():
            return None
        return written_on + timedelta(days=(number - written_on.weekday() - 1) % 7 + 1)
    number = _DAY_SIGNS[language].index(match["day"].replace("天", "日"))
    return written_on + timedelta(days=7 - written_on.weekday() + number)
