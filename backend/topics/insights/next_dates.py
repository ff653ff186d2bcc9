"""Finds the next days and times at which something of a topic is due: a vote, a deadline, an unlock."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.sources.claims import dates
from backend.topics.insights.model import NextDate, Report
from backend.topics.insights.overtaken_dates import says_moved, share_subject
from backend.topics.insights.scheduled_days import find_clause, is_ahead
from backend.topics.insights.sentence_days import ONE_DAY, NamedDay, list_days, normalize_days
from backend.topics.insights.statements import list_report_sentences, matches

MAX_DATES = 5
MAX_DAYS_AHEAD = 3 * 366
_NEAR_CHARS: Mapping[Language, int] = {"en": 60, "ja": 36, "zh": 36}
_DATED_LINE = re.compile(r"^[・•●○※*-]?\s*(?P<label>[^:：。.\d]{2,40})[:：]\s*(?P<day>[^。]{4,40})$")
"""A line of a notice that gives the day of a step (預け入れの終了：2月3日)."""
_FORMER_STEP = re.compile(
    r"取消|取り?消|中止|撤回|変更前|変更後|更新前|前回|延期前|旧|原定|原|此前|上次|变更前|cancel|previous|former|earlier"
    r"|original|\bold\b|\bwas\b|\blast\b|postponed|no longer",
    re.IGNORECASE,
)
_WEEKDAY_BEFORE = re.compile(r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?", re.ASCII)
_TIME_BEHIND = re.compile(
    r"\s*(?:\((?:[月火水木金土日](?:曜日?)?|祝|周.|星期.)\))?,?\s*(?:at )?"
    r"(?:(?:午前|午後|上午|下午|晚上|凌晨|中午)?\s*\d{1,2}(?:[時时点點:]\s*(?:\d{1,2}分?|半)?)?\s*(?:[ap]\.?m\.?)?)?"
    r"\s*(?:頃|ごろ|まで|から|以降|より|前|起|予定|左右)?\s*\(?(?:UTC|GMT|JST|EST|EDT|ET|PT|CET|HKT|SGT|日本時間|北京时间)?"
    r"(?:[+-]\d{1,2}(?::\d\d)?)?\)?\s*(?:頃|ごろ|まで|から|以降|より|予定)?\.?\s*",
    re.IGNORECASE,
)
"""A weekday, a time and a zone."""
_DEADLINES = frozenset({"Deadline", "期限", "截止日期"})
"""No labels of several days in a row (*until* names their last)."""
_LABELS_FILE = Path(__file__).parent / "data" / "due_labels.yaml"
_BARE_MONTH = re.compile(r"^(?:In|During) [A-Z]|^[A-Z][a-z]+ \(|月(?:中|内|份)")
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


_Key = tuple[date, str, str]
"""A day, the end of a vague time, and a label."""


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
    ``reports``, and only if these name no other time for the same and do not say that it moved.
    """
    found: dict[_Key, NextDate] = {}
    _add_dates(found, reports, language, today, shown_text)
    newest = max((report.published_at.date() for report in reports), default=today)
    before: dict[_Key, NextDate] = {}
    _add_dates(before, earlier, language, max(today, newest + ONE_DAY), shown_text)
    moved = [
        sentence
        for report in reports
        for sentence in (report.title, *(one for one, _ in list_report_sentences(report, shown_text)))
        if says_moved(sentence, language)
    ]
    current = dict(found)
    for key, one in before.items():
        if one.label and not _is_known(key, found) and not _is_overtaken(key, one, current, moved, language):
            found[key] = one
    return _drop_wider(found.values())[:MAX_DATES]


