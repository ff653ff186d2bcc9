"""Finds the next day on which something of a topic is due: a vote, a hearing, a deadline, an unlock."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.sources.claims import dates, numbers
from backend.topics.insights.model import NextDate, Report
from backend.topics.insights.statements import list_report_sentences, matches

MAX_DATES = 2
MAX_DAYS_AHEAD = 3 * 366
_NEAR_CHARS: Mapping[Language, int] = {"en": 60, "ja": 30, "zh": 24}
_LABELS_FILE = Path(__file__).parent / "data" / "due_labels.yaml"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = re.compile(
    rf"\b(?P<before>on|by|until|next) (?P<day>{'|'.join(_WEEKDAYS)})\b(?!['’])", re.IGNORECASE
)
_AHEAD = re.compile(
    r"\b(?:will|would|shall|expects?|plans to|set (?:to|for)|next meets?|expires|begins|meets|unlocks"
    r"|takes? effect|(?:expected|scheduled|slated|due)(?: to| for|\s*$))(?!\w)",
    re.IGNORECASE,
)
_INFINITIVE = re.compile(r"\bto (?:become|begin|resume|start|take effect|vote)\b", re.IGNORECASE)
"""It is ahead in a clause without a verb of the past: *agreed to vote on Tuesday* tells when they agreed."""
_PAST = re.compile(
    r"\b(?:said|told|wrote|sued|held|took|began|met|was|were|had|has|have|[a-z]{2,}ed)\b", re.IGNORECASE
)
"""Verbs that tell what was done. The nearest verb before a weekday says whether the day is ahead."""
_SPACE_IN_DATE = re.compile(r"(?<=\d) (?=[年月日号號])|(?<=[年月]) (?=\d)")
_DAYS_IN_HAN = re.compile(r"(?<=月)(\d{1,2})[〜～~、-]\d{1,2}(?=日)")
_TOMORROW = re.compile(r"\btomorrow\b|明日|翌日|明天", re.IGNORECASE)


def find_next_dates(
    reports: Sequence[Report], language: Language, today: date, printed: str = ""
) -> list[NextDate]:
    """Find the days after ``today`` that reports of ``language`` name, the next one first. Each sentence, and
    each day, occurs once. ``printed`` is what the reader has read."""
    found: dict[date, NextDate] = {}
    seen_texts: set[str] = set()
    for report in reports:
        for sentence in (*list_report_sentences(report, printed), report.title):
            if not matches(sentence, "due", language) or matches(sentence, "forecast", language):
                continue
            for day, at in _list_days(sentence, language, report.published_at.date()):
                is_ahead = timedelta(0) < day - today <= timedelta(days=MAX_DAYS_AHEAD)
                if is_ahead and day not in found and sentence not in seen_texts:
                    seen_texts.add(sentence)
                    found[day] = NextDate(day, sentence, report.source, find_label(sentence, language, at))
    return [found[day] for day in sorted(found)][:MAX_DATES]


def find_label(sentence: str, language: Language, at: int) -> str:
    """Say in a word or two what is due on the day at ``at``, by the words near it; empty if none fits."""
    near = sentence[max(0, at - _NEAR_CHARS[language]) : at + _NEAR_CHARS[language]]
    compared = to_simplified(near) if language == "zh" else near
    return next((label for pattern, label in _load_labels()[language] if pattern.search(compared)), "")


@cache
def _load_labels() -> Mapping[Language, Sequence[tuple[re.Pattern[str], str]]]:
    listed = yaml.safe_load(_LABELS_FILE.read_text("utf-8"))
    return {
        language: [
            (re.compile(entry["pattern"], re.IGNORECASE), entry["label"]) for entry in listed[language]
        ]
        for language in LANGUAGES
    }


def _list_days(sentence: str, language: Language, written_on: date) -> Iterator[tuple[date, int]]:
    """Generate the days that a sentence names, each with its place."""
    plain = _SPACE_IN_DATE.sub("", numbers.normalize(sentence, language))
    plain = _DAYS_IN_HAN.sub(r"\1", plain)
    for span in dates.find_dates(plain, written_on):
        if span.precision == "day" and not span.yearless:
            yield span.first, span.start
    if tomorrow := _TOMORROW.search(plain):
        yield written_on + timedelta(days=1), tomorrow.start()
    if language == "en":
        for match in _WEEKDAY.finditer(plain):
            if _is_ahead(plain[: match.start()], match["before"].lower()):
                days = (_WEEKDAYS.index(match["day"].lower()) - written_on.weekday() - 1) % 7 + 1
                yield written_on + timedelta(days=days), match.start()


def _is_ahead(text_before: str, preposition: str) -> bool:
    """True if what happens on a weekday is ahead: *will vote on Tuesday*, not *said on Tuesday*."""
    if preposition != "on":
        return True
    ahead = [match.end() for match in _AHEAD.finditer(text_before)]
    past = [match.end() for match in _PAST.finditer(text_before) if match.end() not in ahead]
    clause_start = max(text_before.rfind(sign) for sign in ",;—")
    if max(past, default=-1) <= clause_start:
        ahead += [match.end() for match in _INFINITIVE.finditer(text_before) if match.start() > clause_start]
    return max(ahead, default=-1) > max(past, default=-1)
