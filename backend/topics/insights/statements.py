"""Finds the sentences of reports that deny the event, give no comment, or say what is unknown."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.topics.feeds.article_sentences import (
    MAX_DATELINE_PLACE,
    ArticleSentence,
    cut_dateline,
    find_context,
    is_complete,
    is_definite_party,
    is_ended,
    is_notice,
    speaks_itself,
    split_sentences,
)
from backend.topics.feeds.preceding_names import PrecedingNames
from backend.topics.insights.clear_quotes import make_clear
from backend.topics.insights.interviews import list_exchanges
from backend.topics.insights.model import Report, SourcedSentence

Kind = Literal["denial", "no_comment", "unknown", "known_since", "due", "forecast", "reply"]
MAX_STATEMENTS = 2
"""Statements of one kind in an insight."""
MAX_SENTENCES = 60
"""Sentences of one report that are examined."""
CACHE_SIZE = 64
"""Maximum number of reports whose sentences are cached: an insight reads each several times."""
_FILE = Path(__file__).parent / "data" / "statement_patterns.yaml"
_CLAUSE_START: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"[,;:—–] (?:(?:and|but|although|though|while) )?|\b(?:but|although|though|while) "
        r"|\band (?=(?:may|might|will|could|did|has|have|is|are|was|were|does)\b)"
    ),
    "ja": re.compile(r"が、|；"),
    "zh": re.compile(r"[，；：](?:但|不过|而且|且)?"),
}
_NO_SUBJECT = re.compile(r"(?:may|might|will|could|did|has|have|is|are|was|were|does)\b")
_QUESTION = re.compile(r"\b(?:whether|how|why|who)\b")
_CLAUSE_END: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"[,;—–]|[.”]*$| (?=(?:but|although|though|while) )"),
    "ja": re.compile(r"[。；]|が、"),
    "zh": re.compile(r"[，。；]"),
}


def find_statements(
    reports: Sequence[Report], kind: Kind, language: Language, shown_text: str = ""
) -> list[SourcedSentence]:
    """Find the statements of a kind in reports of ``language``, the first of each source that the reader has
    not read, or else the first. ``shown_text`` is what
    the reader has read."""
    found: dict[str, SourcedSentence] = {}
    for report in reports:
        for sentence, quote in list_report_sentences(report, shown_text):
            former = found.get(report.source)
            if former is not None and not _is_shown(former.text, kind, language, shown_text):
                continue
            is_unseen = former is None or not _is_shown(sentence, kind, language, shown_text)
            if is_unseen and matches(sentence, kind, language):
                found[report.source] = SourcedSentence(quote, report.source)
    distinct = {statement.text: statement for statement in reversed(found.values())}
    return list(reversed(distinct.values()))[:MAX_STATEMENTS]


def find_open_questions(
    reports: Sequence[Report], language: Language, shown_text: str
) -> list[SourcedSentence]:
    """Find the sentences of reports that say what is unknown, but not those whose words are shown."""
    found = find_statements(reports, "unknown", language, shown_text)
    return [one for one in found if not _is_shown(one.text, "unknown", language, shown_text)]


def _is_shown(sentence: str, kind: Kind, language: Language, shown_text: str) -> bool:
    """True if the shown text contains the sentence or, for an open question, its clause."""
    if sentence in shown_text:
        return True
    clause = cut_clause(sentence, kind, language).strip(" .。”」")
    return kind == "unknown" and clause.casefold() in shown_text.casefold()


@lru_cache(maxsize=CACHE_SIZE)
def list_report_sentences(report: Report, shown_text: str = "") -> tuple[tuple[str, str], ...]:
    """List the complete sentences of a report that can be quoted alone, each with the form in which it
    can (:mod:`clear_quotes`). Their readers know the title, the first sentence and what is ``shown_text``."""
    return tuple(_find_quotes(report, shown_text))


def _find_quotes(report: Report, shown_text: str) -> Iterator[tuple[str, str]]:
    listed = _list_all(report)
    opening = "\n".join([report.title, *(sentence.text for sentence in listed[:1])])
    printed = f"{opening}\n{shown_text}"
    for exchange in list_exchanges(report):
        yield from ((sentence, exchange.quote) for sentence in split_sentences(exchange.answer))
    may_speak = report.official or is_notice(report.text, report.language)
    for at, sentence in enumerate(listed):
        if not is_complete(sentence.text, report.language):
            continue
        if not may_speak and speaks_itself(sentence.text, report.language):
            continue
        if quote := make_clear(listed, at, report.language, printed, opening):
            yield sentence.text, sentence.text if sentence.text in shown_text else quote


def _list_all(report: Report) -> list[ArticleSentence]:
    """List the first sentences of a report with what each needs, also those about requests for comment."""
    names = PrecedingNames(report.language)
    listed: list[ArticleSentence] = []
    for place, sentence in enumerate(islice(split_sentences(report.text), MAX_SENTENCES)):
        whole = cut_dateline(sentence, report.language, is_early=place <= MAX_DATELINE_PLACE)
        if not is_ended(whole):
            continue
        is_definite = bool(listed) and is_definite_party(whole, report.language)
        rivals = names.list_all() if is_definite else frozenset()
        context = find_context(whole, report.language, is_first=True)
        shortened = names.find_shortened_names(whole)
        listed.append(ArticleSentence(whole, len(listed), context, shortened, rivals))
        names.add(whole)
    return listed


def matches(sentence: str, kind: Kind, language: Language) -> bool:
    """True if a sentence has a pattern of ``kind``. A question that the sentence answers does not count."""
    return _find_match(sentence, kind, language) is not None


def cut_clause(sentence: str, kind: Kind, language: Language) -> str:
    """Return the clause of a sentence that has a pattern of ``kind``, word for word; the whole sentence if
    it is one clause."""
    match = _find_match(sentence, kind, language)
    if match is None:
        return sentence
    before = [mark.end() for mark in _CLAUSE_START[language].finditer(sentence, 0, match.start())]
    behind = _CLAUSE_END[language].search(sentence, match.end())
    start, end = max(before, default=0), behind.start() if behind else len(sentence)
    is_part = start > 0 or sentence[end:].strip(".。”」 ") != ""
    clause = sentence[start:end].strip()
    if _NO_SUBJECT.match(clause) and (question := _QUESTION.search(clause)):
        clause = clause[question.start() :]
    return clause if is_part and clause.count("“") == clause.count("”") else sentence


def _find_match(sentence: str, kind: Kind, language: Language) -> re.Match[str] | None:
    compared = to_simplified(sentence) if language == "zh" else sentence
    patterns = _load_patterns()[language]
    if kind == "unknown" and patterns["known_since"].search(compared):
        return None
    return patterns[kind].search(compared)


@cache
def _load_patterns() -> Mapping[Language, Mapping[Kind, re.Pattern[str]]]:
    listed = yaml.safe_load(_FILE.read_text("utf-8"))
    return MappingProxyType(
        {
            language: {
                kind: re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)
                for kind, patterns in listed[language].items()
            }
            for language in LANGUAGES
        }
    )