def _is_overtaken(
    key: _Key, one: NextDate, current: Mapping[_Key, NextDate], moved: Sequence[str], language: Language
) -> bool:
    """True if current reports give another day for the same, or say that it moved."""
    rivals = [later.text for (_, _, label), later in current.items() if label in ("", key[2])]
    patterns = [pattern for pattern, _ in _load_labels()[language]]
    return any(share_subject(one.text, text, language, patterns) for text in (*rivals, *moved))


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
    found: dict[_Key, NextDate],
    reports: Sequence[Report],
    language: Language,
    today: date,
    shown_text: str,
) -> None:
    labels_by_quote: dict[str, set[tuple[date, str]]] = {}
    for report in reports:
        written_on = report.published_at.date()
        for day, label, text in _list_steps(report, language):
            if written_on < day and today <= day:
                found.setdefault((day, "", label), NextDate(day, text, report.source, label))
        titled = (report.title, report.title)
        for sentence, quote in (*list_report_sentences(report, shown_text), titled):
            if not matches(sentence, "due", language) or matches(sentence, "forecast", language):
                continue
            plain, letters = normalize_days(sentence, language)
            for named in _list_days_ahead(plain, letters, language, written_on):
                last = named.until or named.day
                if not (written_on < last and today <= last <= today + timedelta(MAX_DAYS_AHEAD)):
                    continue
                label = find_label(plain, language, named.start, named.end)
                if named.until and not named.words and label in _DEADLINES:
                    label = ""
                key = (named.day, last.isoformat() if named.words else "", label)
                of_quote = labels_by_quote.get(quote)
                is_further = of_quote is not None and (not label or (named.day - ONE_DAY, label) in of_quote)
                if _is_known(key, found) or is_further:
                    continue
                labels_by_quote.setdefault(quote, set()).add((named.day, label))
                certain = _add_certainty(label, plain, language, named)
                found[key] = NextDate(named.day, quote, report.source, certain, named.words, named.until)


def _is_known(key: _Key, found: Collection[_Key]) -> bool:
    """True if the time is found with the same label, or if one of both has none."""
    return any(key[:2] == one[:2] and (key[2] == one[2] or not (key[2] and one[2])) for one in found)


def _list_steps(report: Report, language: Language) -> Iterator[tuple[date, str, str]]:
    """Generate the day, the name and the line of each step of an official notice."""
    if not report.official:
        return
    for line in report.text.split("\n"):
        dated = _DATED_LINE.match(line)
        if dated is None or _FORMER_STEP.search(dated["label"]):
            continue
        if (day := _read_day(dated["day"], language, report.published_at.date())) is not None:
            yield day, dated["label"], line[dated.start("label") :]


def find_label(sentence: str, language: Language, at: int, end: int | None = None) -> str:
    """Say in a word or two what is due on the day at ``at``, by the words of its clause; empty if none
    fits."""
    near = _cut_near(sentence, language, at, at if end is None else end)
    return next((label for pattern, label in _load_labels()[language] if pattern.search(near)), "")


def _cut_near(sentence: str, language: Language, at: int, end: int) -> str:
    """Return the text of its clause near a place."""
    compared = to_simplified(sentence) if language == "zh" else sentence
    first, last = find_clause(compared, at, end, language)
    return compared[max(first, at - _NEAR_CHARS[language]) : min(last, end + _NEAR_CHARS[language])]


def _add_certainty(label: str, sentence: str, language: Language, named: NamedDay) -> str:
    """Add to a label that its day is only planned or possible: its reader may not see the sentence."""
    near = _cut_near(sentence, language, named.start, named.end)
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


def _read_day(text: str, language: Language, written_on: date) -> date | None:
    """Return the day of a text that is a date with its weekday, time and zone; None of another."""
    plain, _ = normalize_days(text, language)
    start = match.end() if (match := _WEEKDAY_BEFORE.match(plain)) else 0
    spans = [span for span in dates.find_dates(plain, written_on) if span.start == start]
    if not spans or spans[0].precision != "day" or spans[0].other is not None:
        return None
    return spans[0].first if _TIME_BEHIND.fullmatch(plain, spans[0].end) else None


def _list_days_ahead(
    plain: str, letters: Sequence[str], language: Language, written_on: date
) -> Iterator[NamedDay]:
    """Generate the times at which a normalised sentence says that something is ahead."""
    for named in list_days(plain, letters, language, written_on):
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
