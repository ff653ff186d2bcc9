"""Builds a topic's title, summary and bullets in a language from verbatim sentences of its members.

Members are the articles of a topic. The title is the headline nearest to the centroid of all headlines; it
comes from an official source if there is one. Sentences are selected by maximal marginal relevance (Carbonell
and Goldstein, 1998): similarity to the centroid minus similarity to the title and the sentences already
selected. Nothing is reworded, and no sentence mixes two texts.
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

MAX_SENTENCES_PER_MEMBER = 12
"""Candidate sentences of one member; news articles state the essentials first."""
SUMMARY_SENTENCES = 2
BULLET_SENTENCES = 5
REPETITION_WEIGHT = 0.35
"""Weight of a sentence's repetition; the rest is the weight of its similarity to the centroid."""
MAX_REPETITION = 0.7
"""Sentences at least this similar (cosine) to the title or a selected sentence are left out."""
CACHE_SIZE = 4_000
"""Maximum number of cached texts; most topics of a window stay unchanged."""
MAX_SENTENCE_CHARS: Mapping[Language, int] = {"en": 420, "ja": 200, "zh": 200}
MIN_SENTENCE_CHARS: Mapping[Language, int] = {"en": 30, "ja": 12, "zh": 10}
_ENDED = re.compile(r"[.!。！][”\"』」’')）]*$")
_CUT_OFF = re.compile(r"(?:\.\.\.|…|\[…\]|\[\.\.\.\])[”\"』」]*$")

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class QuotedSentence:
    """A sentence and the member that it is quoted from."""

    text: str
    member: Member


@dataclass(frozen=True, slots=True)
class QuotedText:
    """The text of a topic in one language. ``bullets`` are grouped by the quoted member."""

    title: QuotedSentence
    summary: tuple[QuotedSentence, ...]
    bullets: tuple[tuple[QuotedSentence, ...], ...]

    @property
    def quotes(self) -> tuple[QuotedSentence, ...]:
        return (*self.summary, *(one for group in self.bullets for one in group))


def summarize(members: Sequence[Member], official_ids: frozenset[int], language: Language) -> QuotedText:
    """Build the text of a topic from ``members``, which are all in ``language``.

    The title comes from an official member if there is one. Members with instructions to a language model
    (prompt injection) are left out; if all have them, the title of the earliest one is used.
    """
    sorted_members = sorted(members, key=lambda one: (one.published_at, one.id))
    return _build_text(tuple(sorted_members), official_ids & {one.id for one in sorted_members}, language)


@lru_cache(maxsize=CACHE_SIZE)
def _build_text(
    sorted_members: tuple[Member, ...], official_ids: frozenset[int], language: Language
) -> QuotedText:
    safe_members = [
        one for one in sorted_members if not has_instructions(f"{one.title}\n{one.text}")
    ] or sorted_members[:1]
    vectors = {one.id: _vector(one.title) for one in safe_members}
    centroid = _sum(vectors.values())
    title_candidates = [one for one in safe_members if one.id in official_ids] or safe_members
    title_member = max(
        title_candidates,
        key=lambda one: (round(_cosine(vectors[one.id], centroid), 9), -title_candidates.index(one)),
    )
    members_with_safe_text = [one for one in safe_members if not has_instructions(one.text)]
    selected = _select_sentences(
        clean_text(title_member.title), list(_candidates(members_with_safe_text, language)), centroid
    )
    # With few sentences the summary takes only one, so that the others remain as bullets.
    summary_length = SUMMARY_SENTENCES if len(selected) > SUMMARY_SENTENCES else 1
    return QuotedText(
        QuotedSentence(clean_text(title_member.title), title_member),
        tuple(selected[:summary_length]),
        _group_by_member(selected[summary_length:]),
    )


def join_sentences(quotes: Sequence[QuotedSentence], language: Language) -> str:
    return (" " if language == "en" else "").join(one.text for one in quotes)


def _candidates(members: Sequence[Member], language: Language) -> Iterator[QuotedSentence]:
    seen: set[str] = set()
    for member in members:
        for index, sentence in enumerate(sentences(clean_text(member.text))):
            if index == MAX_SENTENCES_PER_MEMBER:
                break
            has_valid_length = MIN_SENTENCE_CHARS[language] <= len(sentence) <= MAX_SENTENCE_CHARS[language]
            is_complete = _ENDED.search(sentence) and not _CUT_OFF.search(sentence)
            if has_valid_length and is_complete and sentence not in seen and "\n" not in sentence:
                seen.add(sentence)
                yield QuotedSentence(sentence, member)


def _select_sentences(
    title: str, candidates: Sequence[QuotedSentence], title_centroid: Vector
) -> list[QuotedSentence]:
    vectors = [_vector(one.text) for one in candidates]
    centroid = _sum([_unit(title_centroid), _unit(_sum(vectors))])
    centroid_similarities = [_cosine(vector, centroid) for vector in vectors]
    repetitions = [_cosine(vector, _vector(title)) for vector in vectors]
    selected: list[QuotedSentence] = []
    remaining = [index for index in range(len(candidates)) if vectors[index]]
    while remaining and len(selected) < SUMMARY_SENTENCES + BULLET_SENTENCES:
        remaining = [index for index in remaining if repetitions[index] < MAX_REPETITION]
        if not remaining:
            break
        best = max(
            remaining,
            key=lambda index: (
                round(
                    (1 - REPETITION_WEIGHT) * centroid_similarities[index]
                    - REPETITION_WEIGHT * repetitions[index],
                    9,
                ),
                -index,
            ),
        )
        selected.append(candidates[best])
        remaining.remove(best)
        for index in remaining:
            repetitions[index] = max(repetitions[index], _cosine(vectors[index], vectors[best]))
    return selected


def _group_by_member(quotes: Sequence[QuotedSentence]) -> tuple[tuple[QuotedSentence, ...], ...]:
    groups: dict[int, list[QuotedSentence]] = {}
    for one in quotes:
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
