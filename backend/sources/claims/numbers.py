"""Finds numerals of English, Japanese and Chinese and parses them as exact decimals.

A text is first normalized: full-width letters, digits and signs become narrow, every dash a hyphen. Each code
point maps to one code point, so that offsets stay valid for the original text."""

import re
from dataclasses import dataclass
from decimal import Decimal

from backend.entities.model import Language
from backend.formats.chinese import to_simplified

MAX_DIGITS = 30
"""A longer run of digits is an identifier; longer numerals of any script are not figures."""

_PLAIN = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    0x3000: " ",
    0x00A0: " ",
    0x2009: " ",
    0x202F: " ",
    0xFFE5: "¥",
    0xFFE1: "£",
    0x2010: "-",
    0x2011: "-",
    0x2012: "-",
    0x2013: "-",
    0x2014: "-",
    0x2212: "-",
    0x301C: "~",
    0x2019: "'",
    0x0130: "I",  # whose lower case is two code points
}
_SMALL = {"十": 10, "拾": 10, "百": 100, "千": 1000, "仟": 1000}
_LARGE = {"万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12, "京": 16}
_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "兩": 2,
    "壱": 1,
    "弐": 2,
    "参": 3,
}
_HAN = "".join((*_SMALL, *_LARGE, *_DIGITS))
_UNITS = "".join((*_SMALL, *_LARGE))

_ARABIC = r"\d{1,3}(?:,\d{3}){1,9}(?![\d,]?\d)(?:\.\d+)?|\d+(?:\.\d+)?"
_SCALES = {
    "hundred": 2,
    "thousand": 3,
    "k": 3,
    "million": 6,
    "millions": 6,
    "mln": 6,
    "mn": 6,
    "mm": 6,
    "m": 6,
    "billion": 9,
    "billions": 9,
    "bln": 9,
    "bn": 9,
    "b": 9,
    "trillion": 12,
    "trillions": 12,
    "trn": 12,
    "tn": 12,
    "t": 12,
    "quadrillion": 15,
}
_LONG_SCALES = "hundred|thousand|millions?|billions?|trillions?|quadrillion|mln|mn|mm|bln|bn|trn|tn"
_SCALE = re.compile(
    rf"[ -]?({_LONG_SCALES})\b|([kKMBT]|[mbt](?=\s|[^\w]|$))(?![A-Za-z0-9])", re.IGNORECASE | re.ASCII
)
_NUMERAL = re.compile(rf"(?:{_ARABIC})(?: ?[多余餘]?[{_UNITS}](?:[\d,.{_HAN}]*[\d{_HAN}])?)?|[{_HAN}]+")
_PIECE = re.compile(rf"{_ARABIC}|[{_HAN}]", re.ASCII)

