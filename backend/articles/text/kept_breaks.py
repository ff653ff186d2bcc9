"""Puts the breaks and the markup that stand inside a wrong name back into its correction."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from backend.articles.text.visible_text import VisibleText

_ODD_SPACE = re.compile(r"[^\S ]")


def keep_breaks(view: VisibleText, start: int, end: int, right: str) -> str | None:
    """Return ``right`` with the breaks and the markup that the source of ``view.text[start:end]`` contains.

    Markup stays between the letters that it stood between. A line break stays in its space; if the correction
    removes that space, the break moves behind the word, or behind or before the name. None if all of these
    could make a blank line.
    """
    written = view.text[start:end]
    collapsed_spans = view.list_collapsed_spans(start, end)
    if not collapsed_spans and not _ODD_SPACE.search(written):
        return right
    breaks = [(at - start, shown, view.source[first:last]) for at, (first, last, shown) in collapsed_spans]
    collapsed_places = {at for at, shown, _ in breaks if shown}
    for found in _ODD_SPACE.finditer(written):
        if found.start() not in collapsed_places:
            breaks.append((found.start(), found.group(), found.group()))
    parts: list[str] = []
    lead = tail = ""
    done = 0
    for at, shown, raw in sorted(breaks):
        place = max(done, _move(at, written, right))
        if shown and right[place : place + 1] != " ":
            if "\n" not in raw:
                continue  # the correction removes these spaces
            place = right.find(" ", place)
            if place < 0:
                if _has_word_on_line_after(view.text, end):
                    tail = raw
                elif _has_word_on_line_before(view.text, start):
                    lead = raw
                else:
                    return None
                continue
        parts += right[done:place], raw
        done = place + len(shown)
    return "".join((lead, *parts, right[done:], tail))


def _move(at: int, written: str, right: str) -> int:
    """Return where the place ``at`` of the wrong name is in the correction."""
    opcodes = _compare(_ODD_SPACE.sub(" ", written).lower(), right.lower())
    for _, start, end, first, last in opcodes:
        if start <= at < end:
            return min(first + at - start, last)
    return len(right)


@lru_cache(maxsize=1024)
def _compare(written: str, right: str) -> Sequence[tuple[str, int, int, int, int]]:
    return SequenceMatcher(None, written, right, autojunk=False).get_opcodes()


def _has_word_on_line_after(text: str, end: int) -> bool:
    return text[end : end + 1] == " " and not text[end + 1 : end + 2].isspace() and end + 1 < len(text)


def _has_word_on_line_before(text: str, start: int) -> bool:
    return start > 1 and text[start - 1] == " " and not text[start - 2].isspace()
