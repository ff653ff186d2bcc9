"""Splits a statement into clauses and lists the content terms of each: word stems and character pairs."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from backend.entities.model import Language
from backend.sources.claims import lexical_features

Span = tuple[int, int]


MAX_GLOSS_CHARS = 24
"""Maximum length of a bracketed gloss, which only repeats the word before it."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a statement; offsets count code points, end exclusive."""

    start: int
    end: int
    terms: frozenset[str]
    """Content terms outside the slots of the claim: word stems and character pairs."""


_BOUNDARIES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"[,;:](?=\s)|\s[-–—]+\s|—|[.!?](?=\s|$)|[()]"
        r"|\s(?=(?:and|but|while|whereas|although|though|because|since|after|before|until|when|where|which|who"
        r"|whose|with|without|thanks to|amid|despite|following|so that|in order to|as part of)\b)"
    ),
    "ja": re.compile("[、。，,；;：「」『』（）()]|(?<=[てでがしりにず])、"),
    "zh": re.compile("[，。、,；;：:（）()！？]"),
}


def split_clauses(plain: str, language: Language, slot_spans: Iterable[Span]) -> tuple[Clause, ...]:
    """Return the clauses of a plain text in order; ``slot_spans`` are the spans of its slots."""
    sorted_spans = sorted(slot_spans)
    clauses: list[Clause] = []
    start = 0
    for boundary in [*_BOUNDARIES[language].finditer(plain), None]:
        end = len(plain) if boundary is None else boundary.start()
        is_gloss = end < len(plain) and plain[end] in ")）" and end - start <= MAX_GLOSS_CHARS
        if plain[start:end].strip() and not is_gloss:
            inner_spans = [
                (max(a, start) - start, min(b, end) - start) for a, b in sorted_spans if a < end and start < b
            ]
            clauses.append(
                Clause(start, end, lexical_features.list_content_terms(plain[start:end], inner_spans))
            )
        start = len(plain) if boundary is None else max(boundary.end(), boundary.start())
    return tuple(clauses)
