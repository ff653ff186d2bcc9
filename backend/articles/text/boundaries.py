"""Decides which characters can stand next to a name: word boundaries for texts without spaces.

Word characters are the letters, marks, digits and underscores of scripts that write words apart. Han,
kana, Hangul and bopomofo are none, so that ``Ethereumは`` holds a name and ``Ethereumly`` does not.
"""

import unicodedata

from backend.articles.model import Boundary

LETTER, DIGIT, KATAKANA, MARK = 1, 2, 4, 8
"""Classes of characters, as bits. A mark of a script with word boundaries is a letter too."""
WORD = LETTER | DIGIT

SHORT_KATAKANA = 4
"""Up to this length a name in katakana is likely part of another word (ニア in カリフォルニア)."""
MAX_NUMBER_CHARS = 24
"""How far the amount before a ticker (100.5BTC) is followed."""

_CJK = (
    (0x1100, 0x11FF),
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3021, 0x3035),
    (0x3038, 0x312F),
    (0x3130, 0x318F),
    (0x31A0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0xFF65, 0xFFDC),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFF),
)
_KATAKANA = ((0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9D))
_VARIATION_SELECTORS = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _class_of(character: str) -> int:
    code = ord(character)
    if _within(code, _VARIATION_SELECTORS):
        return 0
    category = unicodedata.category(character)
    mark = MARK if category[0] == "M" else 0
    if _within(code, _CJK):
        return KATAKANA if _within(code, _KATAKANA) else mark
    if category == "Nd":
        return DIGIT
    return mark | LETTER if mark or category[0] == "L" or character == "_" else 0


class _Classes(dict[str, int]):
    """Classes by character, found when first asked for; those outside the basic plane are not kept."""

    def __missing__(self, character: str) -> int:
        found = _class_of(character)
        if character <= "\uffff":
            self[character] = found
        return found


CLASS = _Classes()


def edges(surface: str, boundary: Boundary, *, symbol: bool = False) -> tuple[int, int]:
    """Classes that may not stand before and behind ``surface`` (folded, not empty).

    Behind any name no combining mark may follow: it would belong to the last letter. Before a ticker a
    digit may stand (100BTC); :func:`ends_number` says whether that digit ends an amount.
    """
    if boundary == "none":
        return 0, MARK
    if boundary == "katakana-run" or (boundary == "auto" and _is_short_katakana(surface)):
        return CLASS[surface[0]] & KATAKANA, CLASS[surface[-1]] & KATAKANA | MARK
    left = WORD if CLASS[surface[0]] & WORD else 0
    right = WORD if CLASS[surface[-1]] & WORD else 0
    if symbol and CLASS[surface[0]] & LETTER:
        left = LETTER
    return left, right | MARK


def _is_short_katakana(surface: str) -> bool:
    return len(surface) <= SHORT_KATAKANA and is_katakana(surface)


def is_katakana(surface: str) -> bool:
    """Whether all of ``surface`` is in katakana."""
    return all(CLASS[character] & KATAKANA for character in surface)


def ends_number(text: str, end: int) -> bool:
    """Whether the digit before ``end`` ends a number that stands for itself, not a word (x86BTC)."""
    at = end - 1
    farthest = max(0, end - MAX_NUMBER_CHARS)
    while at > farthest and text[at - 1] in "0123456789.,":
        at -= 1
    return at == 0 or not CLASS[text[at - 1]] & LETTER
