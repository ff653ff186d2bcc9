"""What a topic says in a language: a headline and sentences of its members, word for word.

The title is the headline nearest to the middle of all, an official one before others. Sentences are chosen
one after another by how near they are to the middle, less how much they repeat of what is said already
(maximal marginal relevance: Carbonell and Goldstein, 1998). Nothing is worded anew, and no two texts are
mixed in a sentence.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from backend.entities.model import Language
from backend.sources.claims.claim_splitting import sentences
from backend.sources.retrieval.content_sanitizer import clean_text, has_instructions
from backend.topics.grouping.news_window import Member
from backend.topics.grouping.title_tokens import words

MOST_SENTENCES = 12
"""Sentences of one member that are weighed; news say first what matters."""
IN_SUMMARY = 2
IN_BULLETS = 5
NEW = 0.35
"""How much what a sentence repeats counts against it; the rest is how near it is to the middle."""
REPEATED = 0.7
"""Cosine from which a sentence says what was said already."""
REMEMBERED = 4_000
"""Wordings that are kept: most topics of a window stay as they are."""
LONGEST: Mapping[Language, int] = {"en": 420, "ja": 200, "zh": 200}
SHORTEST: Mapping[Language, int] = {"en": 30, "ja": 12, "zh": 10}
_ENDED = re.compile(r"[.!。！][”\"』」’')）]*$")
_CUT_OFF = re.compile(r"(?:\.\.\.|…|\[…\]|\[\.\.\.\])[”\"』」]*$")

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, and the member in whose text it stands."""

    text: str
    member: Member


@dataclass(frozen=True, slots=True)
class Wording:
    """What a topic says in one language; ``bullets`` are grouped by the member that they are taken from."""

    title: Said
    summary: tuple[Said, ...]
    bullets: tuple[tuple[Said, ...], ...]

    @property
    def said(self) -> tuple[Said, ...]:
        return (*self.summary, *(one for group in self.bullets for one in group))


def worded(members: Sequence[Member], official: frozenset[int], language: Language) -> Wording:
    """The wording of ``members``, all in ``language``, of whom those with an id in ``official`` go first.

    A member whose text gives instructions to its reader is quoted only where there is no other.
    """
    known = sorted(members, key=lambda one: (one.published_at, one.id))
    return _worded(tuple(known), official & {one.id for one in known}, language)


@lru_cache(maxsize=REMEMBERED)
def _worded(known: tuple[Member, ...], official: frozenset[int], language: Language) -> Wording:
    decent = [one for one in known if not has_instructions(f"{one.title}\n{one.text}")] or known[:1]
    vectors = {one.id: _vector(one.title) for one in decent}
    middle = _sum(vectors.values())
    first = [one for one in decent if one.id in official] or decent
    titled = max(first, key=lambda one: (round(_cosine(vectors[one.id], middle), 9), -first.index(one)))
    quotable = [one for one in decent if not has_instructions(one.text)]
    chosen = _chosen(clean_text(titled.title), list(_candidates(quotable, language)), middle)
    # Of few sentences one is the summary, so that the others are not lost to the list.
    split = IN_SUMMARY if len(chosen) > IN_SUMMARY else 1
    return Wording(Said(clean_text(titled.title), titled), tuple(chosen[:split]), _grouped(chosen[split:]))


def joined(said: Sequence[Said], language: Language) -> str:
    return (" " if language == "en" else "").join(one.text for one in said)


def _candidates(members: Sequence[Member], language: Language) -> Iterator[Said]:
    seen: set[str] = set()
    for member in members:
        for place, sentence in enumerate(sentences(clean_text(member.text))):
            if place == MOST_SENTENCES:
                break
            fits = SHORTEST[language] <= len(sentence) <= LONGEST[language]
            whole = _ENDED.search(sentence) and not _CUT_OFF.search(sentence)
            if fits and whole and sentence not in seen and "\n" not in sentence:
                seen.add(sentence)
                yield Said(sentence, member)


def _chosen(title: str, candidates: Sequence[Said], titles: Vector) -> list[Said]:
    vectors = [_vector(one.text) for one in candidates]
    middle = _sum([_unit(titles), _unit(_sum(vectors))])
    near = [_cosine(vector, middle) for vector in vectors]
    repeats = [_cosine(vector, _vector(title)) for vector in vectors]
    chosen: list[Said] = []
    left = [place for place in range(len(candidates)) if vectors[place]]
    while left and len(chosen) < IN_SUMMARY + IN_BULLETS:
        left = [place for place in left if repeats[place] < REPEATED]
        if not left:
            break
        best = max(left, key=lambda at: (round((1 - NEW) * near[at] - NEW * repeats[at], 9), -at))
        chosen.append(candidates[best])
        left.remove(best)
        for place in left:
            repeats[place] = max(repeats[place], _cosine(vectors[place], vectors[best]))
    return chosen


def _grouped(said: Sequence[Said]) -> tuple[tuple[Said, ...], ...]:
    groups: dict[int, list[Said]] = {}
    for one in said:
        groups.setdefault(one.member.id, []).append(one)
    return tuple(tuple(group) for group in groups.values())


def _vector(text: str) -> Vector:
    return _unit(Counter(words(text)))


def _unit(vector: Mapping[str, float]) -> Vector:
    length = math.sqrt(math.fsum(weight * weight for weight in vector.values()))
    return {word: weight / length for word, weight in vector.items()} if length else {}


def _sum(vectors: Iterable[Vector]) -> Vector:
    total: dict[str, float] = {}
    for vector in vectors:
        for word, weight in vector.items():
            total[word] = total.get(word, 0.0) + weight
    return total


def _cosine(one: Vector, other: Vector) -> float:
    small, large = sorted((one, other), key=len)
    dot = math.fsum(weight * large[word] for word, weight in small.items() if word in large)
    lengths = [math.sqrt(math.fsum(weight * weight for weight in vector.values())) for vector in (one, other)]
    return dot / (lengths[0] * lengths[1]) if all(lengths) else 0.0
