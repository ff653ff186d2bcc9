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
    is_boilerplate,
    is_complete,
    is_definite_party,
    is_ended,
    speaks_itself,
    split_sentences,
)
from backend.topics.feeds.preceding_names import PrecedingNames, find_name_words
from backend.topics.insights.clear_quotes import VERB_OF_SPEECH, make_clear
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


_NO_DENIAL: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:n[’']t|\b(?:not|nor|never|neither|without|cannot|nobody|no one|short of|(?:declin|refus)\w+ to))"
        r"(?:,? (?:\w+ly|yet|even|once|confirm(?:ed|ing)?|n?or))* "
        r"(?:den(?:y|ies|ied|ying)|refut\w+|reject\w*|dismiss\w*|debunk\w*|call(?:ed|s)?)\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"(?:否定|否認)(?:は|も)?(?:し(?:て(?:は)?(?:い)?(?:な|ませ|おら)|な|ませ)|せず|でき(?:な|ず)|を避け|しき)"
        r"|否定も肯定も|肯定も否定も"
    ),
    "zh": re.compile(
        r"(?:[未没不]|没有|拒绝|无法|难以|从未)(?:曾|有|能|会|予|予以|作|立即|直接|正面|公开|明确|完全|对此|就此){0,2}"
        r"(?:否认|驳斥|辟谣)"
    ),
}
"""Sentences in which somebody expressly does not deny."""
_SPEECH: Mapping[Language, str] = {
    "en": rf"[^.;“”]{{0,80}}\b(?:{VERB_OF_SPEECH}|responded|replied|confirmed|denied)\b",
    "ja": r"[^。]*(?:述べ|語っ|話し|説明し|コメントし|回答し|主張し|強調し|否定し)",
    "zh": r"[^。]*(?:表示|声明|回应|回复|称|指出|强调|否认)",
}
"""What follows the name of a party that says something."""
_SPEECH_BEFORE = rf"[,”\"] {VERB_OF_SPEECH} (?:[\w.’'-]+ ){{0,4}}"
_CAPITALISED = re.compile(r"\b[A-Z][\w-]+")
_UNNAMED = frozenset({"该公", "公司", "该交", "平台", "官方", "双方", "对方"})
_NO_PARTIES = frozenset({"A", "An", "The", "Neither", "No", "Requests", "Representatives", "Calls", "Both"})


def find_statements(
    reports: Sequence[Report], kind: Kind, language: Language, shown_text: str = ""
) -> list[SourcedSentence]:
    """Find the statements of a kind in reports of ``language``: one of each source.

    It is the first of the source that the reader has not read, or else its first one. ``shown_text`` is what
    the reader has read. A party gave no comment only if the report quotes no statement of it.
    """
    found: dict[str, SourcedSentence] = {}
    for report in reports:
        for sentence, quote in list_report_sentences(report, shown_text):
            former = found.get(report.source)
            if former is not None and not _is_shown(former.text, kind, language, shown_text):
                continue
            is_unseen = former is None or not _is_shown(sentence, kind, language, shown_text)
            if not (is_unseen and matches(sentence, kind, language)):
                continue
            if kind != "no_comment" or not _has_statement(report, sentence):
                found[report.source] = SourcedSentence(quote, report.source)
    distinct = {statement.text: statement for statement in reversed(found.values())}
    return list(reversed(distinct.values()))[:MAX_STATEMENTS]


def _has_statement(report: Report, no_comment: str) -> bool:
    """True if a report quotes a statement of a party of a sentence on a missing comment. Without a name in
    the sentence, any statement of a party counts."""
    language = report.language
    others = [
        to_simplified(one) if language == "zh" else one
        for one in split_sentences(report.text)
        if not matches(one, "no_comment", language)
    ]
    names = find_name_words(no_comment, language) | set(_CAPITALISED.findall(no_comment))
    names -= _NO_PARTIES
    if language == "zh" and not names:
        names = frozenset({cut_clause(no_comment, "no_comment", language)[:2]}) - _UNNAMED
    if not names:
        return any(matches(one, "reply", language) for one in others)
    written = "|".join(re.escape(to_simplified(name) if language == "zh" else name) for name in names)
    before = rf"|{_SPEECH_BEFORE}(?:{written})\b" if language == "en" else ""
    speech = re.compile(rf"(?:{written}){_SPEECH[language]}{before}")
    return any(speech.search(one) for one in others)


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
    listed = _list_with_context(report)
    opening = "\n".join([report.title, *(sentence.text for sentence in listed[:1])])
    printed = f"{opening}\n{shown_text}"
    for exchange in list_exchanges(report):
        yield from ((sentence, exchange.quote) for sentence in split_sentences(exchange.answer))
    for at, sentence in enumerate(listed):
        if not is_complete(sentence.text, report.language):
            continue
        if not report.official and speaks_itself(sentence.text, report.language):
            continue
        if quote := make_clear(listed, at, report.language, printed, opening):
            yield sentence.text, sentence.text if sentence.text in shown_text else quote


def _list_with_context(report: Report) -> list[ArticleSentence]:
    """List the first sentences of a report with what each needs, without lines of the page.

    Unlike :func:`list_sentences`, it keeps sentences about requests for comment. A line that is left out
    parts the sentences around it: their places are not consecutive.
    """
    language = report.language
    names = PrecedingNames(language)
    listed: list[ArticleSentence] = []
    place = 0
    for line, sentence in enumerate(islice(split_sentences(report.text), MAX_SENTENCES)):
        whole = cut_dateline(sentence, language, is_early=line <= MAX_DATELINE_PLACE)
        is_of_page = is_boilerplate(whole, language) and not matches(whole, "no_comment", language)
        if is_of_page or not is_ended(whole):
            place += place > 0
            continue
        is_definite = bool(listed) and is_definite_party(whole, language)
        rivals = names.list_all() if is_definite else frozenset()
        context = find_context(whole, language, is_first=True)
        listed.append(ArticleSentence(whole, place, context, names.find_shortened_names(whole), rivals))
        names.add(whole)
        place += 1
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
    if kind == "denial" and _NO_DENIAL[language].search(compared):
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
