"""Holds all indexes of names of one rule set, and remembers which words are no slips."""

from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import chain

from backend.articles.matching.meanings import CompiledRule
from backend.articles.slips import reasons
from backend.articles.slips.edits import EditKind
from backend.articles.slips.han_index import HalfIndex, HanIndex
from backend.articles.slips.targets import LATIN_WORD, Candidate, Name, Need, Word, list_names
from backend.articles.slips.variant_index import (
    VariantIndex,
    generate_look_alike_variants,
    generate_phrase_variants,
)
from backend.articles.slips.weak_words import WeakKatakanaIndex, WeakLatinIndex
from backend.articles.slips.whole_names import (
    generate_mixed_words,
    generate_surnames,
    generate_whole_name_variants,
)
from backend.articles.slips.word_index import KatakanaIndex, LatinIndex
from backend.articles.text.katakana_runs import KATAKANA_RUN
from backend.entities.model import Entity

MAX_REMEMBERED_WORDS = 65_536
"""How many words that are no slips are remembered, lest somebody fill the memory with odd ones."""


class SlipIndex:
    """The names of ``entities``, ready for lookups.

    ``surfaces`` are the folded texts that rules know, and ``wrong`` those that are never right. A word of a
    wrong phrase ("Lightning Netwrok") may still be a slip in another name. Each index is
    built when a text first needs it. Safe to share among threads.
    """

    def __init__(
        self, entities: Mapping[str, Entity], surfaces: Collection[str], wrong: Collection[str] = ()
    ) -> None:
        self._names: list[Name] = list(list_names(entities))
        self._surfaces = frozenset(surfaces)
        self._wrong = frozenset(wrong)
        self.ordinary: set[str] = set()
        """Words, in lower case, that are no slips."""
        self.slips: dict[str, tuple[Candidate, ...]] = {}
        """Words that may be slips."""
        self._rules: dict[tuple[str, str, EditKind, bool], CompiledRule] = {}

    @cached_property
    def latin(self) -> LatinIndex:
        known_words = {surface for surface in self._surfaces if LATIN_WORD.fullmatch(surface)}
        for surface in self._surfaces - self._wrong:
            known_words.update(LATIN_WORD.findall(surface))
        return LatinIndex(self._names, known_words, list(generate_surnames(self._names)))

    @cached_property
    def weak_latin(self) -> WeakLatinIndex:
        known_words = {word for surface in self._surfaces for word in LATIN_WORD.findall(surface)}
        return WeakLatinIndex(self._names, known_words)

    @cached_property
    def weak_katakana(self) -> WeakKatakanaIndex:
        return WeakKatakanaIndex(self._names, self._surfaces)

    @cached_property
    def katakana(self) -> KatakanaIndex:
        known_runs = {run for surface in self._surfaces for run in KATAKANA_RUN.findall(surface)}
        return KatakanaIndex(self._names, known_runs | self._surfaces, generate_mixed_words(self._names))

    @cached_property
    def phrases(self) -> VariantIndex:
        variants = chain(generate_phrase_variants(self._names), generate_look_alike_variants(self._names))
        whole_names = ((*variant, Need.QUESTION) for variant in generate_whole_name_variants(self._names))
        return VariantIndex(variants, self._surfaces, whole_names)

    @cached_property
    def han(self) -> HanIndex:
        return HanIndex([name for name in self._names if "zh" in name.languages], self._surfaces)

    @cached_property
    def japanese_han(self) -> HalfIndex:
        """Long names in Han that Japanese texts use."""
        names = [
            name for name in self._names if "ja" in name.languages and name.is_han and not name.is_former
        ]
        return HalfIndex(Word(name, name.folded) for name in names)

    def is_known(self, surface: str) -> bool:
        """Whether a rule knows a folded text, right or wrong."""
        return surface in self._surfaces

    def find_in_word(self, token: str, *, is_katakana: bool) -> tuple[Candidate, ...]:
        """Find what a word in lower case may be a slip of, and remember the answer."""
        candidates = self._find_in_katakana(token) if is_katakana else self._find_in_latin(token)
        if len(self.ordinary) + len(self.slips) < MAX_REMEMBERED_WORDS:
            if candidates:
                self.slips[token] = candidates
            else:
                self.ordinary.add(token)
        return candidates

    def _find_in_latin(self, token: str) -> tuple[Candidate, ...]:
        return (*self.latin.find(token), *self.weak_latin.find(token))

    def _find_in_katakana(self, token: str) -> tuple[Candidate, ...]:
        candidates = (*self.katakana.find_in_mixed_names(token), *self.katakana.find(token))
        return candidates or tuple(self.weak_katakana.find(token))

    def get_rule(self, name: Name, kind: EditKind, *, auto_fix: bool) -> CompiledRule:
        """Return the rule of a finding: one object for equal findings, so that corrections are equal."""
        key = name.entity, name.text, kind, auto_fix
        rule = self._rules.get(key)
        if rule is None:
            new_rule = reasons.build_rule(name.entity, reasons.explain(kind, name.text), auto_fix=auto_fix)
            rule = self._rules.setdefault(key, new_rule)
        return rule
