"""Finds the next day on which something of a topic is due: a vote, a hearing, a deadline, an unlock."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.sources.claims import dates, numbers
from backend.topics.insights.model import NextDate, Report
from backend.topics.insights.scheduled_days import is_ahead
from backend.topics.insights.statements import list_report_sentences, matches

MAX_DATES = 2
MAX_DAYS_AHEAD = 3 * 366
_NEAR_CHARS: Mapping[Language, int] = {"en": 60, "ja": 36, "zh": 36}
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


def find_next_dates(
    reports: Sequence[Report], language: Language, today: date, shown_text: str = ""
) -> list[NextDate]:
    """Find the days from ``today`` on that reports of ``language`` name, the next one first; a report's own
    day is none. Each sentence, and each day, occurs once. ``shown_text`` is what the reader has read."""
    found: dict[date, NextDate] = {}
    seen_texts: set[str] = set()
    for report in reports:
        written_on = report.published_at.date()
        for sentence in (*list_report_sentences(report, shown_text), report.title):
            if not matches(sentence, "due", language) or matches(sentence, "forecast", language):
                continue
            plain = _normalize_days(sentence, language)
            for day, at in _list_days_ahead(plain, language, written_on):
                is_near = written_on < day and today <= day <= today + timedelta(days=MAX_DAYS_AHEAD)
                if is_near and day not in found and sentence not in seen_texts:
                    seen_texts.add(sentence)
                    label = _add_certainty(find_label(plain, language, at), plain, language, at)
                    found[day] = NextDate(day, sentence, report.source, label)
    return [found[day] for day in sorted(found)][:MAX_DATES]


def find_label(sentence: str, language: Language, at: int) -> str:
    """Say in a word or two what is due on the day at ``at``, by the words near it; empty if none fits."""
    near = _cut_near(sentence, language, at)
    return next((label for pattern, label in _load_labels()[language] if pattern.search(near)), "")


def _cut_near(sentence: str, language: Language, at: int) -> str:
    near = sentence[max(0, at - _NEAR_CHARS[language]) : at + _NEAR_CHARS[language]]
    return to_simplified(near) if language == "zh" else near


def _add_certainty(label: str, sentence: str, language: Language, at: int) -> str:
    """Add to a label that its day is only planned or possible: its reader may not see the sentence."""
    near = _cut_near(sentence, language, at)
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


def _list_days_ahead(plain: str, language: Language, written_on: date) -> Iterator[tuple[date, int]]:
    """Generate the days on which a normalised sentence says that something is ahead, with their positions."""
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
            yield named.day, named.start


def _list_days(plain: str, language: Language, written_on: date) -> Iterator[_NamedDay]:
    for span in dates.find_dates(plain, written_on):
        if span.precision == "day" and not span.yearless and span.other is None:
            yield _NamedDay(
                span.first, span.start, span.end, has_year=_EXPLICIT_YEAR.search(span.text) is not None
            )
    if tomorrow := _TOMORROW.search(plain):
        yield _NamedDay(written_on + timedelta(days=1), *tomorrow.span(), is_relative=True)
    for match in _WEEKDAY[language].finditer(to_simplified(plain) if language == "zh" else plain):
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
