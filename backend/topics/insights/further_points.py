"""Selects sentences for the section *Limits and further facts*: what qualifies or completes the summary.

The form of a sentence decides: an exception, a condition, an objection with its owner, a comparison. Its
subject does not. The patterns are in ``data/point_patterns.yaml``. Sentences are quoted word for word, apart
from two marks: an ellipsis replaces a connective at the beginning (*However, …*), and a name in brackets
replaces a pronoun or a surname.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.sources.claims import numbers
from backend.sources.claims.quantities import find_quantities
from backend.topics.feeds.article_sentences import list_sentences
from backend.topics.grouping.title_tokens import words
from backend.topics.insights.clear_quotes import ELLIPSIS, NAME, VERB_OF_SPEECH, has_word, make_clear
from backend.topics.insights.interviews import list_exchanges
from backend.topics.insights.model import Report, SourcedSentence
from backend.topics.insights.statements import MAX_SENTENCES

MAX_POINTS = 6
MIN_SCORE = 2.3
"""A sentence with a lower score adds too little."""
MIN_ONLY_SCORE = 2.0
"""The limit for the first sentence: without it the insight has only the names of the sources."""
MAX_REPETITION = 0.6
"""A sentence with a larger share of its words in one sentence that the reader has read is no new point."""
_FILE = Path(__file__).parent / "data" / "point_patterns.yaml"
_WEIGHTS: Mapping[str, float] = {
    "exception": 2.8,
    "correction": 2.6,
    "opposition": 2.4,
    "limit": 2.2,
    "condition": 2.2,
    "later": 2.2,
    "cause": 2.0,
    "obligation": 2.0,
    "comparison": 2.0,
    "decision": 1.8,
    "next": 1.6,
    "contrast": 1.2,
    "statement": 1.2,
    "detail": 1.5,
    "fact": 1.0,
}
"""Value of each kind, in the order in which a sentence is tried."""
_FACT = "fact"
"""A sentence of no other kind that names something new."""
_ALSO_QUOTED = frozenset({"detail", "statement"})
"""Kinds that a sentence may also have by its quoted words."""
_FURTHER_KIND_WEIGHT = 0.4
_POSITION_WEIGHT = 0.6
"""Weight of a place at the beginning of a report, which states the essentials first."""
_FIGURE_WEIGHT = 0.5
_BEHIND_SUMMARY_WEIGHT = 0.6
"""A sentence behind one of the summary often says how far that holds."""
_BEHIND_CORRECTION_WEIGHT = 0.8
"""The two sentences behind a correction say what was wrong and what is right."""
_ENUMERATION_WEIGHT = 0.6
_RELEVANCE_WEIGHT = 3.0
_JOINED_WEIGHT = 0.4
_SAME_KIND_WEIGHT = 0.5
_OTHER_VOICE_WEIGHT = 0.8
"""Somebody speaks whom neither the titles nor the summary name."""
_OTHER_FIGURE_WEIGHT = 1.0
"""It gives another figure for what the summary tells."""
MIN_SHARED_WORDS = 3
"""Words that it then shares with one sentence of the summary."""
MIN_WORDS = 5
"""A sentence with fewer words that count says little."""
MIN_OBJECTION_WORDS = 4
"""Words behind a verb of objection from which its sentence says what the objection is."""
_FIGURE = re.compile(r"\d")
_QUOTE = re.compile(r"“[^“”]*”|\"[^\"]*\"|「[^「」]*」")
_ENUMERATION = re.compile(r"\b(?:two|three|four|five|several) [^:.]{3,60}: ")
_VOICE = re.compile(
    rf"^(?:[A-Z][\w.]+ (?:[Cc]hair\w*|[Pp]resident|[Mm]inister) )?(?P<name>{NAME})(?: [a-z]+){{0,2}}"
    rf"(?:, [^,]{{3,120}},)? (?:{VERB_OF_SPEECH}|disput\w+|critici\w+|oppos\w+|reject\w*|question\w*)\b"
)


_LATIN_NAME = "(?<![A-Za-z ])(?P<name>[A-Z][A-Za-z]{3,}(?: [A-Z][a-z]+)*)"
_NEW_NAME: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:(?<=[a-z,] )|(?<=^A )|(?<=^An )|(?<=^The ))"
        r"(?!(?:January|February|March|April|May|June|July|August"
        r"|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b)"
        r"(?P<name>[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)+|[A-Z][\w’'-]*[a-z0-9])"
    ),
    "ja": re.compile(f"「(?P<quoted>[^「」]{{2,24}})」|{_LATIN_NAME}"),
    "zh": re.compile(f"[《“](?P<quoted>[^《》“”]{{2,24}})[》”]|{_LATIN_NAME}"),
}


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    source: str
    kind: str
    score: float
    place: int
    words: frozenset[str]
    is_other_figure: bool = False
    """True for another figure than the summary's, which shares most of its words."""


