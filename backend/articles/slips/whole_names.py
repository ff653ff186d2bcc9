"""Generates slips in names of several words, where the other words leave little doubt."""

import re
from collections.abc import Container, Iterable, Iterator

from backend.articles.slips.edits import Edit, EditKind
from backend.articles.slips.lexicon import load_lexicon
from backend.articles.slips.name_characters import load_name_characters
from backend.articles.slips.targets import LATIN_WORD, MIN_LATIN_CHARS, Name, Word

MIN_WHOLE_CHARS = 9
"""Letters that a name of several words needs."""
MIN_PERSON_CHARS = 8
_SHORT_WORD_CHARS = (4, 5)
MIN_PERSON_HAN = 4
MIN_MIXED_KANA, MIN_MIXED_CHARS = 4, 7
_MIXED_RUN = re.compile("[\u30a1-\u30fa\u30fc]{4,}")
MIN_SURNAME_CHARS = 8
_SURNAME = re.compile(r"[a-z]+ (?:[a-z]\. )?([a-z]+)")

Variant = tuple[str, Word, Edit]


def generate_whole_name_variants(names: Iterable[Name]) -> Iterator[Variant]:
    """Generate what the index of words misses: short words, plurals of persons, characters of persons."""
    name_list = list(names)
    right = {name.folded for name in name_list if "ja" in name.languages}
    for name in name_list:
        if name.is_former or name.type == "term":
            continue
        if name.is_latin:
            yield from _generate_short_words(name)
            if name.type == "person":
                yield from _generate_person_plural(name)
        elif name.type == "person" and "ja" in name.languages and name.is_han:
            yield from _generate_japanese_persons(name, right)


def _generate_short_words(name: Name) -> Iterator[Variant]:
    """Generate a short word that loses a letter or swaps two: the result is too short for the index."""
    folded, matches = name.folded, list(LATIN_WORD.finditer(name.folded))
    if len(matches) < 2 or sum(len(match.group()) for match in matches) < MIN_WHOLE_CHARS:
        return
    for match in matches:
        text = match.group()
        if len(text) not in _SHORT_WORD_CHARS or not text.isalpha():
            continue
        last = len(text) - (match.end() == len(folded))
        slips = {text[:index] + text[index + 1 :] for index in range(1, last)} if len(text) == 5 else set()
        if len(text) == 4:
            slips |= {text[:i] + text[i + 1] + text[i] + text[i + 2 :] for i in range(1, len(text) - 1)}
        for slip in sorted(slips - {text}):
            written = folded[: match.start()] + slip + folded[match.end() :]
            kind = EditKind.MISSING if len(slip) < len(text) else EditKind.SWAPPED
            yield written, Word(name, folded), Edit(kind, 0.8)


def _generate_person_plural(name: Name) -> Iterator[Variant]:
    """Generate a person's name with a stray s."""
    if " " in name.folded and len(name.folded) > MIN_PERSON_CHARS and not name.folded.endswith("s"):
        yield f"{name.folded}s", Word(name, name.folded), Edit(EditKind.SUFFIX, 0.55)


def _generate_japanese_persons(name: Name, right: Container[str]) -> Iterator[Variant]:
    """Generate a person's name with one character that is read alike, looks alike or is a variant form."""
    folded = name.folded
    if len(folded) < MIN_PERSON_HAN:
        return
    alike = load_name_characters()
    for index, character in enumerate(folded):
        for other in sorted(alike.get(character, ())):
            written = folded[:index] + other + folded[index + 1 :]
            if written not in right:
                yield written, Word(name, folded), Edit(EditKind.SHAPE, 0.75)


def generate_mixed_words(names: Iterable[Name]) -> Iterator[Word]:
    """Generate runs of katakana within names that have letters of other scripts too (SBI証券)."""
    for name in names:
        folded = name.folded
        if name.is_katakana or name.is_former or name.type == "term":
            continue
        if sum(map(str.isalnum, folded)) < MIN_MIXED_CHARS:
            continue
        for run in _MIXED_RUN.finditer(folded):
            yield Word(name, run.group(), folded[: run.start()], folded[run.end() :])


def generate_surnames(names: Iterable[Name]) -> Iterator[Name]:
    """Generate long and rare surnames of persons as names of their own."""
    name_list = [name for name in names if name.is_latin]
    listed = {name.folded for name in name_list}
    for name in name_list:
        surname = _SURNAME.fullmatch(name.folded)
        if name.type != "person" or surname is None or len(name.text) != len(name.folded):
            continue
        text = name.text[surname.start(1) :]
        is_rare = len(text) >= max(MIN_SURNAME_CHARS, MIN_LATIN_CHARS) and surname[1] not in load_lexicon(
            "latin"
        )
        if is_rare and surname[1] not in listed:
            yield name._replace(text=text, folded=surname[1], is_canonical=False)
