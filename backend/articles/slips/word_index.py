"""Finds the names one edit from a word, over an index of their deletion neighbourhoods.

Two words are within one edit if they become equal when each loses at most one letter, so the index holds
every word of a name with each of its letters left out, and a lookup tries the same with the token. The time
of a lookup depends on the token's length alone, not on the number of names.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator
from functools import partial
from itertools import chain
from operator import itemgetter

from backend.articles.slips.edits import Edit, EditKind, count_edits, find_edit, find_kana_edit
from backend.articles.slips.lexicon import load_lexicon
from backend.articles.slips.sounds import (
    Sound,
    kana_sound,
    latin_sound,
    latin_sound_in_japanese,
    replace_vu,
    shorten_vowels,
    strip_voicing,
)
from backend.articles.slips.targets import (
    LATIN_WORD,
    MIN_KATAKANA_CHARS,
    MIN_LATIN_CHARS,
    Candidate,
    Name,
    Need,
    Word,
)

MIN_PART_CHARS, MIN_PARTS_CHARS = 4, 9
"""Letters that a word within a name of several words needs, and the name as a whole."""
MIN_TOKEN_CHARS = 5
"""The word list has no shorter words."""
MIN_RARE_CHARS = 6
_VOWEL = re.compile("[aeiouy]")
MIN_SOUND_CHARS = 4
MAX_SOUND_EDITS = 3
MIN_SPLIT_CHARS = 3
MIN_PLURAL_KANA_CHARS = 6
"""Kana of a name after which a final ス or ズ is a slip, even if it ends a word."""
MIN_LOOSE_KANA_CHARS = 5
"""From this many kana, a name may also have one edit beside its length marks and small kana."""
MIN_LAST_KANA = 2
MIN_COMPOUND_KANA = 5
COMPOUND = 0.2
"""What a slip loses whose kana are words too (ハッシュボート, チェーンリク): such a slip always asks."""
MIN_SHARING_NAMES = 3
SHARED_REST = 0.15
"""What a slip loses if so many names share its other words (Labs, Digital): another firm may be meant."""
_NO_FIRST_KANA = frozenset("ァィゥェォッャュョヮー")
"""Kana that begin no word."""


def _generate_deletions(word: str) -> Iterator[str]:
    yield word
    for index in range(len(word)):
        yield word[:index] + word[index + 1 :]


class _Neighbourhoods:
    """Keys by what they become when one letter is left out."""

    def __init__(self, keys: Iterable[str]) -> None:
        keys_by_variant: defaultdict[str, list[str]] = defaultdict(list)
        for key in keys:
            for variant in set(_generate_deletions(key)):
                keys_by_variant[variant].append(key)
        self._keys = {variant: tuple(keys_of_variant) for variant, keys_of_variant in keys_by_variant.items()}

    def find_candidates(self, token: str) -> set[str]:
        """Find the keys that may be within one edit of ``token``; the caller checks."""
        keys = self._keys
        candidates: set[str] = set()
        for variant in _generate_deletions(token):
            keys_of_variant = keys.get(variant)
            if keys_of_variant:
                candidates.update(keys_of_variant)
        return candidates


class LatinIndex:
    """Words of names in Latin script. ``known`` has all words that rules know, right or wrong.

    ``surnames`` stand for the persons whose names end with them; they need evidence.
    """

    def __init__(self, names: Iterable[Name], known: Container[str], surnames: Collection[Name] = ()) -> None:
        self._known = known
        words: defaultdict[str, list[Word]] = defaultdict(list)
        for name in names:
            if name.is_latin:
                for word in _generate_latin_words(name):
                    words[word.text].append(word)
        self._surnames = frozenset(surname.folded for surname in surnames)
        for surname in surnames:
            words[surname.folded].append(Word(surname, surname.folded))
        self._words = {text: tuple(words_of_text) for text, words_of_text in words.items()}
        self._shared_rests = _find_shared_rests(words.values())
        self._neighbourhoods = _Neighbourhoods(self._words)
        sounds = _group_by_sound(
            (text for text in words if len(text) >= MIN_LATIN_CHARS and text not in self._surnames),
            latin_sound_in_japanese,
        )
        self._sounds = sounds

    def find(self, token: str) -> tuple[Candidate, ...]:
        """Find the names that ``token``, a word in lower case, may be a slip of."""
        if len(token) < MIN_TOKEN_CHARS or token in self._known:
            return ()
        edits: list[tuple[str, Edit]] = []
        for text in self._neighbourhoods.find_candidates(token):
            edit = find_edit(token, text)
            if edit is not None:
                edits.append((text, edit))
        if not edits and len(token) >= MIN_LATIN_CHARS - 1:
            edits += self._find_by_sound(token)
        if not edits:
            return ()
        is_word = token in load_lexicon("latin")
        return tuple(
            self._build_candidate(token, word, edit)
            for text, edit in sorted(edits, key=itemgetter(0))
            for word in self._words[text]
            if not is_word or (edit.kind is not EditKind.SUFFIX and _has_rare_rest(word))
        )

    def _build_candidate(self, token: str, word: Word, edit: Edit) -> Candidate:
        need = Need.EVIDENCE if word.is_whole and word.text in self._surnames else Need.NOTHING
        candidate = Candidate(0, len(token), word, edit, need)
        is_shared = word.name.type != "person" and (word.before, word.after) in self._shared_rests
        return candidate.reduce_likelihood(SHARED_REST) if is_shared else candidate

    def _find_by_sound(self, token: str) -> Iterator[tuple[str, Edit]]:
        sound = latin_sound_in_japanese(token)
        if len(sound) < MIN_SOUND_CHARS:
            return
        for text in self._sounds.get(sound, ()):
            edits = count_edits(token, text)
            if edits <= MAX_SOUND_EDITS and edits * 3 <= len(text) and _has_same_vowel(token, text):
                kind = EditKind.SOUND if latin_sound(token) == latin_sound(text) else EditKind.JAPANESE_SOUND
                yield text, Edit(kind, 0.82 if edits == 2 else 0.77)


def _find_shared_rests(words: Iterable[Iterable[Word]]) -> set[tuple[str, str]]:
    """Find what stands around a word in several entities' names: "" and " labs"."""
    entities: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for word in chain.from_iterable(words):
        if not word.is_whole:
            entities[word.before, word.after].add(word.name.entity)
    return {rest for rest, sharing in entities.items() if len(sharing) >= MIN_SHARING_NAMES}


