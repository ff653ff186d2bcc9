"""Marks the first and the last letter of each word in a folded text.

Most surfaces that occur in a text occur inside longer words. In a marked text a letter that begins a word
is a control character and one that ends it a capital, so that an automaton over marked surfaces passes
those by. Only letters of ASCII are marked, and by nothing but their neighbours: whether a boundary holds
is to be told afterwards.
"""

import re
import string
from collections.abc import Sequence
from itertools import accumulate

from backend.articles.text.boundaries import LETTER
from backend.articles.text.folding import encoded

_KEPT_CONTROLS = b"\t\n\r"
_MERGED = bytes(control for control in range(32) if control not in _KEPT_CONTROLS)
_FIRST_LETTERS = bytes.maketrans(
    string.ascii_uppercase.encode() + _KEPT_CONTROLS + _MERGED,
    bytes(range(26)) + b"\x1a\x1b\x1c" + b"\x1d" * len(_MERGED),
)
"""Makes capitals the control characters 0 to 25. To make room, all control characters but tabulators and line
breaks become the same."""

_CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f]")


def marked(text: bytes) -> str:
    """``text``, which is folded and in UTF-8, with its words marked: as many characters as before."""
    # Read backwards, a word begins with its last letter; its first one is no letter any more.
    backwards = text.title().translate(_FIRST_LETTERS)[::-1].title()
    return str(backwards[::-1], "utf-8", "surrogatepass")


def marked_forms(surfaces: Sequence[str], left: Sequence[int], right: Sequence[int]) -> list[tuple[int, str]]:
    """What each surface looks like in marked texts, by its number: in more than one way where the classes
    ``left`` and ``right`` allow letters beside it."""
    framed = [
        (k, before, surface, behind)
        for k, surface in enumerate(surfaces)
        for before in (" " if left[k] & LETTER else " a")
        for behind in (" " if right[k] & LETTER else " a")
    ]
    together = marked(encoded("".join(before + surface + behind for _, before, surface, behind in framed)))
    ends = accumulate(len(surface) + 2 for _, _, surface, _ in framed)
    forms = [
        (k, together[end - len(surface) - 1 : end - 1])
        for end, (k, _, surface, _) in zip(ends, framed, strict=True)
    ]
    return sorted(set(forms))


def looks_like_others(surface: str) -> bool:
    """Whether another text too may look like ``surface`` when it is marked."""
    return _CONTROL.search(surface) is not None
