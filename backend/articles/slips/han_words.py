"""Tells whether what differs from a name in Han belongs to ordinary words instead (以太网, 小区链家)."""

from backend.articles.slips.lexicon import Lexicon

MAX_WORD_CHARS = 3
MIN_SURE_CHARS = 4
"""In a name of this length a changed character between unchanged ones is a slip, whatever words it forms."""
FUNCTION_CHARACTERS = frozenset(
    "的了是在和与與及就都而把被将將让讓会會不有也又还還很更最再我你他她它们們这這那其之到从從对對向为為以于等"
    "中上下前后後内內外时時年月日个個一二两兩三多少大小新老高低好全总總每各某本此可能要应應该該并並或若则則因由"
    "使得着著过過"
)
"""Characters that are words by themselves and stand beside any other."""


def is_part_of_words(
    text: str,
    start: int,
    end: int,
    name: str,
    words: Lexicon,
    *,
    is_alike: bool = True,
    is_lenient: bool = False,
) -> bool:
    """Whether ordinary words explain how ``text[start:end]`` differs from ``name``.

    ``is_alike`` says that what differs sounds or looks like the name. ``is_lenient`` leaves out words that
    explain little: one whose other character belongs to a word before, and one at the end of a long name.
    """
    written = text[start:end]
    if len(written) == len(name):
        return any(
            _is_other_word(text, start, index, name, words, is_alike=is_alike, is_lenient=is_lenient)
            for index in _list_changed(written, name)
        )
    gap = next(iter(_list_changed(written, name)), min(len(written), len(name)))
    if len(written) > len(name):
        return _is_doubled_by_words(text, start, end, gap, words)
    return _is_shortened_by_words(text, start, end, gap, words)


def _list_changed(written: str, name: str) -> list[int]:
    return [
        index
        for index, (character, right_character) in enumerate(zip(written, name, strict=False))
        if character != right_character
    ]


def _is_other_word(
    text: str, start: int, index: int, name: str, words: Lexicon, *, is_alike: bool, is_lenient: bool
) -> bool:
    """Whether a changed character stands for itself or belongs to a word with its neighbours."""
    position = start + index
    if is_alike and 0 < index < len(name) - 1 and len(name) >= MIN_SURE_CHARS:
        return False
    if text[position] in FUNCTION_CHARACTERS:
        # What is left of a short name is no word: 硬分又 is no 硬分 with an adverb.
        return not (is_alike and 1 < index == len(name) - 1 and name[:index] not in words)
    for length in range(2, MAX_WORD_CHARS + 1):
        for first in range(max(0, position - length + 1), position + 1):
            word = text[first : first + length]
            if len(word) == length and word in words and word not in name:
                if is_lenient and _explains_little(text, start, index, first, length, name, words):
                    continue
                return True
    return False


def _explains_little(
    text: str, start: int, index: int, first: int, length: int, name: str, words: Lexicon
) -> bool:
    """Whether the word at ``first`` over the changed character is a weak reason against a slip."""
    if index == 0 and first == start - 1 and length == 2:
        return text[max(0, start - 2) : start] in words and name[1:] not in words
    is_last = index == len(name) - 1 and len(name) >= MIN_SURE_CHARS
    return is_last and length == 2 and first == start + index - 1 and name not in words


def _is_doubled_by_words(text: str, start: int, end: int, gap: int, words: Lexicon) -> bool:
    """Whether the second of two like characters belongs to a word outside (离开 before 开泰银行)."""
    if gap == 1 and start and text[start - 1 : start + 1] in words:
        return True
    return gap >= end - start - 1 and text[end - 1 : end + 1] in words


def _is_shortened_by_words(text: str, start: int, end: int, gap: int, words: Lexicon) -> bool:
    """Whether a shorter name is made of words (区块链 and 会 for 区块链协会), or crosses words outside."""
    first, second = text[start : start + gap], text[start + gap : end]
    if any(len(side) == 1 and side in FUNCTION_CHARACTERS for side in (first, second)):
        return True
    if not second and first[-2:] in words:
        return True
    crossing = (text[position - 1 : position + 1] for position in (start, end) if position)
    return text[start:end] in words or any(bigram in words for bigram in crossing)
