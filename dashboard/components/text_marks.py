"""Marks entities in texts, and the figures and dates that a verdict is based on. Pure.

Offsets count code points.
"""

import calendar
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Literal, NamedTuple

Agreement = Literal["agrees", "differs"]
MAX_COMPARED_CHARS = 2_500
"""Maximum length of the compared start of a passage and a reasoning."""
_WORD = re.compile(r"[0-9０-９]+(?:[,.，．:/-][0-9０-９]+)*|[A-Za-z]+")
"""A number with inner separators, or a Latin word."""


class NamedEntity(NamedTuple):
    """An entity: its name in the catalogue, its type and its official domains."""

    id: str
    name: str
    type: str
    domains: Sequence[str]


class Mark(NamedTuple):
    start: int
    end: int
    entity: NamedEntity | None = None
    sign: Agreement | None = None


def index_entities(entities: Iterable[Mapping[str, Any]]) -> dict[str, NamedEntity]:
    """Index the entities of a rule set by id, except technical terms (type ``term``)."""
    return {
        entity["id"]: NamedEntity(
            entity["id"],
            entity["names"].get("en") or entity["id"],
            entity["type"],
            entity["official_domains"],
        )
        for entity in entities
        if entity["type"] != "term"
    }


def build_entity_marks(
    matches: Iterable[Mapping[str, Any]],
    entities_by_id: Mapping[str, NamedEntity],
    field: str = "content",
) -> list[Mark]:
    """Build marks for the mentions of these entities in a field."""
    return [
        Mark(match["start_offset"], match["end_offset"], entities_by_id[match["entity_id"]])
        for match in matches
        if match["field"] == field and match["entity_id"] in entities_by_id
    ]


def list_entities(marks: Iterable[Mark]) -> list[NamedEntity]:
    """List each entity once, in the order of the text."""
    return list({mark.entity.id: mark.entity for mark in marks if mark.entity is not None}.values())


def mark_evidence(passage: str, reasoning: str, statement: str, assessment: str) -> list[Mark]:
    """Mark the figures and dates of a passage that the reasoning quotes.

    They agree if the statement contains them or is supported. Otherwise, they differ. An unverified statement
    has no marks.
    """
    if assessment not in ("supported", "contradicted", "mixed"):
        return []
    marks = []
    for start, end in _find_common_runs(passage[:MAX_COMPARED_CHARS], _prepare(reasoning)):
        agrees = assessment == "supported" or is_whole_run(statement, passage[start:end])
        marks.append(Mark(start, end, sign="agrees" if agrees else "differs"))
    return marks


def compare_date(day: str, reasoning: str, assessment: str) -> Agreement | None:
    """Tell whether the date of a source (``2022-09-15``) agrees; None unless the reasoning quotes it.

    The reasoning writes dates in the language of the statement.
    """
    if assessment not in ("supported", "contradicted"):
        return None
    year, month, number = day.split("-")
    forms = (
        day,
        f"{int(number)} {calendar.month_name[int(month)]} {year}",
        f"{year}年{int(month)}月{int(number)}日",
    )
    if not any(is_whole_run(reasoning, form) for form in forms):
        return None
    return "agrees" if assessment == "supported" else "differs"


def mark_claims(statement: str, reasoning: str, passages: Sequence[str], assessment: str) -> list[Mark]:
    """Mark the figures and dates of a statement that the reasoning quotes; those in no passage differ."""
    if assessment not in ("supported", "contradicted", "mixed"):
        return []
    marks = []
    for start, end in _find_common_runs(statement[:MAX_COMPARED_CHARS], _prepare(reasoning)):
        agrees = assessment == "supported" or any(
            is_whole_run(passage, statement[start:end]) for passage in passages
        )
        marks.append(Mark(start, end, sign="agrees" if agrees else "differs"))
    return marks


def merge_marks(first: Iterable[Mark], second: Iterable[Mark]) -> list[Mark]:
    """Merge marks in order of position; a mark of ``second`` that overlaps one of ``first`` is omitted."""
    merged = list(first)
    for mark in second:
        if not any(mark.start < merged_mark.end and merged_mark.start < mark.end for merged_mark in merged):
            merged.append(mark)
    return sorted(merged, key=lambda mark: mark.start)


class TextPiece(NamedTuple):
    text: str
    mark: Mark | None


def split_at_marks(text: str, marks: Sequence[Mark]) -> list[TextPiece]:
    """Split ``text`` at ascending marks that do not overlap; the pieces join to the text."""
    result, position = [], 0
    for mark in marks:
        if mark.start > position:
            result.append(TextPiece(text[position : mark.start], None))
        result.append(TextPiece(text[mark.start : mark.end], mark))
        position = mark.end
    return [*result, TextPiece(text[position:], None)] if position < len(text) or not result else result


_ADDRESS = re.compile(r"[(（][^()（）\s]*[A-Za-z]\.[a-z]{2,}[^()（）\s]*[)）]")


def _prepare(reasoning: str) -> str:
    """Remove the addresses of pages, whose digits are no figures, and shorten."""
    return _ADDRESS.sub("", reasoning)[:MAX_COMPARED_CHARS]


@lru_cache(maxsize=512)
def _find_common_runs(text: str, reasoning: str) -> tuple[tuple[int, int], ...]:
    """Find common runs with a digit that start and end at word boundaries in both texts."""
    runs = []
    for block in SequenceMatcher(None, text, reasoning, autojunk=False).get_matching_blocks():
        start, end = _trim_to_words(text, block.a, block.a + block.size)
        if re.search(r"\d", text[start:end]) and is_whole_run(reasoning, text[start:end]):
            runs.append((start, end))
    return tuple(runs)


def _trim_to_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Trim a run to whole words, without spaces and punctuation at its ends."""
    words = [(word.start(), word.end()) for word in _WORD.finditer(text)]
    for word_start, word_end in words:
        if word_start < start < word_end:
            start = word_end
        if word_start < end < word_end:
            end = word_start
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum() and text[end - 1] not in "%％":
        end -= 1
    return start, end


def is_whole_run(text: str, run: str) -> bool:
    """Whether a text contains ``run`` outside of longer numbers and words."""
    return any(
        _trim_to_words(text, position.start(), position.end()) == position.span()
        for position in re.finditer(re.escape(run), text)
    )