_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TEENS = (
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen"),
    *("sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: k for k, word in enumerate((*_ONES, *_TEENS))} | {
    word: 10 * k for k, word in enumerate(_TENS, 2)
}
_WORD_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_ANY_WORD = "|".join(sorted((*_WORDS, *_WORD_SCALES), key=len, reverse=True))
_FIRST_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_SPELLED = re.compile(
    rf"\b(?:(?:half|(?:an?|the) (?:half|quarter)(?: of)?|one quarter of|three[ -]quarters of|a third of) an?"
    rf" (?:million|billion|trillion)|a (?:hundred|thousand|million|billion|trillion)"
    rf"|(?:{_FIRST_WORD}))"
    rf"(?:(?:[ -]| and )(?:{_ANY_WORD})){{0,9}}(?P<and_half>[ -]and[ -]a[ -]half"
    rf"(?:[ -](?:hundred|thousand|million|billion|trillion))?)?\b",
    re.IGNORECASE | re.ASCII,
)


_FRACTIONS = {
    "half": Decimal("0.5"),
    "a half": Decimal("0.5"),
    "the half": Decimal("0.5"),
    "a quarter": Decimal("0.25"),
    "the quarter": Decimal("0.25"),
    "one quarter": Decimal("0.25"),
    "three quarters": Decimal("0.75"),
    "a third": Decimal("0.33"),
}
"""Fractions of a million or more in words; all are approximate."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text. ``scaled``: it includes a word of magnitude (million, 万, k). ``spelled``: it has
    no digit. ``letter``: its magnitude is a lower-case m, b or t alone."""

    value: Decimal
    start: int
    end: int
    scaled: bool = False
    spelled: bool = False
    letter: bool = False


def normalize(text: str, language: Language | None = None) -> str:
    """Return ``text`` with narrow letters, digits and signs, and Chinese in Simplified characters, of the
    same length."""
    if text.isascii():
        return text
    return (to_simplified(text) if language == "zh" else text).translate(_PLAIN)


def parse(numeral: str, language: Language = "en") -> Decimal | None:
    """Parse one whole numeral in any notation; None if it is not one.

    ``language`` decides 三万五: 35,000 in Chinese, 30,005 elsewhere.
    """
    text = normalize(numeral).strip()
    parsed = _parse_numeral_at(text, 0, language) or _parse_spelled_at(text)
    return parsed.value if parsed is not None and parsed.end == len(text) else None


def find_numerals(text: str, language: Language) -> list[Numeral]:
    """Find all numerals of a plain ``text``, in order and without overlap."""
    numerals = []
    position = 0
    while (match := _NUMERAL.search(text, position)) is not None:
        numeral = _parse_numeral_at(text, match.start(), language)
        if numeral is not None:
            numerals.append(numeral)
        position = max(match.end(), numeral.end if numeral is not None else 0)
    return sorted(numerals + _find_spelled(text), key=lambda numeral: numeral.start)


def _parse_numeral_at(text: str, start: int, language: Language) -> Numeral | None:
    match = _NUMERAL.match(text, start)
    if match is None or match.end() - start > MAX_DIGITS + 10:
        return None
    token = match.group()
    if token[0] in _HAN or token[-1] in _HAN or any(unit in token for unit in _UNITS):
        value = _parse_han(token, language)
        if value is None:
            return None
        spelled = token[0] in _HAN
        return Numeral(value, start, match.end(), any(unit in _LARGE for unit in token), spelled)
    if len(token) > MAX_DIGITS:
        return None
    value = Decimal(token.replace(",", ""))
    scale = _SCALE.match(text, match.end())
    if scale is None:
        return Numeral(value, start, match.end())
    scale_word = scale.group(1) or scale.group(2)
    value = value.scaleb(_SCALES[scale_word.lower()])
    return Numeral(value, start, scale.end(), scaled=True, letter=scale.group(2) in ("m", "b", "t"))


def _parse_han(token: str, language: Language) -> Decimal | None:
    """Parse digits mixed with 十百千 and 万億兆: sections of four places, largest first."""
    if _is_positional(token):
        return Decimal("".join(str(_DIGITS[digit]) for digit in token))
    total, section = Decimal(0), Decimal(0)
    number: Decimal | None = None
    last_large, last_small, before = 99, 10_000, ""
    for piece in _PIECE.findall(token):
        if piece in _SMALL:
            if _SMALL[piece] >= last_small or (number is not None and before == "零"):
                return None
            last_small = _SMALL[piece]
            section += (Decimal(1) if number is None else number) * last_small
            number = None
        elif piece in _LARGE:
            section += number or 0
            if not section and before in ("万", "萬") and _LARGE[piece] == 8:
                total, last_large = total.scaleb(8), 8  # 万亿: ten thousand times a hundred million
            elif not section or _LARGE[piece] >= last_large:
                return None
            else:
                last_large = _LARGE[piece]
                total += section.scaleb(last_large)
            section, number, last_small = Decimal(0), None, 10_000
        elif piece in "零〇" and (total or section):
            before = "零"
            continue
        elif number is not None:
            return None
        else:
            number = Decimal(_DIGITS[piece]) if piece in _DIGITS else Decimal(piece.replace(",", ""))
            if language == "zh" and before in _UNITS and before not in ("", "十", "拾") and piece in _DIGITS:
                number = _scale_colloquial_digit(token, piece, before, number)
        before = piece
    return total + section + (number or 0)


def _scale_colloquial_digit(token: str, piece: str, before: str, number: Decimal) -> Decimal:
    """Scale the last digit after a unit by the next lower unit: 三万五 is 35,000, 一百五 is 150."""
    if not token.endswith(before + piece):
        return number
    size = Decimal(_SMALL[before]) if before in _SMALL else Decimal(1).scaleb(_LARGE[before])
    return number * size / 10


def _is_positional(token: str) -> bool:
    return all(digit in _DIGITS for digit in token)


def _parse_spelled_at(text: str) -> Numeral | None:
    match = _SPELLED.match(text)
    return _parse_spelled(match) if match is not None else None


def _find_spelled(text: str) -> list[Numeral]:
    numerals = (_parse_spelled(match) for match in _SPELLED.finditer(text))
    return [numeral for numeral in numerals if numeral is not None]


def _parse_spelled(match: re.Match[str]) -> Numeral | None:
    """Parse English number words: groups of up to three places, each with its scale."""
    words = match.group().lower().replace("-", " ").split()
    total, group = Decimal(0), Decimal(0)
    if match["and_half"] is not None:  # two and a half million
        half_index = words.index("half")
        words, scale_words = words[: half_index - 2], words[half_index + 1 :]
        whole = parse(" ".join(words))
        if whole is None:
            return None
        power = _WORD_SCALES[scale_words[0]] if scale_words else 0
        value = (whole + Decimal("0.5")).scaleb(power)
        return Numeral(value, match.start(), match.end(), bool(scale_words), spelled=True)
    scaled = False
    fraction = next(
        (value for phrase, value in _FRACTIONS.items() if " ".join(words).startswith(phrase)), None
    )
    if fraction is not None:
        words, group = words[-1:], fraction
    for word in words:
        if word in ("and", "a"):
            group = group or Decimal(1) if word == "a" else group
        elif word == "hundred":
            group = (group or 1) * Decimal(100)
        elif word in _WORD_SCALES:
            total += (group or 1) * Decimal(1).scaleb(_WORD_SCALES[word])
            group, scaled = Decimal(0), True
        elif group % 100 and not (group % 10 == 0 and _WORDS[word] < 10 and group % 100 > 10):
            return None  # "one two": no number, a list
        else:
            group += _WORDS[word]
    value = (total + group).normalize()
    return Numeral(value + 0, match.start(), match.end(), scaled, spelled=True)
