"""The checkable statements of a text: sentences that say who did what, when, how much.

Opinions, forecasts and questions are left out: nothing can bear them out. What is kept is at most five
sentences, those with the most slots, in the order of the text.
"""

import re
from collections.abc import Iterator

from backend.entities.model import Language
from backend.sources.claims import actions, compound_sentences, dates, lexical_features, numbers, quantities

MOST_CLAIMS = 5
MOST_SENTENCES = 200
"""Sentences of an article that are weighed; later ones repeat or comment."""
SHORTEST, LONGEST = 6, 1_000
"""Characters of a sentence that can be a claim; of a longer one the first thousand are read."""

_STOP = re.compile(r"[。！？!?]+[」』”\"')）]*|\.+[”\"')]*(?=\s|$)|\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|v|no|nos|inc|ltd|corp|co|approx|est|fig|sec|art|cf|mt|gen|sen|rep|gov"
    r"|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|u\.s|u\.k|e\.u|d\.c|a\.m|p\.m|e\.g|i\.e)"
    r"|(?<![a-z])[a-z])$",
    re.IGNORECASE,
)
_OPENERS, _CLOSERS = "「『“（(《", "」』”）)》"
_SHUT = _CLOSERS + "\"'"
_OPINION = {
    "en": re.compile(
        r"\b(?:i|we) (?:think|believe|feel|hope|expect)\b|\bin (?:my|our) (?:view|opinion)\b|\bi(?:'m| am)\b"
        r"|\bshould\b|\bmight\b|\bmay be\b|\bcould (?:be|become|reach|rise|fall)\b|\bprobably\b|\bperhaps\b"
        r"|\bwill likely\b|\b(?:best|worst|amazing|exciting|terrible|great)\b|\bto the moon\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"と思(?:う|い|わ)|だろう|でしょう|かもしれない|べきだ|べきで|はずだ|と期待|私は|素晴らし|最高の"
    ),
    "zh": re.compile(r"我认为|我觉得|我们认为|也许|或许|可能会|应该|恐怕|希望|令人(?:兴奋|失望)|最好的"),
}
_QUESTION = re.compile(r"[?？][」』”\"')）]*$|(?:か|かな)[。]?$|吗[。]?$")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text in any of the three languages, without the space around them. A stop after
    an abbreviation, in a number, or within quotation marks or brackets ends none."""
    start, depth, seen = 0, 0, 0
    for match in _STOP.finditer(text):
        stop = match.group()
        depth = _depth(text, seen, match.start(), depth)
        seen = match.start()
        if stop.startswith("."):
            tail = text[max(start, match.start() - 12) : match.start()]
            if len(stop) == 1 and _ABBREVIATION.search(tail) and match.end() < len(text):
                continue
        if depth > 0 and not stop.startswith("\n") and not _closes(stop):
            continue
        if stop.startswith("\n"):
            depth = 0
        sentence = text[start : match.end()].strip()
        if sentence:
            yield sentence
        start = match.end()
    rest = text[start:].strip()
    if rest:
        yield rest


def _depth(text: str, start: int, end: int, depth: int) -> int:
    """How many quotation marks and brackets stand open; one left open for long is a slip."""
    for char in text[start:end]:
        if char in _OPENERS:
            depth += 1
        elif char in _CLOSERS:
            depth = max(0, depth - 1)
        elif char == '"':
            depth = depth - 1 if depth else 1
    return 0 if end - start > LONGEST else depth


def _closes(stop: str) -> bool:
    return stop[-1] in _SHUT


def split_claims(text: str, language: Language, naming: compound_sentences.Naming | None = None) -> list[str]:
    """At most five checkable claims of ``text``, in its order; the whole text where it is one sentence that
    states one thing. With ``naming``, sentences that state two are taken apart."""
    found: list[str] = []
    for sentence in sentences(text):
        found += (
            [sentence] if naming is None else compound_sentences.parts(sentence[:LONGEST], language, naming)
        )
        if len(found) >= MOST_SENTENCES:
            break
    if len(found) <= 1:
        return found
    seen: set[str] = set()
    weighed = []
    for place, sentence in enumerate(found):
        weight = check_worthiness(sentence, language)
        if weight > 0 and sentence not in seen:
            seen.add(sentence)
            weighed.append((weight, -place, sentence))
    best = sorted(weighed, reverse=True)[:MOST_CLAIMS]
    kept = [sentence for _, _, sentence in sorted(best, key=lambda item: -item[1])]
    return kept or found[:1]


def check_worthiness(sentence: str, language: Language) -> float:
    """How much of a sentence can be checked: figures with units, dates, actions, names. 0 for questions,
    opinions and what has no slot."""
    if len(sentence) < SHORTEST or _QUESTION.search(sentence) or _OPINION[language].search(sentence):
        return 0.0
    plain = numbers.plain(sentence[:LONGEST])
    found_dates = dates.find(plain)
    found_quantities = quantities.find(plain, language, found_dates)
    score = 1.5 * min(len(found_dates), 2)
    score += 1.5 * min(sum(quantity.unit is not None for quantity in found_quantities), 2)
    score += 1.0 * min(len(actions.find(plain, language)), 2)
    named = lexical_features.names(plain, ())
    return score + 0.5 * min(len(named), 2) if score else 0.0
