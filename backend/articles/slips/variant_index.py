"""Matches variants of names that are made in advance, such as split and joined ones, in one pass."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from backend.articles.matching.automaton import Automaton
from backend.articles.slips.edits import Edit, EditKind
from backend.articles.slips.targets import LATIN_WORD, MIN_KATAKANA_CHARS, Candidate, Name, Need, Word

MIN_SPLIT_CHARS = 7
"""Letters of a name that may be split by a slip; shorter ones fall into words too easily."""
MIN_JOINED_CHARS = 8
MIN_PLURAL_CHARS = 5
BRACKETS = "（("
_INNER_CAPITAL = re.compile("([A-Z][a-z]+)([A-Z][a-z]+)")
"""A short name in which a capital shows where it may be split (BitGo)."""
_WITHOUT_PLURAL = frozenset(("company", "exchange", "media", "organization", "protocol", "data_provider"))


class VariantIndex:
    """Ready-made variants of names. ``known`` has all surfaces that rules know, right or wrong.

    ``weak`` are variants that need more, also those that a rule knows in another language. A bracket at the
    end of one must follow it.
    """

    def __init__(
        self,
        variants: Iterable[tuple[str, Word, Edit]],
        known: Collection[str],
        weak: Iterable[tuple[str, Word, Edit, Need]] = (),
    ) -> None:
        words_by_text: defaultdict[str, list[tuple[Word, Edit, Need]]] = defaultdict(list)
        for text, word, edit in variants:
            if text not in known:
                words_by_text[text].append((word, edit, Need.NOTHING))
        for text, word, edit, need in weak:
            words_by_text[text].append((word, edit, need))
        self._texts = sorted(words_by_text)
        self._words = [tuple(words_by_text[text]) for text in self._texts]
        self._automaton = Automaton(self._texts)

    def find(self, folded: str) -> list[Candidate]:
        """Find all variants in a folded text, sorted by their start, overlapping ones too."""
        candidates = [
            Candidate(start, end - (self._texts[number][-1] in BRACKETS), word, edit, need)
            for number, start, end in self._automaton.find(folded)
            for word, edit, need in self._words[number]
        ]
        candidates.sort(key=lambda candidate: (candidate.start, -candidate.end))
        return candidates


def generate_phrase_variants(names: Iterable[Name]) -> Iterator[tuple[str, Word, Edit]]:
    """Generate names with a space or hyphen too many or too few, or an s inside (Bitcoins Magazine)."""
    for name in names:
        folded = name.folded
        if name.is_former or name.type == "term":
            continue  # houses differ about the spaces of terms (hard fork, on-chain)
        if name.is_latin:
            if name.type in _WITHOUT_PLURAL and " " in folded:
                first, rest = folded.split(" ", 1)
                if first.isalpha() and not first.endswith("s") and len(first) >= MIN_PLURAL_CHARS:
                    yield f"{first}s {rest}", Word(name, folded), Edit(EditKind.EXTRA, 0.8)
            parts = LATIN_WORD.findall(folded)
            if len(parts) == 1 and folded == parts[0] and len(folded) >= MIN_SPLIT_CHARS:
                yield from _generate_splits(name, " -", 2)
            elif (inner := _INNER_CAPITAL.fullmatch(name.text)) is not None:
                yield " ".join(inner.groups()).lower(), Word(name, folded), Edit(EditKind.SPACING, 0.8)
            elif len(parts) == 2 and sum(map(len, parts)) >= MIN_JOINED_CHARS and folded == " ".join(parts):
                for joint in ("", "-"):
                    yield joint.join(parts), Word(name, folded), Edit(EditKind.SPACING, 0.8)
        elif name.is_katakana and len(folded) >= MIN_SPLIT_CHARS - 1 and "・" not in folded:
            yield from _generate_splits(name, " ", 2)


_LOOK_ALIKES = {
    "ー": "一―—–-",
    "カ": "力",
    "ロ": "口",
    "ニ": "二",
    "ハ": "八",
    "タ": "夕",
    "エ": "工",
    "ト": "卜",
    "オ": "才",
    "チ": "千",
    "ヌ": "又",
    "ム": "厶",
    "ミ": "三",
    "モ": "毛",
    "ヘ": "へ",
    "ベ": "べ",
    "ペ": "ぺ",
    "リ": "り",
}
"""Characters of other scripts that look like a kana, as text recognition and careless input give them."""


def generate_look_alike_variants(names: Iterable[Name]) -> Iterator[tuple[str, Word, Edit]]:
    """Generate katakana names with a character of another script for a kana (クラ一ケン, 力ルダノ)."""
    for name in names:
        folded = name.folded
        if not name.is_katakana or len(folded) < MIN_KATAKANA_CHARS:
            continue
        for kana in set(folded).intersection(_LOOK_ALIKES):
            for look_alike in _LOOK_ALIKES[kana]:
                yield folded.replace(kana, look_alike), Word(name, folded), Edit(EditKind.SHAPE, 0.97)


def _generate_splits(name: Name, joints: str, min_part: int) -> Iterator[tuple[str, Word, Edit]]:
    folded = name.folded
    for position in range(min_part, len(folded) - min_part + 1):
        for joint in joints:
            edit = Edit(EditKind.SPACING, 0.85 if joint == "-" else 0.8)
            yield folded[:position] + joint + folded[position:], Word(name, folded), edit
