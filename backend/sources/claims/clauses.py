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


_JOINTS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"[,;:](?=\s)|\s[-–—]+\s|—|[.!?](?=\s|$)|[()]"
        r"|\s(?=(?:and|but|while|whereas|although|though|because|since|after|before|until|when|where|which|who"
        r"|whose|with|without|thanks to|amid|despite|following|so that|in order to|as part of)\b)"
    ),
    "ja": re.compile("[、。，,；;：「」『』（）()]|(?<=[てでがしりにず])、"),
    "zh": re.compile("[，。、,；;：:（）()！？]"),
}


def split_clauses(plain: str, language: Language, outside: Iterable[Span]) -> tuple[Clause, ...]:
    """Return the clauses of a plain text in order; ``outside`` are the spans of its slots."""
    taken = sorted(outside)
    found: list[Clause] = []
    start = 0
    for joint in [*_JOINTS[language].finditer(plain), None]:
        end = len(plain) if joint is None else joint.start()
        is_gloss = end < len(plain) and plain[end] in ")）" and end - start <= MAX_GLOSS_CHARS
        if plain[start:end].strip() and not is_gloss:
            inside = [(max(a, start) - start, min(b, end) - start) for a, b in taken if a < end and start < b]
            found.append(Clause(start, end, lexical_features.list_content_terms(plain[start:end], inside)))
        start = len(plain) if joint is None else max(joint.end(), joint.start())
    return tuple(found)
