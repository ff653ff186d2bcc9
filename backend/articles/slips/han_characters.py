"""Knows which Han characters sound alike or look alike, and which are of one script only."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Literal

import yaml

MAX_SAMPLE_CHARS = 2_000
"""Characters of a text that tell its script; more change nothing."""
FILE = Path(__file__).parents[1] / "data" / "han_characters.yaml"


@dataclass(frozen=True)
class HanCharacters:
    """Facts about single characters."""

    sounds: Mapping[str, str]
    """Sound by character, without tones."""
    shapes: Mapping[str, str]
    """Group by character, of those that are easily mistaken for each other."""
    traditional: Mapping[str, str]
    """Traditional character by its Simplified one."""
    simplified: Mapping[str, str]

    @cached_property
    def only_traditional(self) -> frozenset[str]:
        """Characters that only Traditional texts use."""
        return frozenset(self.simplified).difference(self.traditional)

    def is_simplified(self, character: str) -> bool:
        """Whether only Simplified texts use the character."""
        return character in self.traditional

    def is_traditional(self, character: str) -> bool:
        """Whether only Traditional texts use the character."""
        return character in self.only_traditional

    def is_sound_alike(self, character: str, other_character: str) -> bool:
        """Whether two characters are spoken alike, but for their tones."""
        sound = self.sounds.get(character)
        return sound is not None and sound == self.sounds.get(other_character)

    def simplify(self, text: str) -> str:
        """Write a text in Simplified characters, one for one."""
        return "".join(self.simplified.get(character, character) for character in text)

    def is_pair(self, character: str, other_character: str) -> bool:
        """Whether two characters are one in the two scripts."""
        return (
            self.traditional.get(character) == other_character
            or self.traditional.get(other_character) == character
        )


@cache
def load_han_characters() -> HanCharacters:
    content = yaml.load(FILE.read_text("utf-8"), yaml.CSafeLoader)
    pairs = [
        (pair[0], pair[1])
        for line in content["simplified_traditional"].split()
        for pair in _split_pairs(line)
    ]
    return HanCharacters(
        sounds={character: sound for sound, group in content["sounds"].items() for character in group},
        shapes={character: group for group in content["shapes"] for character in group},
        traditional=dict(pairs),
        simplified={traditional: simplified for simplified, traditional in pairs},
    )


def _split_pairs(line: str) -> list[str]:
    return [line[index : index + 2] for index in range(0, len(line), 2)]


MIN_CLEAR_CHARS, MIN_CLEAR_RATIO = 4, 3
"""From how many characters of one script on, and from how many times those of the other, a text is clearly
in that script."""


@lru_cache(maxsize=4)
def find_clear_script(text: str) -> Literal["simplified", "traditional"] | None:
    """Tell the script of a Chinese text; None if it has few characters that tell, or those of both."""
    traditional, simplified = _count_scripts(text)
    if traditional >= max(MIN_CLEAR_CHARS, MIN_CLEAR_RATIO * simplified):
        return "traditional"
    return "simplified" if simplified >= max(MIN_CLEAR_CHARS, MIN_CLEAR_RATIO * traditional) else None


@lru_cache(maxsize=4)
def leans_traditional(text: str) -> bool:
    """Whether more characters of ``text`` are Traditional only than are Simplified only."""
    traditional, simplified = _count_scripts(text)
    return traditional > simplified


def _count_scripts(text: str) -> tuple[int, int]:
    """Count the characters of the start of ``text`` that are Traditional only, and those Simplified only."""
    characters = load_han_characters()
    counts = Counter(text[:MAX_SAMPLE_CHARS])
    traditional = sum(counts[character] for character in characters.only_traditional.intersection(counts))
    return traditional, sum(counts[character] for character in counts if character in characters.traditional)
