"""Marks the first and the last letter of each word in a folded text.

Most surfaces that occur in a text occur inside longer words. In a marked text, the first letter of a word is
a control character and the last one a capital, so an automaton of marked surfaces skips those occurrences.
Only ASCII letters are marked, and only by their direct neighbours. The caller still checks the boundaries.
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
"""Maps capitals to the control characters 0 to 25. To make room, all control characters except tabs and line
breaks become one character."""

_CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f]")


def marked(text: bytes) -> str:
    """Mark the words of ``text``, which is folded and in UTF-8. The number of characters stays."""
    # In reverse, title() marks the last letter of a word. Its first one is no letter any more.
    backwards = text.title().translate(_FIRST_LETTERS)[::-1].title()
    return str(backwards[::-1], "utf-8", "surrogatepass")


def marked_forms(surfaces: Sequence[str], left: Sequence[int], right: Sequence[int]) -> list[tuple[int, str]]:
    """List the marked forms of each surface with its index.

    A surface has several forms if the classes ``left`` and ``right`` allow letters beside it.
    """
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
    """True if another text may have the same marked form as ``surface``."""
    return _CONTROL.search(surface) is not None
