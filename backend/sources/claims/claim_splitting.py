"""Splits a text into checkable statements: sentences with agents, acts, dates or figures.

Opinions, forecasts and questions are left out, because no source can support them. At most five sentences
with the most slots are kept, in the order of the text."""

import re
from collections.abc import Iterator

from backend.entities.model import Language
from backend.sources.claims import actions, compound_sentences, dates, lexical_features, numbers, quantities
from backend.sources.claims.cues import find_cues

MAX_CLAIMS = 5
MIN_DEPENDENT_TERMS = 3
"""Minimum content terms of a sentence that is read with the one before it (*I like it* has one)."""
MAX_JOINED_SENTENCES = 3
"""Maximum statements of a text in which one that names nobody is read with the one before it."""
MAX_SENTENCES = 200
"""Maximum sentences of an article that are examined; later ones repeat or comment."""
MIN_CLAIM_CHARS, MAX_CLAIM_CHARS = 6, 1_000
"""Minimum and maximum characters of a claim; a longer sentence is cut."""

_STOP = re.compile(r"[。！？!?]+[」』”\"')）]*|\.+[”\"')]*(?=\s|$)|\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|v|no|nos|inc|ltd|corp|co|approx|est|fig|sec|art|cf|mt|gens?|sens?|reps?|govs?"
    r"|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|u\.s|u\.k|e\.u|d\.c|a\.m|p\.m|e\.g|i\.e)"
    r"|(?<![a-z])(?!(?<=\bon )x)[a-z])$",
    re.IGNORECASE,
)
"""A single letter is an initial, but not the X of *a post on X*."""
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
    """Generate the stripped sentences of a text in any of the three languages. A stop after an abbreviation,
    in a number, or inside quotation marks or brackets does not end a sentence."""
    start, depth, counted_to = 0, 0, 0
    for match in _STOP.finditer(text):
        stop = match.group()
        depth = _count_open_marks(text, counted_to, match.start(), depth)
        counted_to = match.start()
        if stop.startswith("."):
            tail = text[max(start, match.start() - 12) : match.start()]
            if len(stop) == 1 and _ABBREVIATION.search(tail) and match.end() < len(text):
                continue
        if depth > 0 and not stop.startswith("\n") and not _is_closing(stop):
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


def _count_open_marks(text: str, start: int, end: int, depth: int) -> int:
    """Count the open quotation marks and brackets; one that stays open for long counts as a typo."""
    for char in text[start:end]:
        if char in _OPENERS:
            depth += 1
        elif char in _CLOSERS:
            depth = max(0, depth - 1)
        elif char == '"':
            depth = depth - 1 if depth else 1
    return 0 if end - start > MAX_CLAIM_CHARS else depth


def _is_closing(stop: str) -> bool:
    return stop[-1] in _SHUT


def split_claims(
    text: str, language: Language, find_mentions: compound_sentences.MentionFinder | None = None
) -> list[str]:
    """Return up to five checkable claims of ``text`` in its order; the whole text if it is one simple
    sentence. With ``find_mentions``, compound sentences are split."""
    statements: list[str] = []
    for sentence in sentences(text):
        statements += (
            [sentence]
            if find_mentions is None
            else compound_sentences.split_compound_sentence(
                sentence[:MAX_CLAIM_CHARS], language, find_mentions
            )
        )
        if len(statements) >= MAX_SENTENCES:
            break
    if find_mentions is not None and len(statements) <= MAX_JOINED_SENTENCES:
        statements = _join_dependent(statements, language, find_mentions)
    if len(statements) <= 1:
        return statements
    seen: set[str] = set()
    ranked = []
    for index, sentence in enumerate(statements):
        weight = compute_check_worthiness(sentence, language)
        if weight > 0 and sentence not in seen:
            seen.add(sentence)
            ranked.append((weight, -index, sentence))
    best = sorted(ranked, reverse=True)[:MAX_CLAIMS]
    claims = [sentence for _, _, sentence in sorted(best, key=lambda item: -item[1])]
    return claims or statements[:1]


def _join_dependent(
    statements: list[str], language: Language, find_mentions: compound_sentences.MentionFinder
) -> list[str]:
    """Join each statement that says something of what the one before names (*The company put the loss at …*).

    Such a statement names nobody, or nobody new and no date of its own.
    """
    joined = statements[:1]
    for sentence in statements[1:]:
        if len(joined[-1]) + len(sentence) < MAX_CLAIM_CHARS and _is_dependent(
            sentence, joined[-1], language, find_mentions
        ):
            joined[-1] += (" " if language == "en" else "") + sentence
        else:
            joined.append(sentence)
    return joined


def _is_dependent(
    sentence: str, previous: str, language: Language, find_mentions: compound_sentences.MentionFinder
) -> bool:
    if _QUESTION.search(sentence) or _OPINION[language].search(sentence):
        return False
    plain = numbers.normalize(sentence, language)
    if len(lexical_features.list_content_terms(plain, ())) < MIN_DEPENDENT_TERMS:
        return False
    amounts = [(quantity.start, quantity.end) for quantity in quantities.find_quantities(plain, language)]
    mentions = [
        mention
        for mention in find_mentions(sentence)
        if not any(start <= mention.start < end for start, end in amounts)
    ]
    earlier_ids = {mention.entity_id for mention in find_mentions(previous)}
    if not mentions or not (actions.find_actions(plain, language) or dates.find_dates(plain)):
        return True
    return all(mention.entity_id in earlier_ids for mention in mentions) and not dates.find_dates(plain)


def compute_check_worthiness(sentence: str, language: Language) -> float:
    """Score the checkable parts of a sentence: figures with units, dates, actions, names. 0 for questions,
    opinions and sentences without slots."""
    if len(sentence) < MIN_CLAIM_CHARS or _QUESTION.search(sentence) or _OPINION[language].search(sentence):
        return 0.0
    plain = numbers.normalize(sentence[:MAX_CLAIM_CHARS], language)
    found_dates = dates.find_dates(plain)
    found_quantities = quantities.find_quantities(plain, language, found_dates)
    score = 1.5 * min(len(found_dates), 2)
    score += 1.5 * min(sum(quantity.unit is not None for quantity in found_quantities), 2)
    score += 1.0 * min(len(actions.find_actions(plain, language)), 2)
    score += 1.0 * bool(find_cues(plain, language))
    names = lexical_features.find_names(plain, ())
    return score + 0.5 * min(len(names), 2) if score else 0.0
