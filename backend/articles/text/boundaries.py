"""Decides which characters can stand next to a name, also in languages that do not separate words.

Word characters are letters, marks, digits and underscores of scripts that separate words by spaces. Han,
kana, Hangul and bopomofo are not word characters: ``Ethereumは`` contains a name, ``Ethereumly`` does not.
"""

import unicodedata

from backend.articles.model import Boundary

LETTER, DIGIT, KATAKANA, MARK = 1, 2, 4, 8
"""Character classes, as bit flags. A mark of a script with word boundaries is also a letter."""
WORD = LETTER | DIGIT

SHORT_KATAKANA = 4
"""A katakana name of up to this length is likely to be part of another word (ニア in カリフォルニア)."""
MAX_NUMBER_CHARS = 24
"""Maximum length of the amount before a ticker (100.5BTC)."""

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
    """Caches the classes of characters. Characters outside the basic plane are not cached."""

    def __missing__(self, character: str) -> int:
        found = _class_of(character)
        if character <= "\uffff":
            self[character] = found
        return found


CLASS = _Classes()


def edges(surface: str, boundary: Boundary, *, symbol: bool = False) -> tuple[int, int]:
    """Return the classes that must not precede and follow ``surface`` (folded, not empty).

    A combining mark must not follow any name, because it would belong to the last letter. A digit may precede
    a ticker (100BTC) if :func:`ends_number` finds that it ends an amount.
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
    """True if ``surface`` is entirely in katakana."""
    return all(CLASS[character] & KATAKANA for character in surface)


def ends_number(text: str, end: int) -> bool:
    """True if the digit before ``end`` ends a separate number and not a word (x86BTC)."""
    at = end - 1
    first_allowed = max(0, end - MAX_NUMBER_CHARS)
    while at > first_allowed and text[at - 1] in "0123456789.,":
        at -= 1
    return at == 0 or not CLASS[text[at - 1]] & LETTER