def _has_same_vowel(word: str, other_word: str) -> bool:
    """Whether the first vowels of two words are one sound: a neobank is not Nubank."""
    first, second = _VOWEL.search(word), _VOWEL.search(other_word)
    if first is None or second is None:
        return first is second
    return first.group().replace("y", "i") == second.group().replace("y", "i")


def _has_rare_rest(word: Word) -> bool:
    """Whether the other words of a person's name leave no doubt who is meant (Garry Gensler)."""
    if word.name.type != "person":
        return False
    rest = LATIN_WORD.findall(f"{word.before} {word.after}")
    return any(len(part) >= MIN_RARE_CHARS and part not in load_lexicon("latin") for part in rest)


def _generate_latin_words(name: Name) -> Iterator[Word]:
    folded = name.folded
    matches = list(LATIN_WORD.finditer(folded))
    if len(matches) == 1:
        if matches[0].group() == folded and len(folded) >= MIN_LATIN_CHARS:
            yield Word(name, folded)
        return
    if sum(len(word.group()) for word in matches) < MIN_PARTS_CHARS:
        return
    for word in matches:
        if len(word.group()) >= MIN_PART_CHARS:
            yield Word(name, word.group(), folded[: word.start()], folded[word.end() :])


def _group_by_sound(texts: Iterable[str], sound: Sound) -> dict[str, tuple[str, ...]]:
    texts_by_sound: defaultdict[str, list[str]] = defaultdict(list)
    for text in texts:
        texts_by_sound[sound(text)].append(text)
    return {key: tuple(sound_texts) for key, sound_texts in texts_by_sound.items()}


