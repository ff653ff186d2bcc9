"""Classifies characters, and describes a span of a text with the text around it."""

import unicodedata
from dataclasses import dataclass

from backend.articles.text.protection import Protection

HALF_WIDTH = [chr(code) for code in range(0xFF65, 0xFFA0)]
COMBINING = {chr(code) for code in range(0x300, 0x370)} | set("\u3099\u309a\uff9e\uff9f")


@dataclass(frozen=True)
class TextSpan:
    text: str
    start: int
    end: int
    is_title: bool

    @property
    def matched(self) -> str:
        return self.text[self.start : self.end].replace("\n", " ")

    @property
    def before(self) -> str:
        return self.text[: self.start]

    @property
    def after(self) -> str:
        return self.text[self.end :]

    @property
    def line(self) -> str:
        return self.before.rpartition("\n")[2] + self.text[self.start :].partition("\n")[0]


def normalise(text: str) -> str:
    """Normalise the width, composition and typographic signs of ``text``."""
    for odd, plain in {
        "\n": " ",
        "’": "'",
        "\u3000": " ",
        "\u00a0": " ",
        "\u2010": "-",
        "\u2011": "-",
    }.items():
        text = text.replace(odd, plain)
    wide = ""
    for character in text:
        code = ord(character)
        narrow = 0xFF10 <= code <= 0xFF19 or 0xFF21 <= code <= 0xFF3A or 0xFF41 <= code <= 0xFF5A
        if narrow or 0xFF65 <= code <= 0xFF9F or 0xFB00 <= code <= 0xFB06:
            character = unicodedata.normalize("NFKC", character)
        wide += character
    return unicodedata.normalize("NFC", wide)


def fold(text: str) -> str:
    """Fold ``text``, so that all forms of one surface become equal."""
    return normalise(text.replace("\u0130", "I").lower().replace("ς", "σ")).replace("i\u0307", "i")


def is_half_width(text: str) -> bool:
    return any(character in HALF_WIDTH for character in text)


def is_cjk(character: str) -> bool:
    name = unicodedata.name(character, "")
    kinds = ("CJK", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC")
    return name.startswith(kinds) or character in "々ー"


def is_katakana(character: str) -> bool:
    name = unicodedata.name(character, "")
    return character == "ー" or ("KATAKANA" in name and unicodedata.category(character)[0] == "L")


def is_letter(character: str) -> bool:
    return not is_cjk(character) and (unicodedata.category(character)[0] in "LM" or character == "_")


def is_word(character: str) -> bool:
    return is_letter(character) or (unicodedata.category(character) == "Nd" and not is_cjk(character))


def has_boundaries(
    span: TextSpan, surface: str, boundary: str, *, symbol: bool = False, ordinary: bool = False
) -> bool:
    """True if ``span`` is not part of a longer word. ``ordinary`` surfaces are names only in context."""
    folded = fold(surface)
    before, after = fold(span.before)[-1:], fold(span.after)[:1]
    if after and unicodedata.category(after)[0] == "M":
        return False
    if boundary == "none":
        return True
    short = (ordinary or len(folded) <= 4) and all(map(is_katakana, folded))
    if boundary == "katakana-run" or (boundary == "auto" and short):
        at_start = is_katakana(folded[0]) and before and is_katakana(before)
        at_end = is_katakana(folded[-1]) and after and is_katakana(after)
        return not at_start and not at_end
    if is_word(folded[-1]) and after and is_word(after):
        return False
    if not (is_word(folded[0]) and before and is_word(before)):
        return True
    if not symbol or is_letter(before) or not is_letter(folded[0]):
        return False
    number = fold(span.before)
    amount = number[: len(number) - 1].rstrip("0123456789.,")
    return not amount or not is_letter(amount[-1])


def is_line_in_capitals(span: TextSpan) -> bool:
    if any(is_cjk(character) and "HANGUL" not in unicodedata.name(character, "") for character in span.line):
        return False
    return not any("a" <= c <= "z" or "ß" <= c <= "ÿ" or "ａ" <= c <= "ｚ" for c in span.line if c != "÷")


def is_sentence_start(span: TextSpan) -> bool:
    if span.is_title or span.before.rpartition("\n")[2].startswith("#"):
        return True
    text_before = span.before.rpartition("\n")[2].rstrip(" \t\u3000\"'“”‘’«»「『（([*_>#+-•–—")
    return not text_before or text_before[-1] in ".!?…:。！？："


def is_cashtag(span: TextSpan) -> bool:
    before = span.before
    return before[-1:] in ("$", "＄") and not (len(before) > 1 and is_word(before[-2]))


def is_cased(text: str) -> bool:
    return text.lower() != text.upper()


def is_protected(protection: Protection, start: int, end: int) -> bool:
    """True if protected text overlaps ``[start:end]``."""
    return protection.is_markup(start, end) or protection.token(start, end) is not None
