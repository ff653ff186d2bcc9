"""Finds two parties or outcomes that a claim exchanges between its clauses.

*A listed futures, B options* against *A options, B futures*; *the old version accepted the block, the new
one refused it* against the reverse.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import permutations

from backend.entities.model import Language
from backend.sources.claims import lexical_features, numbers
from backend.sources.claims.actions import load_verbs
from backend.sources.claims.model import ComparedValue, ParsedStatement

_CLAUSE_END: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"[,;:](?=\s)|\.(?=\s|$)|\s(?:and|but|while|whereas|although|though)\s"),
    "ja": re.compile("[、。；]"),
    "zh": re.compile("[，。；]"),
}
_IS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:were|was)(?P<not> not|n't)?\b"),
    "ja": re.compile("(?:当た|該当し|あた)(?:(?P<not>ら|な)|[るりっ])"),
    "zh": re.compile("(?P<not>不|并不|并非|未)?(?:属于|构成|算作?)"),
}
"""Words that say of a thing that it belongs to a class, or not."""


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return two clauses that exchange what two clauses of the passage tell of two things.

    Each of the four keys stands in one clause of either text: what the passage tells of the first thing, the
    claim tells of the second, and the reverse.
    """
    if claim.language != passage.language:
        return None
    claim_keys, passage_keys = (_locate_keys(statement) for statement in (claim, passage))
    shared = claim_keys.keys() & passage_keys.keys()
    anchors = sorted(key for key in shared if key[0] != "term")
    terms = sorted(key for key in shared if key[0] == "term")
    for first, second in permutations(anchors, 2):
        if first[0] != second[0] or passage_keys[first] == passage_keys[second]:
            continue
        if claim_keys[first] == claim_keys[second] or not _are_alternatives(first, second):
            continue
        moved = [
            {
                term
                for term in terms
                if passage_keys[term] == passage_keys[anchor] and claim_keys[term] == claim_keys[other]
            }
            for anchor, other in ((first, second), (second, first))
        ]
        kept = [
            any(
                passage_keys[term] == passage_keys[anchor] and claim_keys[term] == claim_keys[anchor]
                for term in terms
            )
            for anchor in (first, second)
        ]
        if all(moved) and not all(kept):
            quotes = (
                list(_split(statement))[keys[first]].strip()
                for statement, keys in ((claim, claim_keys), (passage, passage_keys))
            )
            return ComparedValue("roles", *quotes)
    return None


def _are_alternatives(first: tuple[str, str], second: tuple[str, str]) -> bool:
    """True for two parties, for an act and its opposite, and for belonging to a class and not."""
    if first[0] != "act":
        return True
    verb, other = (load_verbs()[key[1]] for key in (first, second))
    return other.name in verb.opposites or verb.refusal != other.refusal


def _split(statement: ParsedStatement) -> Iterator[str]:
    for start, end in _find_clauses(statement):
        yield statement.text[start:end]


def _find_clauses(statement: ParsedStatement) -> list[tuple[int, int]]:
    text = statement.text
    boundaries = [match.span() for match in _CLAUSE_END[statement.language].finditer(text)]
    starts = [0, *(end for _, end in boundaries)]
    ends = [*(start for start, _ in boundaries), len(text)]
    return [*zip(starts, ends, strict=True)]


def _locate_keys(statement: ParsedStatement) -> dict[tuple[str, str], int]:
    """Map each party, act, word and membership that stands in one clause only to its number."""
    plain = numbers.normalize(statement.text).lower()
    located: dict[tuple[str, str], set[int]] = {}
    for number, (start, end) in enumerate(_find_clauses(statement)):
        inside = [mention for mention in statement.mentions if start <= mention.start < end]
        spans = [(mention.start - start, mention.end - start) for mention in inside]
        keys = {("party", mention.entity_id) for mention in inside}
        keys |= {("term", term) for term in lexical_features.list_content_terms(plain[start:end], spans)}
        keys |= {
            ("act", action.verb)
            for action in statement.actions
            if start <= action.start < end and action.affirmed
        }
        memberships = _IS[statement.language].finditer(plain, start, end)
        keys |= {("class", "out" if match["not"] else "in") for match in memberships}
        for key in keys:
            located.setdefault(key, set()).add(number)
    return {key: next(iter(numbers_)) for key, numbers_ in located.items() if len(numbers_) == 1}
