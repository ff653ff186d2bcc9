"""Reduces words to what they sound like, so that slips of the ear become equal to the name."""

import re
import unicodedata
from collections.abc import Callable

_VOWELS = re.compile("[aeiouy]+")
_LATIN_STEPS: tuple[tuple[str, str], ...] = (
    ("ph", "f"),
    ("sch", "s"),
    ("sh", "s"),
    ("ch", "k"),
    ("ck", "k"),
    ("th", "t"),
    ("gh", "g"),
    ("rh", "r"),
    ("wh", "w"),
    ("qu", "kw"),
    ("x", "ks"),
    ("ce", "se"),
    ("ci", "si"),
    ("cy", "si"),
)
_LATIN_LETTERS = str.maketrans("cqzj", "kksg")
_JAPANESE_LETTERS = str.maketrans("vl", "br")
_VOICING = str.maketrans("", "", "\u3099\u309a")
_REPEATED = re.compile(r"(.)\1+")

_LONG_E_O = re.compile("(?<=[エケセテネヘメレゲゼデベペェ])イ|(?<=[オコソトノホモヨロゴゾドボポォョ])ウ")

Sound = Callable[[str], str]
"""A function that reduces a word to its sound."""

_KANA_VU = (("ヴ", "ブ"), ("ブァ", "バ"), ("ブィ", "ビ"), ("ブェ", "ベ"), ("ブォ", "ボ"))
_KANA_LETTERS = str.maketrans("ァィゥェォャュョヮヂヅヲ", "アイウエオヤユヨワジズオ", "ーッ・＝ 　")


def latin_sound(word: str) -> str:
    """Reduce ``word`` (in lower case) to its consonants; any vowels between them become ``a``."""
    for spelling, sound in _LATIN_STEPS:
        if spelling in word:
            word = word.replace(spelling, sound)
    return _REPEATED.sub(r"\1", _VOWELS.sub("a", word.translate(_LATIN_LETTERS)))


def latin_sound_in_japanese(word: str) -> str:
    """Reduce ``word`` as :func:`latin_sound` does, and take b and v, l and r for one, as Japanese does."""
    return latin_sound(word.translate(_JAPANESE_LETTERS))


def kana_sound(word: str) -> str:
    """Reduce katakana to full-sized letters without length marks, small ッ and middle dots.

    A long e or o is one sound, whether a mark or a vowel makes it long (グレースケール, グレイスケイル).
    """
    return shorten_vowels(replace_vu(word)).translate(_KANA_LETTERS)


def shorten_vowels(word: str) -> str:
    """Remove the vowels of katakana that make an e or o long: ケイ becomes ケ, as ケー does."""
    return _LONG_E_O.sub("", word)


def replace_vu(word: str) -> str:
    """Write the sounds of ヴ as those of バ."""
    if "ヴ" in word or "ブ" in word:
        for spelling, sound in _KANA_VU:
            word = word.replace(spelling, sound)
    return word


def strip_voicing(word: str) -> str:
    """Remove the voicing marks of katakana: ガ becomes カ, パ becomes ハ."""
    return unicodedata.normalize("NFD", word).translate(_VOICING)
