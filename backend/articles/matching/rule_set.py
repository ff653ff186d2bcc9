"""Packs made into one immutable set that texts are matched against."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, itemgetter

from backend.articles.matching.automaton import Automaton
from backend.articles.matching.derived_rules import Surfaces, add_entity, add_other_case
from backend.articles.matching.explicit_rules import FirstMention, add_rule, compiled, first_mentions
from backend.articles.matching.meanings import CompiledRule, Kind, Meaning, Meant, Open
from backend.articles.matching.pack_merging import MergedPacks, combine
from backend.articles.model import Pack
from backend.articles.text.boundaries import edges
from backend.articles.text.folding import Folded, fold
from backend.articles.text.word_marking import looks_like_others, marked, marked_forms
from backend.entities.model import Entity
from backend.runtime import garbage_collection


@dataclass(frozen=True, slots=True, eq=False)
class RuleSet:
    """All surfaces of all packs in one automaton, and what each means. Safe to share among threads."""

    version: str
    """A hash of the content, whatever the order of the packs' rules."""
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
    """The meanings that tell of the field; tickers that are ambiguous do so as cashtags."""
    mentions: Sequence[FirstMention] = field(repr=False)
    unsure: frozenset[int] = field(repr=False)
    """Surfaces that the automaton finds in the place of others too."""
    settled: dict[int, dict[str, Meant | Open | None]] = field(default_factory=dict, repr=False)
    """What texts mean with one character to either side, by scope: a memory, which changes no result."""

    def hits(self, folded: Folded) -> list[tuple[int, int, int]]:
        """Index, start and end of all surfaces in ``folded``: overlapping ones too, but for
        many of which a boundary fails. By where they begin, and the longest of each place first.
        """
        found = self.automaton.find(marked(folded.encoded()))
        found.reverse()
        found.sort(key=itemgetter(1))
        if self.unsure:
            return [hit for hit in found if hit[0] not in self.unsure or self._is_at(*hit, folded.text)]
        return found

    def _is_at(self, index: int, start: int, end: int, text: str) -> bool:
        return text[start:end] == self.surfaces[index]


@dataclass(frozen=True, slots=True)
class CompiledPack:
    """A set of rules, and the one pack out of which another process can make the same."""

    pack: Pack
    rules: RuleSet


def compile_rules(packs: Sequence[Pack]) -> RuleSet:
    """One set of rules out of ``packs``, of which later ones amend earlier ones.

    Raises ``ValueError`` where a rule is about an entity that no pack has, or its first mention needs a
    symbol that the entity lacks.
    """
    with garbage_collection.paused():  # thousands of objects that stay
        return _compiled(combine(packs))


def _compiled(combined: MergedPacks) -> RuleSet:
    surfaces: Surfaces = defaultdict(list)
    rules: dict[str, CompiledRule] = {}
    for entity in combined.entities.values():
        rules.update((rule.id, rule) for rule in add_entity(entity, surfaces, combined.disabled))
    mentions: list[FirstMention] = []
    for source in combined.rules.values():
        rule = rules[source.id] = compiled(source)
        add_rule(rule, combined.entities, surfaces)
        mentions += first_mentions(rule, combined.entities, surfaces)
    add_other_case(surfaces, rules, combined.entities)
    _add_context_words(combined, surfaces)
    return _rule_set(combined, surfaces, rules, mentions)


def _add_context_words(combined: MergedPacks, surfaces: Surfaces) -> None:
    for words in combined.context_words.values():
        for word in words:
            surface = fold(word).text
            left, right = edges(surface, "auto")
            surfaces[surface].append(Meaning(Kind.EVIDENCE, None, left=left, right=right, evidence=True))


def _rule_set(
    combined: MergedPacks, surfaces: Surfaces, rules: dict[str, CompiledRule], mentions: list[FirstMention]
) -> RuleSet:
    ordered = sorted(surfaces)
    gathered = [_in_order(surfaces[surface]) for surface in ordered]
    # What every meaning forbids.
    left = [reduce(and_, [meaning.left for meaning in listed]) for listed in gathered]
    right = [reduce(and_, [meaning.right for meaning in listed]) for listed in gathered]
    forms = marked_forms(ordered, left, right)
    meanings = [gathered[k] for k, _ in forms]
    return RuleSet(
        version=combined.version(),
        entities=combined.entities,
        rules=tuple(rules[key] for key in sorted(rules)),
        automaton=Automaton([form for _, form in forms]),
        surfaces=[ordered[k] for k, _ in forms],
        left=[left[k] for k, _ in forms],
        right=[right[k] for k, _ in forms],
        meanings=[tuple([m for m in listed if m.kind is not Kind.EVIDENCE]) for listed in meanings],
        evidence=[tuple([m for m in listed if _tells_of_field(m, combined)]) for listed in meanings],
        mentions=tuple(mentions),
        unsure=frozenset(row for row, (k, _) in enumerate(forms) if looks_like_others(ordered[k])),
    )


def _tells_of_field(meaning: Meaning, combined: MergedPacks) -> bool:
    if meaning.kind is Kind.SYMBOL:
        return combined.entities[meaning.entity or ""].is_domain_evidence
    return meaning.evidence


def _in_order(meanings: list[Meaning]) -> list[Meaning]:
    return sorted(meanings, key=Meaning.rank) if len(meanings) > 1 else meanings
