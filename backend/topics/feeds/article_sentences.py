"""Splits an article into its sentences and finds which of them can be quoted, and with what context.

The patterns are data (``data/sentence_patterns.yaml``). They judge closed classes of words (pronouns,
connectives, words of the page), not the subjects of articles.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.sources.claims.claim_splitting import sentences
from backend.sources.retrieval.content_sanitizer import clean_text
from backend.topics.feeds.preceding_names import PrecedingNames

MAX_SENTENCES = 24
"""Sentences of one article that are examined; news articles state the essentials first."""
MAX_DATELINE_PLACE = 4
"""Place of the last sentence that may begin with a dateline, because key points may precede the report."""
MAX_SENTENCE_CHARS: Mapping[Language, int] = MappingProxyType({"en": 420, "ja": 320, "zh": 320})
MIN_SENTENCE_CHARS: Mapping[Language, int] = MappingProxyType({"en": 20, "ja": 12, "zh": 10})
MAX_DATELINES = 3
"""Parts of a dateline that may follow one another: 【headline】【place】 agency."""
DEFINITE_WORDS = 6
"""First words of a sentence in which a name or *of* makes a noun definite (the price of bitcoin)."""
_FILE = Path(__file__).parent / "data" / "sentence_patterns.yaml"
_HAN_OR_KANA = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")
_ENDED = re.compile(r"[.!。！][”\"』」’')）]*$")
_ABBREVIATED_PLACE = re.compile(
    r"^([A-Z][A-Z .'-]{2,30}, [A-Z][A-Za-z]{1,8})\.(?= ?(?:--|[-–—]) )", re.MULTILINE
)
"""The first part of a dateline (*DOVER, Del. —*), whose full stop ends no sentence."""
_DOUBLED_STOP = re.compile(r"(?<=[A-Za-z0-9)])\.\.(?=\s|$)")
_CUT_OFF = re.compile(r"(?:\.\.\.|…|\[…\]|\[\.\.\.\])[”\"』」]*$")
_QUOTED = re.compile(r"“[^“”]*”|\"[^\"]*\"|「[^「」]*」|『[^『』]*』")
_QUOTE_ALONE = re.compile(r"^[“\"「『][^“”\"「」『』]*[”\"」』][.。]?$")
_QUOTE_END_ALONE = re.compile(r"[^“”]*”|[^「」]*」|[^『』]*』")
"""The end of a quotation that began in an earlier sentence."""
_DEFINED = re.compile(r"[A-Z]|\b(?:of|who|whose|behind)\b")
_DEFINED_BEHIND = re.compile(r" (?:[A-Z]|(?:of|who|whose|behind)\b)")
_NAME = re.compile(r"(?<!^)\b[A-Z0-9][\w.&-]*|[ァ-ヺー]{3,}|「|《|[A-Za-z]{3,}|\d")


class Context(IntEnum):
    """What a reader must have read before a sentence."""

    NONE = 0
    LEAD = 1
    """The title or the first sentence of the report: it speaks of *the company*."""
    PREVIOUS = 2
    """The sentence before it: it begins with *it* or *however*."""


@dataclass(frozen=True, slots=True)
class ArticleSentence:
    """A sentence that can be quoted. ``place`` counts the sentences of the article from 0, including those
    that cannot be quoted but without lines of the page."""

    text: str
    place: int
    context: Context
    needs: frozenset[str] = frozenset()
    """Names that must be printed before it, because it shortens them (*Hill* for *French Hill*)."""
    rivals: frozenset[str] = frozenset()
    """Names that its definite noun (*the bank*) may mean. All must be in the title or the lead."""


@dataclass(frozen=True, slots=True)
class _Patterns:
    dateline: re.Pattern[str]
    clock: re.Pattern[str]
    boilerplate: re.Pattern[str]
    needs_previous: re.Pattern[str]
    refers_back: re.Pattern[str]
    needs_lead: re.Pattern[str]
    party: re.Pattern[str]
    definite: re.Pattern[str]
    speaks_itself: re.Pattern[str]
    addresses_reader: re.Pattern[str]
    one_part: re.Pattern[str]


def list_sentences(
    text: str, language: Language, *, is_official: bool = False, max_sentences: int = MAX_SENTENCES
) -> list[ArticleSentence]:
    """List the quotable ones among the first ``max_sentences`` sentences of an article, word for word.

    A dateline begins the report: it is cut off, and what is before it is left out. So is the time in front of
    an entry of a live page, but not the entry. Lines without a full stop, questions, words of the page
    (credits, calls to subscribe) and quotes without a speaker are left out, and so are sentences in which the
    author speaks, except in an official text. A line that is left out parts the sentences around it: their
    places are not consecutive.
    """
    patterns = _load_patterns()[language]
    found: list[ArticleSentence] = []
    place, is_dated = 0, False
    names = PrecedingNames(language)
    for line in split_sentences(clean_text(text)):
        sentence = _cut_clock(line, language, patterns)
        whole = sentence if is_dated else _cut_dateline(sentence, language, patterns)
        if whole != sentence and place <= MAX_DATELINE_PLACE and _ENDED.search(whole):
            found, place, is_dated, names = [], 0, True, PrecedingNames(language)
        compared = _normalize(whole, language)
        if not _ENDED.search(whole) or patterns.boilerplate.search(compared):
            place += place > 0  # what follows it does not follow what is before it
            continue
        if _is_quotable(whole, compared, language, patterns, is_official):
            context = _find_context(compared, patterns, is_first=place == 0)
            if is_official and context == Context.LEAD and patterns.speaks_itself.search(compared):
                context = Context.NONE  # an official text says *we*, and its publisher is named
            is_definite = place > 0 and _is_definite_party(compared, patterns)
            needs, rivals = (
                names.find_shortened_names(whole),
                names.list_all() if is_definite else frozenset(),
            )
            found.append(ArticleSentence(whole, place, context, needs, rivals))
        names.add(whole)
        place += 1
        if place >= max_sentences:
            break
    return found


def split_sentences(text: str) -> Iterator[str]:
    """Generate the sentences of an article with their datelines. A doubled full stop becomes one."""
    return sentences(_DOUBLED_STOP.sub(".", _ABBREVIATED_PLACE.sub(r"\1", text)))


def is_ended(sentence: str) -> bool:
    """True if a sentence ends with a full stop: no heading, no byline and no question."""
    return _ENDED.search(sentence) is not None


def is_complete(sentence: str, language: Language) -> bool:
    """True if a sentence is whole and has a length that can be quoted."""
    if not MIN_SENTENCE_CHARS[language] <= len(sentence) <= MAX_SENTENCE_CHARS[language]:
        return False
    if "\n" in sentence or _CUT_OFF.search(sentence) or _QUOTE_END_ALONE.match(sentence):
        return False
    return _ENDED.search(sentence) is not None


def find_context(sentence: str, language: Language, *, is_first: bool = False) -> Context:
    """Return the context that a sentence needs. The first sentence of a text follows its title."""
    return _find_context(_normalize(sentence, language), _load_patterns()[language], is_first=is_first)


def is_boilerplate(sentence: str, language: Language) -> bool:
    """True for a line of the page: a credit, a caption, a call to subscribe."""
    return _load_patterns()[language].boilerplate.search(_normalize(sentence, language)) is not None


def speaks_itself(sentence: str, language: Language) -> bool:
    """True if the author speaks in a sentence, outside its quotes."""
    said = _QUOTED.sub(" ", _normalize(sentence, language))
    return _load_patterns()[language].speaks_itself.search(said) is not None


def is_definite_party(sentence: str, language: Language) -> bool:
    """True if the subject of a sentence is a party that is not named (*the bank*, 该公司)."""
    return _is_definite_party(_normalize(sentence, language), _load_patterns()[language])


def _is_quotable(
    sentence: str, compared: str, language: Language, patterns: _Patterns, is_official: bool
) -> bool:
    if not is_complete(sentence, language) or _QUOTE_ALONE.match(sentence):
        return False
    said = _QUOTED.sub(" ", compared)
    if patterns.addresses_reader.search(said):
        return False
    return is_official or not patterns.speaks_itself.search(said)


def _find_context(sentence: str, patterns: _Patterns, *, is_first: bool) -> Context:
    spoken = _QUOTED.sub("“”", sentence)
    if patterns.needs_previous.match(spoken):
        return Context.PREVIOUS
    # The first sentence has only itself to refer to; an English one may remark on the title (*the launch*).
    is_alone = is_first and _HAN_OR_KANA.search(spoken) is not None
    if not is_alone and patterns.refers_back.search(spoken):
        return Context.PREVIOUS
    lead = patterns.needs_lead.match(spoken)
    if lead and not _DEFINED.search(lead.group()[1:]) and not _DEFINED_BEHIND.match(spoken, lead.end()):
        return Context.LEAD
    first_words = " ".join(spoken.split(" ", DEFINITE_WORDS)[1:DEFINITE_WORDS])
    if lead is None and patterns.definite.match(spoken) and not _DEFINED.search(first_words):
        return Context.LEAD if is_first else Context.PREVIOUS
    if _is_definite_party(sentence, patterns):
        return Context.LEAD
    if patterns.one_part.match(spoken):
        return Context.LEAD if is_first else Context.PREVIOUS
    if patterns.speaks_itself.search(spoken) or not _NAME.search(spoken):
        return Context.LEAD
    return Context.NONE


def _is_definite_party(sentence: str, patterns: _Patterns) -> bool:
    spoken = _QUOTED.sub("“”", sentence)
    party = patterns.party.match(spoken)
    return party is not None and not _DEFINED_BEHIND.match(spoken, party.end())


def cut_dateline(sentence: str, language: Language, *, is_early: bool = True) -> str:
    """Return a sentence without the time of an entry of a live page, and if early without its dateline."""
    patterns = _load_patterns()[language]
    without_time = _cut_clock(sentence, language, patterns)
    return _cut_dateline(without_time, language, patterns) if is_early else without_time


def _cut_clock(sentence: str, language: Language, patterns: _Patterns) -> str:
    match = patterns.clock.match(_normalize(sentence, language))
    return sentence if match is None else sentence[match.end() :].lstrip()


def _cut_dateline(sentence: str, language: Language, patterns: _Patterns) -> str:
    for _ in range(MAX_DATELINES):
        match = patterns.dateline.match(_normalize(sentence, language))
        if match is None:
            break
        sentence = sentence[match.end() :].lstrip()
        if not match.group().startswith("【"):
            break
    return sentence


def _normalize(sentence: str, language: Language) -> str:
    """Return the form that patterns are compared with; it has the same length."""
    return to_simplified(sentence) if language == "zh" else sentence


@cache
def _load_patterns() -> Mapping[Language, _Patterns]:
    listed = yaml.safe_load(_FILE.read_text("utf-8"))
    return MappingProxyType({language: _compile(listed[language], language) for language in LANGUAGES})


def _compile(listed: Mapping[str, list[str]], language: Language) -> _Patterns:
    flags = re.IGNORECASE if language == "en" else re.NOFLAG
    return _Patterns(
        **{
            name: re.compile("|".join(f"(?:{one})" for one in listed[name]) or r"(?!)", flags)
            for name in _Patterns.__slots__
        }
    )
