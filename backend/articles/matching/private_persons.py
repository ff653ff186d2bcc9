"""Leaves alone names of private persons, pseudonyms and nicknames that are like a listed person's name."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from operator import itemgetter

from backend.articles.matching.former_names import Occurrence
from backend.articles.matching.meanings import Meaning
from backend.entities.model import Entity

_PSEUDONYM_AFTER = re.compile(
    r"[\"'”’」』]?\s?[（(,，]\s?(?:(?:均为|均為|皆为|皆為)?化名|仮名|(?:an? )?(?:pseudonym|alias)\b|"
    r"(?:a )?fictitious|not (?:his|her|their) real name|name changed)",
    re.IGNORECASE,
)
_AGE_AFTER = re.compile(r"(?:さん|くん|ちゃん|君)\s?[（(](?:仮名|\d{1,3}歳?)(?:[、，,][^）)\n]{0,12})?[）)]")
_NICKNAME_BEFORE = re.compile(
    r"(?:外号|外號|绰号|綽號|诨名|あだ名|ニックネーム|愛称|\bnicknam(?:ed|e)|\bdubbed)[^。！？.!?\n]{0,12}"
    r"[\"'“‘「『]\Z",
    re.IGNORECASE,
)
_NICKNAME_AFTER = re.compile(
    r"[\"'”’」』](?:という|と言う|との)?(?:あだ名|ニックネーム|愛称|的?外号|的?外號|的?绰号|的?綽號)"
)
_SENTENCE_END = re.compile(r"[。！？!?\n]|\.(?=\s)")
MAX_CUE_CHARS = 40
MAX_SENTENCE_CHARS = 160


def remove_private_persons(text: str, occurrences: list[Occurrence], entities: Mapping[str, Entity]) -> None:
    """Remove findings about persons whom the text does not mean.

    These are pseudonyms ("a pseudonym", 化名), nicknames in quotation marks, and private persons whose age
    follows. A pseudonym in a sentence also speaks for the other persons in it.
    """
    sentences: set[tuple[int, int]] = set()
    removed: set[int] = set()
    for index, (start, end, meaning, _) in enumerate(occurrences):
        if meaning.rule is None or not _is_person(meaning, entities):
            continue
        before, after = text[max(0, start - MAX_CUE_CHARS) : start], text[end : end + MAX_CUE_CHARS]
        if _PSEUDONYM_AFTER.match(after) or _AGE_AFTER.match(after):
            sentences.add(_find_sentence(text, start, end))
        elif _NICKNAME_BEFORE.search(before) or _NICKNAME_AFTER.match(after):
            removed.add(index)
    if not sentences and not removed:
        return
    private = _keep_outermost(sentences)
    occurrences[:] = [
        occurrence
        for index, occurrence in enumerate(occurrences)
        if index not in removed and not _is_private(occurrence, private, entities)
    ]


def _is_private(
    occurrence: Occurrence, private: list[tuple[int, int]], entities: Mapping[str, Entity]
) -> bool:
    start, end, meaning, _ = occurrence
    if meaning.rule is None or not _is_person(meaning, entities):
        return False
    index = bisect_right(private, start, key=itemgetter(0)) - 1
    return index >= 0 and end <= private[index][1]


def _keep_outermost(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sort spans without those inside others, so that the last one that begins before a place decides."""
    outermost: list[tuple[int, int]] = []
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not outermost or last > outermost[-1][1]:
            outermost.append((first, last))
    return outermost


def _is_person(meaning: Meaning, entities: Mapping[str, Entity]) -> bool:
    entity = entities.get(meaning.entity or "")
    return entity is not None and entity.type == "person"


def _find_sentence(text: str, start: int, end: int) -> tuple[int, int]:
    first = max(0, start - MAX_SENTENCE_CHARS)
    for match in _SENTENCE_END.finditer(text, first, start):
        first = match.end()
    stop = _SENTENCE_END.search(text, end, min(len(text), end + MAX_SENTENCE_CHARS))
    return first, stop.start() if stop else min(len(text), end + MAX_SENTENCE_CHARS)
