"""What is marked in a text: the entities that it names, and the words that decided a verdict. Pure.

Offsets count code points.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Literal, NamedTuple

Sign = Literal["agrees", "differs"]
LONGEST_COMPARED = 2_500
"""Characters of a passage and of a reasoning that are compared."""
_WORD = re.compile(r"[0-9０-９]+(?:[,.，．:/-][0-9０-９]+)*|[A-Za-z]+")
"""A number with the signs within it, or a Latin word."""


class Named(NamedTuple):
    """An entity as the page tells of it: its name in the catalogue, its type, its own domains."""

    id: str
    name: str
    type: str
    domains: Sequence[str]


class Mark(NamedTuple):
    start: int
    end: int
    entity: Named | None = None
    sign: Sign | None = None


def entity_marks(
    matches: Iterable[Mapping[str, Any]], entities: Iterable[Mapping[str, Any]], field: str = "content"
) -> list[Mark]:
    """The places in a field that name an entity; words of the field (type ``term``) are none."""
    known = {
        one["id"]: Named(one["id"], one["names"].get("en") or one["id"], one["type"], one["official_domains"])
        for one in entities
        if one["type"] != "term"
    }
    return [
        Mark(match["start_offset"], match["end_offset"], known[match["entity_id"]])
        for match in matches
        if match["field"] == field and match["entity_id"] in known
    ]


def named_in(marks: Iterable[Mark]) -> list[Named]:
    """Each entity once, in the order in which the text names them."""
    return list({mark.entity.id: mark.entity for mark in marks if mark.entity is not None}.values())


def telling(passage: str, reasoning: str, statement: str, assessment: str) -> list[Mark]:
    """The figures and dates of a passage that the reasoning quotes.

    They agree when the statement has them too, or is borne out; in a statement that is not borne out,
    what it has not differs. An unverified one has neither.
    """
    if assessment not in ("supported", "contradicted", "mixed"):
        return []
    marks = []
    for start, end in _common(passage[:LONGEST_COMPARED], reasoning[:LONGEST_COMPARED]):
        same = assessment == "supported" or stands_alone(statement, passage[start:end])
        marks.append(Mark(start, end, sign="agrees" if same else "differs"))
    return marks


def date_sign(day: str, reasoning: str, assessment: str) -> Sign | None:
    """How the day that a source gives (``2022-09-15``) counts, where the reasoning quotes it."""
    if assessment not in ("supported", "contradicted") or not stands_alone(reasoning, day):
        return None
    return "agrees" if assessment == "supported" else "differs"


def claimed(statement: str, reasoning: str, passages: Sequence[str], assessment: str) -> list[Mark]:
    """The figures and dates of a statement that the reasoning quotes; those no passage has, differ."""
    if assessment not in ("supported", "contradicted", "mixed"):
        return []
    marks = []
    for start, end in _common(statement[:LONGEST_COMPARED], reasoning[:LONGEST_COMPARED]):
        same = assessment == "supported" or any(
            stands_alone(passage, statement[start:end]) for passage in passages
        )
        marks.append(Mark(start, end, sign="agrees" if same else "differs"))
    return marks


def together(first: Iterable[Mark], second: Iterable[Mark]) -> list[Mark]:
    """Both by place; of those that overlap, the one of ``first`` stays."""
    kept = list(first)
    for mark in second:
        if not any(mark.start < other.end and other.start < mark.end for other in kept):
            kept.append(mark)
    return sorted(kept, key=lambda mark: mark.start)


class Piece(NamedTuple):
    text: str
    mark: Mark | None


def pieces(text: str, marks: Sequence[Mark]) -> list[Piece]:
    """``text`` cut at the marks, which are ascending and apart; put together it is the text again."""
    cut, at = [], 0
    for mark in marks:
        if mark.start > at:
            cut.append(Piece(text[at : mark.start], None))
        cut.append(Piece(text[mark.start : mark.end], mark))
        at = mark.end
    return [*cut, Piece(text[at:], None)] if at < len(text) or not cut else cut


@lru_cache(maxsize=512)
def _common(text: str, reasoning: str) -> tuple[tuple[int, int], ...]:
    """Runs with a digit in them that stand in both, whole: none begins or ends within a number or word."""
    found = []
    for block in SequenceMatcher(None, text, reasoning, autojunk=False).get_matching_blocks():
        start, end = _whole(text, block.a, block.a + block.size)
        if re.search(r"\d", text[start:end]) and stands_alone(reasoning, text[start:end]):
            found.append((start, end))
    return tuple(found)


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a run that cuts no word and has no blanks or stops at its ends."""
    words = [(word.start(), word.end()) for word in _WORD.finditer(text)]
    for begin, after in words:
        if begin < start < after:
            start = after
        if begin < end < after:
            end = begin
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum() and text[end - 1] not in "%％":
        end -= 1
    return start, end


def stands_alone(text: str, run: str) -> bool:
    """Whether ``run`` is in a text, and not within a longer number or word there."""
    return any(_whole(text, at.start(), at.end()) == at.span() for at in re.finditer(re.escape(run), text))