def find_points(
    reports: Sequence[Report], language: Language, title: str, shown_text: str, told: Sequence[str] = ()
) -> list[SourcedSentence]:
    """Find up to :data:`MAX_POINTS` further sentences of reports of ``language``, in their order.

    ``shown_text`` is what the reader has read (the summary, the bullets), and ``told`` are the sentences that
    other sections quote. A sentence that stands there, or repeats it, is no point.
    """
    known = [frozenset(words(line)) for line in _split_lines(title, shown_text, told)]
    candidates = _drop_parts(
        [
            candidate
            for report in reports
            if not report.is_link
            for candidate in _list_candidates(report, language, title, shown_text, told)
            if candidate.is_other_figure or not _is_repeated(candidate.words, known)
        ]
    )
    chosen: list[_Candidate] = []
    while len(chosen) < MAX_POINTS:
        kinds = [one.kind for one in chosen]
        read = [one.words for one in chosen]
        possible = [
            (candidate.score - _SAME_KIND_WEIGHT * kinds.count(candidate.kind), -place, candidate)
            for place, candidate in enumerate(candidates)
            if candidate not in chosen
            and not _is_repeated(candidate.words, read)
            and not any(_is_repeated(one, [candidate.words]) for one in read)
        ]
        best = max(possible, key=lambda one: one[:2], default=None)
        if best is None or best[0] < (MIN_SCORE if chosen else MIN_ONLY_SCORE):
            break
        chosen.append(best[2])
    in_order = dict.fromkeys(one for one in candidates if one in chosen)  # two copies have equal candidates
    return [SourcedSentence(one.text, one.source) for one in in_order]


