"""Lists an article's texts by field, and applies exact edits to them. Pure.

Offsets count code points, like Python's string indexes. Line ends and Unicode normal form are never changed.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from dashboard.client.article_schemas import Article

__all__ = [
    "Edit",
    "EditMismatchError",
    "Edits",
    "apply_article_edits",
    "apply_edits",
    "find_edit",
    "is_blank",
    "list_texts",
    "move_span",
    "normalize_line_ends",
    "replace_texts",
    "restore_line_ends",
    "split_tags",
]

_TAG = re.compile(r"tags\[(\d+)\]")
_TAG_SEPARATOR = re.compile(r"[,、，;；\n]")
_LINE_END = re.compile(r"\r\n?|\n")


class Edit(NamedTuple):
    """Replaces the text from ``start`` to before ``end`` with ``text``."""

    start: int
    end: int
    text: str


Edits: TypeAlias = Mapping[str, Sequence[Edit]]
"""Edits by field; those of a field are ascending and do not overlap."""


class EditMismatchError(Exception):
    """The text at an edit's span differs from the text that the edit was made for."""


def is_blank(article: Article) -> bool:
    return not any(text.strip() for text in list_texts(article).values())


def list_texts(article: Article) -> dict[str, str]:
    """List the article's texts by field, in reading order; fields without a text are omitted."""
    texts_by_field: dict[str, str] = {}
    if article["title"] is not None:
        texts_by_field["title"] = article["title"]
    if article["summary"] is not None:
        texts_by_field["summary"] = article["summary"]
    if article["content"] is not None:
        texts_by_field["content"] = article["content"]
    texts_by_field.update({f"tags[{n}]": tag for n, tag in enumerate(article["tags"])})
    return texts_by_field


def replace_texts(article: Article, changed: Mapping[str, str]) -> Article:
    """Return a copy of the article with the texts of some fields replaced."""
    tags = list(article["tags"])
    for field, text in changed.items():
        if tag_match := _TAG.fullmatch(field):
            tags[int(tag_match[1])] = text
    return {
        **article,
        "title": changed.get("title", article["title"]),
        "summary": changed.get("summary", article["summary"]),
        "content": changed.get("content", article["content"]),
        "tags": tags,
    }


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Apply all edits to ``text``, from right to left so that offsets of pending edits stay valid."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def apply_article_edits(article: Article, edits: Edits) -> Article:
    texts = list_texts(article)
    return replace_texts(
        article, {field: apply_edits(texts[field], field_edits) for field, field_edits in edits.items()}
    )


def move_span(start: int, end: int, edits: Sequence[Edit]) -> tuple[int, int] | None:
    """Compute a span's position after the edits; null if an edit overlaps the span."""
    shift = 0
    for edit in edits:
        if edit.end <= start:
            shift += len(edit.text) - (edit.end - edit.start)
        elif edit.start < end:
            return None
    return start + shift, end + shift


def find_edit(before: str, after: str) -> Edit | None:
    """Find the single edit between the common prefix and suffix of two texts; null if they are equal."""
    if before == after:
        return None
    head = _count_common_prefix(before, after)
    room = min(len(before), len(after)) - head
    tail = _count_common_prefix(before[::-1][:room], after[::-1][:room])
    return Edit(head, len(before) - tail, after[head : len(after) - tail])


def normalize_line_ends(text: str) -> str:
    """Replace each line end by a line feed, as a browser's text box does."""
    return _LINE_END.sub("\n", text)


def restore_line_ends(original: str, box_text: str) -> str:
    """Restore the line ends of ``original`` in a text box's content.

    New lines get the most frequent line end of ``original``.
    """
    before = normalize_line_ends(original)
    edit = find_edit(before, box_text)
    if edit is None:
        return original
    positions = _map_positions(original)
    ends = _LINE_END.findall(original)
    usual = max(("\n", "\r\n", "\r"), key=ends.count) if ends else "\n"
    replacement = edit.text.replace("\n", usual)
    return original[: positions[edit.start]] + replacement + original[positions[edit.end] :]


def split_tags(line: str) -> list[str]:
    """Split typed tags at commas and semicolons of any script."""
    return [tag.strip() for tag in _TAG_SEPARATOR.split(line) if tag.strip()]


def _map_positions(original: str) -> list[int]:
    """Map each position of the normalized text, and its end, to the position in ``original``."""
    positions: list[int] = []
    at = 0
    for end in _LINE_END.finditer(original):
        positions.extend(range(at, end.start() + 1))
        at = end.end()
    positions.extend(range(at, len(original) + 1))
    return positions


def _count_common_prefix(first_text: str, second_text: str) -> int:
    """Count the common prefix by binary search: comparing slices is much faster than characters."""
    low, high = 0, min(len(first_text), len(second_text))
    while low < high:
        middle = (low + high + 1) // 2
        if first_text[:middle] == second_text[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