class KatakanaIndex:
    """Names in katakana. ``known`` has all katakana that rules know, right or wrong.

    ``mixed_words`` are runs of katakana in names that have other scripts too.
    """

    def __init__(
        self, names: Iterable[Name], known: Container[str], mixed_words: Iterable[Word] = ()
    ) -> None:
        self._known = known
        words: defaultdict[str, list[Word]] = defaultdict(list)
        for name in names:
            if name.is_katakana and len(name.folded) >= MIN_KATAKANA_CHARS:
                words[kana_sound(name.folded)].append(Word(name, name.folded))
        self._words = {sound: tuple(words_of_sound) for sound, words_of_sound in words.items()}
        self._neighbourhoods = _Neighbourhoods(self._words)
        mixed: defaultdict[str, list[Word]] = defaultdict(list)
        for word in mixed_words:
            mixed[kana_sound(word.text)].append(word)
        self._mixed = dict(mixed)
        self._mixed_neighbourhoods = _Neighbourhoods(mixed)

    def find_in_mixed_names(self, token: str) -> Iterator[Candidate]:
        """Generate the mixed names of which ``token`` may be a slip in the part in katakana."""
        sound = kana_sound(token)
        for near_sound in sorted(self._mixed_neighbourhoods.find_candidates(sound)):
            for word in self._mixed[near_sound]:
                edit = None if token == word.text else _find_kana_slip(token, sound, word.text, near_sound)
                if edit is not None:
                    yield Candidate(0, len(token), word, edit, Need.QUESTION)

    def find(self, token: str) -> tuple[Candidate, ...]:
        """Find the names that a run of katakana, or one end of it, may be a slip of.

        Middle dots may join runs; then only the whole is looked up.
        """
        if self._is_word(token):
            return ()
        candidates = list(self._find_whole(token))
        may_split = "・" not in token and len(token) >= MIN_KATAKANA_CHARS + MIN_SPLIT_CHARS
        if not candidates and may_split:
            for position in range(MIN_SPLIT_CHARS, len(token) - MIN_SPLIT_CHARS + 1):
                if token[position] not in _NO_FIRST_KANA:
                    candidates += self._find_part(token, 0, position)
                    candidates += self._find_part(token, position, len(token))
        if candidates and self._is_compound(token):
            candidates = [
                candidate
                for candidate in map(partial(_rate_compound, token), candidates)
                if candidate is not None
            ]
        return tuple(candidates)

    def _find_part(self, token: str, start: int, end: int) -> Iterator[Candidate]:
        part = token[start:end]
        whole = list(self._find_whole(part))
        if whole and not self._is_word(part) and self._is_word(token[:start] + token[end:]):
            for candidate in whole:
                yield Candidate(start, end, candidate.word, candidate.edit)

    def _is_word(self, text: str) -> bool:
        return text in self._known or text in load_lexicon("katakana")

    def _is_compound(self, token: str) -> bool:
        """Whether words make up the whole token, of which only the last may have just two kana."""
        ends, last = {0}, len(token)
        for end in range(MIN_SPLIT_CHARS, last + 1):
            shortest = MIN_LAST_KANA if end == last else MIN_SPLIT_CHARS
            starts = [start for start in ends if start <= end - shortest]
            if any(self._is_word(token[start:end]) for start in starts):
                ends.add(end)
        return last in ends

    def _find_whole(self, token: str) -> Iterator[Candidate]:
        sound = kana_sound(token)
        for near_sound in sorted(self._neighbourhoods.find_candidates(sound)):
            for word in self._words[near_sound]:
                edit = _find_kana_slip(token, sound, word.text, near_sound)
                if edit is not None:
                    yield Candidate(0, len(token), word, edit)


def _rate_compound(token: str, candidate: Candidate) -> Candidate | None:
    """Rate a slip whose token words make up too: コイントレド, チェーンリンクス; None if it is none."""
    if candidate.end - candidate.start < len(token):
        return None
    kind = candidate.edit.kind
    if kind is EditKind.SUFFIX:
        is_plural = token[-1] in "スズ" and len(token) > MIN_PLURAL_KANA_CHARS
        return candidate if is_plural else None
    if kind in (EditKind.SOUND, EditKind.STYLE):
        return candidate
    return candidate.reduce_likelihood(COMPOUND) if len(token) >= MIN_COMPOUND_KANA else None


def _find_kana_slip(written: str, sound: str, right: str, right_sound: str) -> Edit | None:
    if written.replace("・", "") == right.replace("・", ""):
        # A house may write names without dots, but none puts them elsewhere.
        return Edit(EditKind.SPACING, 0.85) if "・" in written and "・" in right else None
    is_single = find_edit(replace_vu(written), replace_vu(right)) is not None
    if sound == right_sound:
        is_style = (
            replace_vu(written) == replace_vu(right)
            or written.rstrip("ー") == right.rstrip("ー")
            or (
                shorten_vowels(written).replace("ー", "") == shorten_vowels(right).replace("ー", "")
                and written.replace("ー", "") != right.replace("ー", "")
            )
        )
        if is_style:
            return Edit(EditKind.STYLE, 0.97)
        return Edit(EditKind.SOUND, 0.96 if is_single else 0.85)
    if strip_voicing(sound) == strip_voicing(right_sound):
        return Edit(EditKind.CHANGED, 0.9 if is_single else 0.75)
    edit = find_kana_edit(sound, right_sound)
    if edit is None or min(len(right_sound), len(written)) < MIN_KATAKANA_CHARS:
        return None
    if is_single:
        return edit
    if len(right_sound) < MIN_LOOSE_KANA_CHARS:
        return None
    return Edit(edit.kind, edit.likelihood - 0.1)