def _drop_parts(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Leave out a sentence that also stands in front of the next one, which takes the higher score."""
    kept: list[_Candidate] = []
    for candidate in candidates:
        if kept and candidate.text.startswith(kept[-1].text):
            former = kept.pop()
            candidate = replace(candidate, kind=former.kind, score=max(former.score, candidate.score))
        kept.append(candidate)
    return kept


def _split_lines(title: str, shown_text: str, told: Sequence[str]) -> list[str]:
    return [line for line in (title, *shown_text.split("\n"), *told) if line]


def _is_repeated(own: frozenset[str], known: Sequence[frozenset[str]]) -> bool:
    return not own or any(len(own & other) > MAX_REPETITION * len(own) for other in known)


def _list_candidates(
    report: Report, language: Language, title: str, shown_text: str, told: Sequence[str]
) -> Iterator[_Candidate]:
    listed = list_sentences(report.text, language, is_official=report.official, max_sentences=MAX_SENTENCES)
    opening = "\n".join([title, report.title, listed[0].text if listed else ""])
    printed = f"{opening}\n{shown_text}"
    topic_words = frozenset(words(printed))
    shown_lines = [line for line in shown_text.split("\n") if report.title not in title]
    corrected: set[int] = set()
    for at, exchange in enumerate(list_exchanges(report)):
        kinds = _find_kinds(exchange.answer, language)
        own = frozenset(words(exchange.answer))
        if kinds and len(own) >= MIN_WORDS and exchange.quote not in told:
            score = MIN_SCORE + _FIGURE_WEIGHT * bool(_FIGURE.search(exchange.answer)) + _WEIGHTS[kinds[0]]
            yield _Candidate(exchange.quote, report.source, kinds[0], score, at, own)
    for at, sentence in enumerate(listed):
        if sentence.text in shown_text or sentence.text in title or sentence.text in told:
            continue
        kinds = _find_kinds(sentence.text, language)
        is_new = _names_something_new(sentence.text, printed, language) or (
            language != "en" and _FIGURE.search(sentence.text)
        )
        if kinds is None or not (kinds or is_new):
            continue
        kinds = kinds or [_FACT]
        text = make_clear(listed, at, language, printed, opening)
        if not text or any(one in text for one in told):
            continue
        own = frozenset(words(text))
        around = words(" ".join(one.text for one in listed[max(at - 1, 0) : at + 2]))
        about = own if kinds in (["detail"], [_FACT]) else around
        if len(own) < MIN_WORDS or topic_words.isdisjoint(about):
            continue
        is_behind = (
            at > 0 and listed[at - 1].place == sentence.place - 1 and listed[at - 1].text in shown_text
        )
        is_other_figure = _tells_otherwise(text, language, shown_lines)
        is_behind_correction = at in corrected
        corrected.update({at + 1, at + 2} if "correction" in kinds else ())
        score = (
            _WEIGHTS[kinds[0]]
            + _POSITION_WEIGHT * (1 - at / len(listed))
            + _FURTHER_KIND_WEIGHT * min(len(kinds) - 1, 2)
            + _FIGURE_WEIGHT * bool(_FIGURE.search(sentence.text))
            + _ENUMERATION_WEIGHT * bool(_ENUMERATION.search(sentence.text))
            + _BEHIND_SUMMARY_WEIGHT * is_behind
            + _OTHER_VOICE_WEIGHT * (language == "en" and _is_other_voice(sentence.text, printed))
            + _OTHER_FIGURE_WEIGHT * is_other_figure
            + _BEHIND_CORRECTION_WEIGHT * is_behind_correction
            + _RELEVANCE_WEIGHT * (len(own & topic_words) / max(len(own), 1))
            - _JOINED_WEIGHT * (len(text) > len(sentence.text) + len(ELLIPSIS))
        )
        yield _Candidate(text, report.source, kinds[0], round(score, 9), at, own, is_other_figure)


def _tells_otherwise(text: str, language: Language, shown_lines: Sequence[str]) -> bool:
    """True if a sentence of another report than the summary's has another figure than a line of it, in the
    same unit."""
    own, figures = frozenset(words(text)), _find_figures(text, language)
    return any(
        len(own & frozenset(words(line))) >= MIN_SHARED_WORDS
        and (shown := _find_figures(line, language))
        and any(values.isdisjoint(shown[unit]) for unit, values in figures.items() if unit in shown)
        for line in shown_lines
    )


def _find_figures(text: str, language: Language) -> dict[str, set[Decimal]]:
    """Find the values of the figures of a text by their units."""
    figures: dict[str, set[Decimal]] = {}
    for quantity in find_quantities(numbers.normalize(text, language), language):
        if quantity.unit is not None:
            figures.setdefault(quantity.unit, set()).add(quantity.value)
    return figures


def _names_something_new(sentence: str, printed: str, language: Language) -> bool:
    """True if a sentence has a name that is not in ``printed``."""
    names = [match[match.lastgroup or 0] for match in _NEW_NAME[language].finditer(sentence)]
    return any(not (has_word(printed, name) if language == "en" else name in printed) for name in names)


def _find_kinds(sentence: str, language: Language) -> list[str] | None:
    """Return the kinds of a sentence in order of their weights; None for background."""
    compared = to_simplified(sentence) if language == "zh" else sentence
    patterns = _load_patterns()[language]
    if patterns["none"].search(compared):
        return None
    objection = patterns["opposition"].search(compared)
    if language == "en" and objection and len(compared[objection.end() :].split()) < MIN_OBJECTION_WORDS:
        return None
    unquoted = _QUOTE.sub("“”", compared)
    return [
        kind
        for kind in _WEIGHTS
        if kind != _FACT
        and (
            objection
            if kind == "opposition"
            else patterns[kind].search(compared if kind in _ALSO_QUOTED else unquoted)
        )
    ]


def _is_other_voice(sentence: str, printed: str) -> bool:
    """True if a sentence begins with a speaker whom ``printed`` does not name."""
    match = _VOICE.match(sentence)
    return match is not None and not any(has_word(printed, name) for name in match["name"].split())


@cache
def _load_patterns() -> Mapping[Language, Mapping[str, re.Pattern[str]]]:
    listed = yaml.safe_load(_FILE.read_text("utf-8"))
    return {
        language: {
            kind: re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)
            for kind, patterns in listed[language].items()
        }
        for language in LANGUAGES
    }
