"""Folded texts with the first and the last letters of their words marked.

Most surfaces that occur in a text occur inside longer words. In a marked text a letter that begins a word
is a capital and one that ends it a control character, so that an automaton over marked surfaces passes
those by. Only letters of ASCII are marked, and by nothing but their neighbours: whether a boundary holds
is to be told afterwards.
"""

import re
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from backend.articles.text.boundaries import LETTER
from backend.articles.text.folding import encoded

_A, _LETTERS = np.uint8(ord("a")), np.uint8(26)
_TO_CAPITAL = np.uint8(5)
"""The bit that tells a capital."""
_TABLE = bytes.maketrans(bytes(range(32)), b"\x1d" * 9 + b"\x1a\x1b" + b"\x1d" * 2 + b"\x1c" + b"\x1d" * 18)
"""Makes room for the letters that end words, 0 to 25: control characters but tabulators and line breaks
are all the same."""

_CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f]")


def marked(text: bytes) -> str:
    """``text``, which is folded and in UTF-8, with its words marked: as many characters as before."""
    given = np.frombuffer(b" %b " % text.translate(_TABLE), np.uint8)
    letters = given - _A < _LETTERS
    own = letters[1:-1]
    begins, ends = own > letters[:-2], own > letters[2:]
    np.greater(ends, begins, out=ends)
    found = given[1:-1] - (begins.view(np.uint8) << _TO_CAPITAL) - ends.view(np.uint8) * _A
    return str(found.tobytes(), "utf-8", "surrogatepass")


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
