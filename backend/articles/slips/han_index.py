"""Finds slips for names in Han, where no word boundaries help, in few passes over the text.

What sounds or looks alike is found by replacing every character by one that stands for its class, in the
text as in the names. Swapped and missing characters make few variants, which are matched as they are.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from backend.articles.matching.automaton import Automaton
from backend.articles.slips.edits import Edit, EditKind
from backend.articles.slips.han_characters import HanCharacters, load_han_characters
from backend.articles.slips.targets import MIN_HAN_CHARS, Candidate, Name, Need, Word
from backend.articles.slips.variant_index import VariantIndex
from backend.articles.slips.weak_words import generate_short_han_variants, is_short_han

MIN_SHORTENED_CHARS = 4
MIN_HALVED_CHARS = 5
MAX_CHARS = 16
MAX_CODE_POINT = 0xFFFF
_DOUBLED = re.compile("([\u4e00-\u9fff])\\1")


class HanIndex:
    """Names in Han of three to sixteen characters. ``known`` has all surfaces that rules know."""

    def __init__(self, names: Iterable[Name], known: Collection[str]) -> None:
        characters = load_han_characters()
        all_names = list(_add_traditional(names, characters))
        short_words = [Word(name, name.folded) for name in all_names if is_short_han(name)]
        short_variants = (
            (*variant, Need.OWN_NAME) for variant in generate_short_han_variants(short_words, characters)
        )
        words = [
            Word(name, name.folded)
            for name in all_names
            if name.is_han and MIN_HAN_CHARS <= len(name.folded) <= MAX_CHARS and not name.is_former
        ]
        self._halves = HalfIndex(words)
        self._variants = VariantIndex(_generate_variants(words), known, short_variants)
        self._alike = [
            _ClassIndex(words, characters, classes) for classes in (characters.sounds, characters.shapes)
        ]
        by_character: defaultdict[str, list[tuple[Word, int]]] = defaultdict(list)
        for word in words:
            for index, character in enumerate(word.text):
                by_character[character].append((word, index))
        self._by_character = dict(by_character)

    def find(self, folded: str) -> Iterator[Candidate]:
        """Generate what may be slips in a folded text, overlapping ones too."""
        for candidate in self._find(folded):
            right = candidate.word.text
            is_inside = folded.startswith(right, candidate.start) or folded.endswith(right, 0, candidate.end)
            if not (is_inside and candidate.edit.kind is EditKind.MISSING):
                yield candidate

    def _find(self, folded: str) -> Iterator[Candidate]:
        yield from self._variants.find(folded)
        yield from self._halves.find(folded)
        for index in self._alike:
            yield from index.find(folded)
        for match in _DOUBLED.finditer(folded):
            for word, offset in self._by_character.get(match.group(1), ()):
                start = match.start() - offset
                end = start + len(word.text) + 1
                if (
                    start >= 0
                    and folded[start : match.start()] + folded[match.start() + 1 : end] == word.text
                ):
                    yield Candidate(start, end, word, Edit(EditKind.DOUBLED, 0.85))


def _add_traditional(names: Iterable[Name], characters: HanCharacters) -> Iterator[Name]:
    """Generate names, and for Simplified ones their Traditional form unless the entity lists it."""
    name_list = list(names)
    listed_names = {(name.entity, name.folded) for name in name_list}
    for name in name_list:
        yield name
        traditional = "".join(characters.traditional.get(character, character) for character in name.folded)
        if traditional != name.folded and (name.entity, traditional) not in listed_names:
            yield name._replace(text=traditional, folded=traditional)


class HalfIndex:
    """Names of five characters or more, by their halves: one of two is unchanged if one character differs."""

    def __init__(self, words: Iterable[Word]) -> None:
        halves: defaultdict[str, list[tuple[Word, int]]] = defaultdict(list)
        for word in words:
            text = word.text
            if len(text) >= MIN_HALVED_CHARS and word.name.type != "person":
                middle = len(text) // 2
                halves[text[:middle]].append((word, 0))
                halves[text[middle:]].append((word, middle))
        texts = sorted(halves)
        self._words = [tuple(halves[text]) for text in texts]
        self._automaton = Automaton(texts)

    def find(self, folded: str) -> Iterator[Candidate]:
        """Generate places where all but one inner character of a name stand."""
        for number, start_of_half, _ in self._automaton.find(folded):
            for word, offset in self._words[number]:
                text, start = word.text, start_of_half - offset
                written = folded[max(0, start) : start + len(text)]
                if len(written) < len(text) or written[0] != text[0] or written[-1] != text[-1]:
                    continue
                changed = [
                    character
                    for character, right_character in zip(written, text, strict=True)
                    if character != right_character
                ]
                if len(changed) == 1 and "\u4e00" <= changed[0] <= "\u9fff":
                    yield Candidate(start, start + len(text), word, Edit(EditKind.CHANGED, 0.8))


def _generate_variants(words: Sequence[Word]) -> Iterator[tuple[str, Word, Edit]]:
    """Generate names with two characters swapped, one missing, or spaces between characters."""
    for word in words:
        text = word.text
        if word.name.type != "person":  # some write a space between family name and given name
            for spaced in {
                " ".join(text),
                *(f"{text[:index]} {text[index:]}" for index in range(1, len(text))),
            }:
                yield spaced, word, Edit(EditKind.SPACING, 0.95)
        for index in range(1, len(text)):
            if text[index - 1] != text[index]:
                swapped = text[: index - 1] + text[index] + text[index - 1] + text[index + 1 :]
                yield swapped, word, Edit(EditKind.SWAPPED, 0.85)
        if len(text) >= MIN_SHORTENED_CHARS:
            likelihood = 0.7 if len(text) == MIN_SHORTENED_CHARS else 0.8
            for index in range(1, len(text) - 1):  # without its end a name is a phrase (虛擬資產服務)
                yield text[:index] + text[index + 1 :], word, Edit(EditKind.MISSING, likelihood)


class _ClassIndex:
    """Names by the classes of their characters."""

    def __init__(self, words: Iterable[Word], characters: HanCharacters, classes: Mapping[str, str]) -> None:
        self._characters = characters
        representatives: dict[str, str] = {}
        for character, group in classes.items():
            representatives.setdefault(group, character)
        representative_by_code = {
            ord(character): representatives[group] for character, group in classes.items()
        }
        # One long string, since translating by a dictionary that lacks most characters is slow.
        self._table = "".join(
            representative_by_code.get(code, chr(code)) for code in range(MAX_CODE_POINT + 1)
        )
        words_by_form: defaultdict[str, list[Word]] = defaultdict(list)
        for word in words:
            words_by_form[word.text.translate(self._table)].append(word)
        forms = sorted(words_by_form)
        self._words = [tuple(words_by_form[form]) for form in forms]
        self._automaton = Automaton(forms)

    def find(self, folded: str) -> Iterator[Candidate]:
        for number, start, end in self._automaton.find(folded.translate(self._table)):
            written = folded[start:end]
            words = self._words[number]
            is_name = any(word.text == written for word in words)
            for word in words:
                if word.text == written:
                    continue
                edit = _find_han_edit(written, word.text, self._characters)
                if edit is not None and (edit.kind is EditKind.SCRIPT or not is_name):
                    yield Candidate(start, end, word, edit)


def _find_han_edit(written: str, right: str, characters: HanCharacters) -> Edit | None:
    """Tell what happened to a name whose characters were replaced by others that sound or look alike."""
    changed = [
        (character, right_character)
        for character, right_character in zip(written, right, strict=True)
        if character != right_character
    ]
    if all(characters.is_pair(character, right_character) for character, right_character in changed):
        mixed = any(map(characters.is_simplified, written)) and any(map(characters.is_traditional, written))
        return Edit(EditKind.MIXED if mixed else EditKind.SCRIPT, 0.9)
    if all(characters.is_sound_alike(character, right_character) for character, right_character in changed):
        if len(changed) == 1:
            return Edit(EditKind.SOUND, 0.9)
        if len(changed) == len(right):
            return None
        return Edit(EditKind.SOUND, 0.75 if len(right) > len(changed) + 1 else 0.7)
    return Edit(EditKind.SHAPE, 0.85) if len(changed) == 1 else None
