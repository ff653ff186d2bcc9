"""Compiles packs into one immutable rule set that texts are matched against."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, itemgetter

from backend.articles.matching import consistency_rule
from backend.articles.matching.automaton import Automaton
from backend.articles.matching.chinese_script import has_han
from backend.articles.matching.derived_rules import Surfaces, add_entity, add_other_case
from backend.articles.matching.explicit_rules import FirstMention, add_first_mentions, add_rule, compile_rule
from backend.articles.matching.meanings import (
    ONE_CASE,
    CompiledRule,
    Kind,
    Meaning,
    ResolvedMeaning,
    Unresolved,
)
from backend.articles.matching.pack_merging import MergedPacks, build_merged_packs
from backend.articles.model import Pack
from backend.articles.slips.reasons import RULE_ID, build_rule
from backend.articles.slips.slip_index import SlipIndex
from backend.articles.text.boundaries import edges
from backend.articles.text.folding import Folded, fold
from backend.articles.text.word_marking import looks_like_others, marked, marked_forms
from backend.entities.model import Entity
from backend.runtime import garbage_collection


@dataclass(frozen=True, slots=True, eq=False)
class RuleSet:
    """All surfaces of all packs in one automaton, and what each means. Safe to share among threads."""

    version: str
    """A hash of the content, independent of the order of the rules in the packs."""
    entities: Mapping[str, Entity]
    rules: Sequence[CompiledRule]
    """Explicit and derived rules that are in force, sorted by id."""
    automaton: Automaton = field(repr=False)
    surfaces: Sequence[str] = field(repr=False)
    """The folded surfaces; the tables that follow go by the same index. Those that count inside words too
    are there several times: as the automaton may find them."""
    left: Sequence[int] = field(repr=False)
    """Classes of characters that no meaning of the surface allows before it."""
    right: Sequence[int] = field(repr=False)
    meanings: Sequence[tuple[Meaning, ...]] = field(repr=False)
    """In the order in which they count; empty for words that are evidence only."""
    evidence: Sequence[tuple[Meaning, ...]] = field(repr=False)
    """The meanings that are evidence of the subject; ambiguous tickers are so only as cashtags."""
    mentions: Sequence[FirstMention] = field(repr=False)
    unsure: frozenset[int] = field(repr=False)
    """Surfaces that the automaton finds in the place of others too."""
    checks_consistency: bool = True
    """Whether names that one article writes in several ways are reported."""
    settled: dict[int, dict[str, ResolvedMeaning | Unresolved | None]] = field(
        default_factory=dict, repr=False
    )
    """A cache of the meanings of matched texts with one character on either side, by scope."""
    words: frozenset[str] = field(default=frozenset(), repr=False)
    """Single words of all surfaces, folded."""
    unused_forms: frozenset[str] = frozenset()
    """Folded forms that only rules list that are switched off: they are no unlisted slips."""
    slip_indexes: list[SlipIndex] = field(default_factory=list, repr=False)
    """Contains the slip index after the first text is read; empty before."""

    def slip_index(self) -> SlipIndex | None:
        """Return the index of names that finds slips which no rule lists; None if that rule is disabled."""
        if not self.slip_indexes and any(rule.id == RULE_ID for rule in self.rules):
            self.slip_indexes.append(self._build_slip_index())
        return self.slip_indexes[0] if self.slip_indexes else None

    def _build_slip_index(self) -> SlipIndex:
        wrong = {
            surface: meanings
            for surface, meanings in zip(self.surfaces, self.meanings, strict=True)
            if meanings and all(meaning.kind is Kind.WRONG for meaning in meanings)
        }
        # In another case than its rules list, a phrase is an unlisted slip. A word may be an ordinary one
        # (Greyscale, greyscale).
        of_one_case = {
            surface
            for surface, meanings in wrong.items()
            if not surface.isalnum()
            and all(meaning.form in ONE_CASE and not meaning.context for meaning in meanings)
        }
        known = {*self.surfaces, *self.unused_forms} - of_one_case
        return SlipIndex(self.entities, known, {*wrong, *self.unused_forms})

    def is_word(self, word: str) -> bool:
        """Return whether ``word`` in any case is a surface, a word of one, or an unlisted slip for a name."""
        folded = word.lower()
        if folded in self.words:
            return True
        index = self.slip_index()
        if index is None or has_han(folded):
            return False
        candidates = index.find_in_word(folded, is_katakana=not folded.isascii())
        return any(candidate.start == 0 and candidate.end == len(folded) for candidate in candidates)

    def hits(self, folded: Folded) -> list[tuple[int, int, int]]:
        """Return index, start and end of all surfaces in ``folded``, including overlapping ones.

        Most of those with a wrong boundary are left out. The order is by start, then longest first.
        """
        matches = self.automaton.find(marked(folded.encoded()))
        matches.reverse()
        matches.sort(key=itemgetter(1))
        if self.unsure:
            return [hit for hit in matches if hit[0] not in self.unsure or self._is_at(*hit, folded.text)]
        return matches

    def _is_at(self, index: int, start: int, end: int, text: str) -> bool:
        return text[start:end] == self.surfaces[index]


@dataclass(frozen=True, slots=True)
class CompiledPack:
    """A set of rules, and the pack from which another process can build the same set."""

    pack: Pack
    rules: RuleSet


def compile_rules(packs: Sequence[Pack]) -> RuleSet:
    """Compile ``packs`` into one rule set; later packs amend earlier ones.

    Raises ``ValueError`` if a rule is about an entity that no pack has, or its first mention needs a
    symbol that the entity lacks.
    """
    with garbage_collection.paused():  # thousands of objects that stay
        return _compile_merged(build_merged_packs(packs))


def _compile_merged(combined: MergedPacks) -> RuleSet:
    surfaces: Surfaces = defaultdict(list)
    rules: dict[str, CompiledRule] = {}
    for entity in combined.entities.values():
        rules.update((rule.id, rule) for rule in add_entity(entity, surfaces, combined.disabled))
    mentions: list[FirstMention] = []
    plurals: Surfaces = defaultdict(list)
    for source in combined.rules.values():
        rule = rules[source.id] = compile_rule(source)
        add_rule(rule, combined.entities, surfaces, plurals)
        mentions += add_first_mentions(rule, combined.entities, surfaces)
    for surface, meanings in plurals.items():
        if surface not in surfaces:
            surfaces[surface] = meanings
    add_other_case(surfaces, rules, combined.entities)
    if RULE_ID not in combined.disabled:
        rules[RULE_ID] = build_rule()
    if consistency_rule.RULE_ID not in combined.disabled:
        rules[consistency_rule.RULE_ID] = consistency_rule.build_rule()
    _add_context_words(combined, surfaces)
    return _build_rule_set(combined, surfaces, rules, mentions)


def _add_context_words(combined: MergedPacks, surfaces: Surfaces) -> None:
    for words in combined.context_words.values():
        for word in words:
            surface = fold(word).text
            left, right = edges(surface, "auto")
            surfaces[surface].append(Meaning(Kind.EVIDENCE, None, left=left, right=right, evidence=True))


def _build_rule_set(
    combined: MergedPacks, surfaces: Surfaces, rules: dict[str, CompiledRule], mentions: list[FirstMention]
) -> RuleSet:
    ordered = sorted(surfaces)
    meanings_by_surface = [_sort_meanings(surfaces[surface]) for surface in ordered]
    # What every meaning forbids.
    left = [
        reduce(and_, [meaning.left for meaning in surface_meanings])
        for surface_meanings in meanings_by_surface
    ]
    right = [
        reduce(and_, [meaning.right for meaning in surface_meanings])
        for surface_meanings in meanings_by_surface
    ]
    forms = marked_forms(ordered, left, right)
    meanings = [meanings_by_surface[index] for index, _ in forms]
    return RuleSet(
        version=combined.version(),
        entities=combined.entities,
        rules=tuple(rules[key] for key in sorted(rules)),
        automaton=Automaton([form for _, form in forms]),
        surfaces=[ordered[index] for index, _ in forms],
        left=[left[index] for index, _ in forms],
        right=[right[index] for index, _ in forms],
        meanings=[
            tuple([meaning for meaning in surface_meanings if meaning.kind is not Kind.EVIDENCE])
            for surface_meanings in meanings
        ],
        evidence=[
            tuple([meaning for meaning in surface_meanings if _is_evidence(meaning, combined)])
            for surface_meanings in meanings
        ],
        mentions=tuple(mentions),
        unused_forms=combined.unused_forms,
        words=frozenset(word for surface in ordered for word in surface.split(" ")),
        checks_consistency=consistency_rule.RULE_ID in rules,
        unsure=frozenset(row for row, (index, _) in enumerate(forms) if looks_like_others(ordered[index])),
    )


def _is_evidence(meaning: Meaning, combined: MergedPacks) -> bool:
    if meaning.kind is Kind.SYMBOL:
        return combined.entities[meaning.entity or ""].is_domain_evidence
    return meaning.evidence


def _sort_meanings(meanings: list[Meaning]) -> list[Meaning]:
    return sorted(meanings, key=Meaning.rank) if len(meanings) > 1 else meanings
