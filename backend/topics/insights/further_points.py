"""Selects sentences for the section *Limits and further facts*: what qualifies or completes the summary.

The form of a sentence decides: an exception, a condition, an objection with its owner, a comparison. Its
subject does not. The patterns are in ``data/point_patterns.yaml``. Sentences are quoted word for word, apart
from two marks: an ellipsis replaces a connective at the beginning (*However, …*), and a name in brackets
replaces a pronoun or a surname.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.topics.feeds.article_sentences import (
    MAX_SENTENCE_CHARS,
    ArticleSentence,
    Context,
    find_context,
    list_sentences,
)
from backend.topics.grouping.title_tokens import words
from backend.topics.insights.model import Report, SourcedSentence

MAX_POINTS = 3
MAX_SENTENCES = 60
"""Sentences of one report that are examined; what limits the news often stands near the end."""
MIN_SCORE = 2.5
MAX_REPETITION = 0.6
"""A sentence with a larger share of its words in one sentence that the reader has read is no new point."""
_FILE = Path(__file__).parent / "data" / "point_patterns.yaml"
_WEIGHTS: Mapping[str, float] = {
    "exception": 2.8,
    "opposition": 2.4,
    "limit": 2.2,
    "condition": 2.2,
    "later": 2.2,
    "comparison": 2.0,
    "next": 1.6,
    "contrast": 1.2,
}
"""Value of each kind, in the order in which a sentence is tried."""
_FURTHER_KIND_WEIGHT = 0.4
_FIGURE_WEIGHT = 0.5
_BEHIND_SHOWN_WEIGHT = 0.6
"""A sentence behind one of the summary often says how far that holds."""
_ENUMERATION_WEIGHT = 0.6
_RELEVANCE_WEIGHT = 3.0
_JOINED_WEIGHT = 0.4
_SAME_KIND_WEIGHT = 0.5
_OTHER_VOICE_WEIGHT = 0.8
"""Somebody speaks whom neither the titles nor the summary name."""
MIN_WORDS = 5
"""A sentence with fewer words that count says little."""
MIN_OBJECTION_WORDS = 4
"""Words behind a verb of objection from which its sentence says what the objection is."""
_FIGURE = re.compile(r"\d")
_QUOTE = re.compile(r"“[^“”]*”|\"[^\"]*\"|「[^「」]*」")
_ENUMERATION = re.compile(r"\b(?:two|three|four|five|several) [^:.]{3,60}: ")
_PRONOUN_BEHIND_FIRST_WORD = re.compile(r"^[A-Z][a-z]+ (?:it|they|he|she)\b")
_ANY_NAME = "Quillport"
"""Stands in for a noun that the reader knows, to learn if the rest of its sentence is clear."""
_DEFINITE = re.compile(r"^The (?P<noun>[a-z][\w-]+)(?= )")
_ELLIPSIS = "… "
_CONNECTIVE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"^(?:(?:however|even so|still|yet|nevertheless|nonetheless|meanwhile|moreover|furthermore|also"
        r"|at the same time|in addition|since then|by contrast|separately|instead|then|for now),"
        r"|but(?! for\b)|and) ",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"^(?:しかし|ただし?|だが|一方(?:で)?|また|なお|さらに|もっとも|とはいえ|その後|ところが)、"
    ),
    "zh": re.compile(r"^(?:但是?|不过|然而|此外|另外|同时|与此同时|另一方面|随后|此后)，"),
}
_SPEAKER_PRONOUN = re.compile(r"^(?:he|she) (?=[a-z])", re.IGNORECASE)
_NAME = r"[A-Z][\w’'-]+(?: (?:[A-Z]\.|[A-Z][\w’'-]+)){0,3}"
_VERB_OF_SPEECH = (
    r"(?:said|says|wrote|writes|told|argued|argues|added|noted|warned|cautioned|stated|explained|stressed)"
)
_NO_FIRST_NAME = (
    r"(?:The|On|In|At|For|From|Since|But|And|When|While|After|Before|Under|With|By|As|If|Senators?|Judges?"
    r"|Representatives?|Investors?|Analysts?|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
)
_FULL_NAME = re.compile(
    rf"\b(?!{_NO_FIRST_NAME}\b)[A-Z][a-z’'-]+ (?:[A-Z]\. |[A-Z][a-z’'-]+ )?[A-Z][a-z][\w’'-]*"
)
_SPEAKER = re.compile(
    rf"(?:^|[”\"] )(?P<first>{_NAME})(?:, [^,]{{3,120}},)? {_VERB_OF_SPEECH}\b"
    rf"|[,”\"] {_VERB_OF_SPEECH} (?P<behind>{_NAME})"
)
_VOICE = re.compile(
    rf"^(?:[A-Z][\w.]+ (?:[Cc]hair\w*|[Pp]resident|[Mm]inister) )?(?P<name>{_NAME})(?: [a-z]+){{0,2}}"
    rf"(?:, [^,]{{3,120}},)? (?:{_VERB_OF_SPEECH}|disput\w+|critici\w+|oppos\w+|reject\w*|question\w*)\b"
)
_SURNAME = re.compile(r"^(?P<name>[A-Z][a-z][\w’'-]*)(?= [a-z])")


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    source: str
    kind: str
    score: float
    place: int
    words: frozenset[str]


def find_points(
    reports: Sequence[Report], language: Language, title: str, shown_text: str, told: Sequence[str] = ()
) -> list[SourcedSentence]:
    """Find up to :data:`MAX_POINTS` further sentences of reports of ``language``, in their order.

    ``shown_text`` is what the reader has read (the summary, the bullets), and ``told`` are the sentences that
    other sections quote. A sentence that stands there, or repeats it, is no point.
    """
    known = [frozenset(words(line)) for line in _split_lines(title, shown_text, told)]
    candidates = [
        candidate
        for report in reports
        if not report.is_link
        for candidate in _list_candidates(report, language, title, shown_text, told)
        if not _is_repeated(candidate.words, known)
    ]
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
        if best is None or best[0] < MIN_SCORE:
            break
        chosen.append(best[2])
    return [SourcedSentence(one.text, one.source) for one in candidates if one in chosen]


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
    for at, sentence in enumerate(listed):
        if sentence.text in shown_text or sentence.text in title or sentence.text in told:
            continue
        kinds = _find_kinds(sentence.text, language)
        introduced = _introduce(listed, at, printed) if language == "en" else sentence
        if not kinds or not _are_names_printed(introduced, printed, opening):
            continue
        text = _make_clear(listed, introduced, at, language, printed, opening)
        if not text or any(one in text for one in told):
            continue
        own = frozenset(words(text))
        if len(own) < MIN_WORDS:
            continue
        is_behind = (
            at > 0 and listed[at - 1].place == sentence.place - 1 and listed[at - 1].text in shown_text
        )
        score = (
            _WEIGHTS[kinds[0]]
            + _FURTHER_KIND_WEIGHT * min(len(kinds) - 1, 2)
            + _FIGURE_WEIGHT * bool(_FIGURE.search(sentence.text))
            + _ENUMERATION_WEIGHT * bool(_ENUMERATION.search(sentence.text))
            + _BEHIND_SHOWN_WEIGHT * is_behind
            + _OTHER_VOICE_WEIGHT * (language == "en" and _is_other_voice(sentence.text, printed))
            + _RELEVANCE_WEIGHT * (len(own & topic_words) / max(len(own), 1))
            - _JOINED_WEIGHT * (len(text) > len(sentence.text) + len(_ELLIPSIS))
        )
        yield _Candidate(text, report.source, kinds[0], round(score, 9), at, own)


def _are_names_printed(sentence: ArticleSentence, printed: str, opening: str) -> bool:
    is_introduced = all(name in printed for name in sentence.needs)
    return is_introduced and all(name in opening for name in sentence.rivals)


def _find_kinds(sentence: str, language: Language) -> list[str]:
    """Return the kinds of a sentence in order of their weights; none for background."""
    compared = to_simplified(sentence) if language == "zh" else sentence
    patterns = _load_patterns()[language]
    if patterns["none"].search(compared):
        return []
    objection = patterns["opposition"].search(compared)
    if language == "en" and objection and len(compared[objection.end() :].split()) < MIN_OBJECTION_WORDS:
        return []
    unquoted = _QUOTE.sub("“”", compared)
    return [
        kind for kind in _WEIGHTS if (objection if kind == "opposition" else patterns[kind].search(unquoted))
    ]


def _is_other_voice(sentence: str, printed: str) -> bool:
    """True if a sentence begins with a speaker whom ``printed`` does not name."""
    match = _VOICE.match(sentence)
    return match is not None and not any(_has_word(printed, name) for name in match["name"].split())


def _introduce(listed: Sequence[ArticleSentence], at: int, printed: str) -> ArticleSentence:
    """Write the full name and the office of the person with whose surname a sentence begins, in brackets."""
    sentence = listed[at]
    surname = _SURNAME.match(sentence.text)
    if surname is None or _has_word(printed, surname["name"]):
        return sentence
    name = re.escape(surname["name"])
    introduction = re.compile(
        rf"(?:^|(?<=[a-z,] ))(?P<full>(?!{_NO_FIRST_NAME}\b)[A-Z][\w.’'-]+ (?:[A-Z][\w.’'-]+ )?{name})\b"
        r"(?P<office>, (?:(?:an?|the) )?[a-z][^,“”]{3,90}(?=,))?"
    )
    found = [match for one in listed[:at] for match in introduction.finditer(one.text)]
    if len({match["full"] for match in found}) != 1:  # nobody, or two people of one surname
        return sentence
    text = f"[{found[0].group()}]{sentence.text[surname.end() :]}"
    return replace(sentence, text=text, needs=sentence.needs - {surname["name"]})


def _make_clear(
    listed: Sequence[ArticleSentence],
    sentence: ArticleSentence,
    at: int,
    language: Language,
    printed: str,
    opening: str,
) -> str:
    """Return a sentence so that it stands alone: as it is, without its connective, with the name of its
    speaker, or behind the sentence before it. Empty if none of these makes it clear."""
    is_pronoun_early = language == "en" and _PRONOUN_BEHIND_FIRST_WORD.match(sentence.text)
    if sentence.context != Context.PREVIOUS and not is_pronoun_early:
        return sentence.text
    if language == "en" and _is_introduced(sentence.text, opening):
        return sentence.text
    connective = _CONNECTIVE[language].match(sentence.text)
    rest = sentence.text[connective.end() :] if connective else sentence.text
    if language == "en" and (pronoun := _SPEAKER_PRONOUN.match(rest)):
        speaker = _find_speaker(listed, at)
        return f"{_ELLIPSIS if connective else ''}[{speaker}] {rest[pronoun.end() :]}" if speaker else ""
    capitalised = rest[:1].upper() + rest[1:]
    if connective and find_context(capitalised, language) == Context.NONE:
        return f"{_ELLIPSIS}{rest}"
    former = listed[at - 1] if at > 0 else None
    if former is None or former.place != sentence.place - 1 or former.context != Context.NONE:
        return ""
    if language == "en" and re.match(r"(?:he|she|his|her)\b", rest, re.IGNORECASE):
        return ""
    if former.text in printed:
        return ""
    joined = f"{former.text}{' ' if language == 'en' else ''}{sentence.text}"
    is_short = len(joined) <= MAX_SENTENCE_CHARS[language]
    return joined if is_short and _are_names_printed(former, printed, opening) else ""


def _is_introduced(sentence: str, opening: str) -> bool:
    """True if a sentence needs the text before it only for a noun (*the analysts*) that the opening has."""
    definite = _DEFINITE.match(sentence)
    if definite is None or not re.search(rf"\b{re.escape(definite['noun'])}\b", opening, re.IGNORECASE):
        return False
    return find_context(f"{_ANY_NAME}{sentence[definite.end() :]}", "en") == Context.NONE


def _find_speaker(listed: Sequence[ArticleSentence], at: int) -> str:
    """Find who speaks in the sentence right before one that begins with *he* or *she*; empty if it names
    another person, or nobody by a full name."""
    former = listed[at - 1] if at > 0 else None
    if former is None or former.place != listed[at].place - 1:
        return ""
    speakers = {match["first"] or match["behind"] for match in _SPEAKER.finditer(former.text)}
    names = set(_FULL_NAME.findall(former.text))
    return next(iter(speakers)) if len(speakers) == 1 and names == speakers else ""


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


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
