"""Finds words that are slips only with more evidence than an edit: short names and ordinary words."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping

from backend.articles.slips.edits import Edit, EditKind, find_edit, find_kana_edit
from backend.articles.slips.han_characters import HanCharacters
from backend.articles.slips.lexicon import load_lexicon
from backend.articles.slips.sounds import latin_sound, replace_vu, strip_voicing
from backend.articles.slips.targets import LATIN_WORD, MIN_HAN_CHARS, Candidate, Name, Need, Word

MIN_LATIN_CHARS, EVIDENT_CHARS = 4, 5
"""Letters that a name needs beside another name of its entity, and beside evidence of the field."""
KATAKANA_CHARS, MIN_HAN = 3, 2
MIN_SURNAME_CHARS = 8
MIN_EVIDENT, MIN_BESIDE_NAME = 0.87, 0.7
"""Least likelihood of an edit in a short name."""
MIN_LEXICON_CHARS = 5
"""The English word list has no shorter words."""
_EDITED_SOUND = 0.8


class WeakLatinIndex:
    """Latin names of one word. ``known`` has all words that rules know, right or wrong."""

    def __init__(self, names: Iterable[Name], known: Container[str]) -> None:
        self._known = known
        words: defaultdict[str, list[Word]] = defaultdict(list)
        for name in names:
            is_word = LATIN_WORD.fullmatch(name.folded) is not None
            if is_word and name.type != "term" and len(name.folded) >= MIN_LATIN_CHARS:
                words[name.folded].append(Word(name, name.folded))
        self._words = dict(words)
        texts_by_variant: defaultdict[str, set[str]] = defaultdict(set)
        for text in words:
            for variant in _generate_keys(text):
                texts_by_variant[variant].add(text)
        self._texts = {variant: tuple(sorted(texts)) for variant, texts in texts_by_variant.items()}

    def find(self, token: str) -> Iterator[Candidate]:
        """Generate the names that ``token``, a word in lower case, may be a slip of."""
        if token in self._known:
            return
        is_word = len(token) < MIN_LEXICON_CHARS or token in load_lexicon("latin")
        texts = {text for key in _generate_keys(token) for text in self._texts.get(key, ())}
        for text in sorted(texts):
            edit = find_edit(token, text) or _find_sound_edit(token, text)
            if edit is None or token[0] != text[0] or (edit.kind is EditKind.SUFFIX and token[-1] == "s"):
                continue
            is_evident = not is_word and len(text) == EVIDENT_CHARS and edit.likelihood >= MIN_EVIDENT
            is_likely = edit.likelihood >= (MIN_BESIDE_NAME if len(text) < 8 else 0.5)
            if is_evident or is_likely:
                need = Need.EVIDENCE if is_evident else Need.OWN_NAME
                for word in self._words[text]:
                    yield Candidate(0, len(token), word, edit, need)


def _generate_keys(word: str) -> Iterator[str]:
    """Generate what two words share that are one edit apart, or sound alike."""
    yield word
    for index in range(1, len(word)):
        yield word[:index] + word[index + 1 :]
    if len(word) >= 6:
        yield f"={latin_sound(word)}"


def _find_sound_edit(written: str, right: str) -> Edit | None:
    """Find a slip of two letters that leaves the beginning and the sound as they are (Synthetics)."""
    if len(right) < 6 or abs(len(written) - len(right)) > 1 or written[:5] != right[:5]:
        return None
    return Edit(EditKind.SOUND, _EDITED_SOUND) if latin_sound(written) == latin_sound(right) else None


class WeakKatakanaIndex:
    """Names of three katakana."""

    def __init__(self, names: Iterable[Name], known: Container[str]) -> None:
        self._known = known
        self._words = [
            Word(name, name.folded)
            for name in names
            if name.is_katakana and len(name.folded) == KATAKANA_CHARS and not name.is_former
        ]

    def find(self, token: str) -> Iterator[Candidate]:
        """Generate the names that a run of katakana may be a slip of."""
        if not KATAKANA_CHARS <= len(token) <= KATAKANA_CHARS + 1:
            return
        if token in self._known or token in load_lexicon("katakana"):
            return
        for word in self._words:
            edit = find_kana_edit(replace_vu(token), replace_vu(word.text))
            if edit is None or edit.kind is EditKind.SUFFIX:
                continue
            if edit.kind is EditKind.CHANGED and strip_voicing(token) != strip_voicing(word.text):
                continue
            yield Candidate(0, len(token), word, edit, Need.OWN_NAME)


def generate_short_han_variants(
    words: Iterable[Word], characters: HanCharacters
) -> Iterator[tuple[str, Word, Edit]]:
    """Generate names of two Han with a character of the same sound or shape (维链 for 唯链).

    What is a word itself counts only in front of a bracket, which may hold another name of the entity.
    """
    lexicon = load_lexicon("han")
    word_list = list(words)
    alike = _list_alike(characters, (character for word in word_list for character in word.text))
    right = {word.text for word in word_list}
    for word in word_list:
        for index, character in enumerate(word.text):
            for other in alike[character]:
                written = word.text[:index] + other + word.text[index + 1 :]
                if written in right:
                    continue
                kind = EditKind.SOUND if characters.is_sound_alike(character, other) else EditKind.SHAPE
                if characters.simplify(written) in lexicon:
                    yield f"{written}（", word, Edit(kind, 0.8)
                    yield f"{written}(", word, Edit(kind, 0.8)
                else:
                    yield written, word, Edit(kind, 0.8)


def is_short_han(name: Name) -> bool:
    return name.is_han and MIN_HAN <= len(name.folded) < MIN_HAN_CHARS and not name.is_former


def _list_alike(characters: HanCharacters, wanted: Iterable[str]) -> Mapping[str, list[str]]:
    """List what sounds or looks like each of the characters that names have."""
    wanted = set(wanted)
    alike: dict[str, set[str]] = {character: set() for character in wanted}
    for classes in (characters.sounds, characters.shapes):
        members: defaultdict[str, list[str]] = defaultdict(list)
        for character, group in classes.items():
            members[group].append(character)
        for character in wanted.intersection(classes):
            alike[character].update(members[classes[character]])
    return {character: sorted(others - {character}) for character, others in alike.items()}
