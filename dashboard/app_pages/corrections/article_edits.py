"""An article's texts by field, and exact edits of them. Pure.

Offsets count code points, as Python's own indices do. Line ends and normal form are the writer's and
are never changed by what is done here.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from dashboard.client.article_schemas import Article

__all__ = [
    "Edit",
    "Edits",
    "WrongPlace",
    "apply",
    "displayed",
    "edited",
    "hand_edit",
    "is_blank",
    "moved",
    "reconciled",
    "split_tags",
    "texts",
    "with_texts",
]

_TAG = re.compile(r"tags\[(\d+)\]")
_TAG_ENDS = re.compile(r"[,、，;；\n]")
_LINE_END = re.compile(r"\r\n?|\n")


class Edit(NamedTuple):
    """The text from ``start`` up to ``end`` becomes ``text``."""

    start: int
    end: int
    text: str


Edits: TypeAlias = Mapping[str, Sequence[Edit]]
"""By field; those of a field ascending and apart."""


class WrongPlace(Exception):
    """An edit's place does not hold the text that it was made for."""


def is_blank(article: Article) -> bool:
    return not any(text.strip() for text in texts(article).values())


def texts(article: Article) -> dict[str, str]:
    """The texts that an article has, by field, in the order in which they are read."""
    found: dict[str, str] = {}
    if article["title"] is not None:
        found["title"] = article["title"]
    if article["summary"] is not None:
        found["summary"] = article["summary"]
    if article["content"] is not None:
        found["content"] = article["content"]
    found.update({f"tags[{n}]": tag for n, tag in enumerate(article["tags"])})
    return found


def with_texts(article: Article, changed: Mapping[str, str]) -> Article:
    """The article with other texts in some of its fields."""
    tags = list(article["tags"])
    for field, text in changed.items():
        if found := _TAG.fullmatch(field):
            tags[int(found[1])] = text
    return {
        **article,
        "title": changed.get("title", article["title"]),
        "summary": changed.get("summary", article["summary"]),
        "content": changed.get("content", article["content"]),
        "tags": tags,
    }


def apply(text: str, edits: Sequence[Edit]) -> str:
    """``text`` after all edits, made from right to left so that no offset moves before its turn."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def edited(article: Article, edits: Edits) -> Article:
    have = texts(article)
    return with_texts(article, {field: apply(have[field], made) for field, made in edits.items()})


def moved(start: int, end: int, edits: Sequence[Edit]) -> tuple[int, int] | None:
    """Where a span is after the edits; null when one of them touches it."""
    shift = 0
    for edit in edits:
        if edit.end <= start:
            shift += len(edit.text) - (edit.end - edit.start)
        elif edit.start < end:
            return None
    return start + shift, end + shift


def hand_edit(before: str, after: str) -> Edit | None:
    """What was changed between two texts, as the one edit between their common ends."""
    if before == after:
        return None
    head = _common(before, after)
    room = min(len(before), len(after)) - head
    tail = _common(before[::-1][:room], after[::-1][:room])
    return Edit(head, len(before) - tail, after[head : len(after) - tail])


def displayed(text: str) -> str:
    """``text`` as a browser's text box holds it: each line end is one line feed."""
    return _LINE_END.sub("\n", text)


def reconciled(original: str, shown: str) -> str:
    """What a text box holds now, with the line ends that ``original`` has where nothing was changed.

    Lines that are new end as most lines of ``original`` do.
    """
    before = displayed(original)
    edit = hand_edit(before, shown)
    if edit is None:
        return original
    places = _places(original)
    ends = _LINE_END.findall(original)
    usual = max(("\n", "\r\n", "\r"), key=ends.count) if ends else "\n"
    written = edit.text.replace("\n", usual)
    return original[: places[edit.start]] + written + original[places[edit.end] :]


def split_tags(line: str) -> list[str]:
    """Tags as they are typed, parted by commas of any script."""
    return [tag.strip() for tag in _TAG_ENDS.split(line) if tag.strip()]


def _places(original: str) -> list[int]:
    """For each position of the displayed text (and its end) the position in ``original``."""
    places: list[int] = []
    at = 0
    for end in _LINE_END.finditer(original):
        places.extend(range(at, end.start() + 1))
        at = end.end()
    places.extend(range(at, len(original) + 1))
    return places


def _common(one: str, other: str) -> int:
    """The length of the common beginning, by halving: comparing slices is far faster than characters."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
