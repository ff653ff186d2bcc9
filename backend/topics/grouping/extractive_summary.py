"""Builds a topic's title, summary and bullets in a language from verbatim sentences of its members.

Members are the articles of a topic. The title is the headline nearest to the centroid of all headlines. It
comes from an official source, or else from the latest reports (:mod:`latest_reports`). The summary begins
with the lead: the first sentence of an article that stands alone. A lead that only the title of its article
makes clear (*the companies*) has that title in front of it, and so has one that leaves out that charges were
dropped, or a standfirst that leaves out the news (:mod:`front_titles`). Further ones are selected by maximal
marginal relevance (Carbonell and Goldstein, 1998): similarity to the centroid minus similarity to the title
and the selected sentences. A sentence that needs another one is selected only with it
(:mod:`article_sentences`). Sentences of an article keep their order. Nothing is reworded, and no sentence
mixes two texts.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from backend.entities.model import Language
from backend.sources.retrieval.content_sanitizer import clean_text, has_instructions
from backend.topics.feeds.anaphora import build_title_clause, has_unclear_opening
from backend.topics.feeds.article_sentences import Context, list_sentences, split_sentences
from backend.topics.grouping import front_titles, lead_quality
from backend.topics.grouping.latest_reports import select_latest
from backend.topics.grouping.news_window import NewsArticle
from backend.topics.grouping.word_vectors import (
    Vector,
    add_vectors,
    build_vector,
    compute_cosine,
    normalize_vector,
)

MAX_QUOTES = 3
"""Sentences of a summary and its bullets together."""
MAX_LEAD_PLACE = 5
"""A lead is among the first sentences of its article; what comes later is detail."""
MIN_LEAD_SHARE = 0.5
"""Minimum weight of the title words in a lead, relative to the candidate with the most; an anecdote at the
beginning of an article has less."""
REPETITION_WEIGHT = 0.35
"""Weight of a sentence's repetition; the rest is the weight of its similarity to the centroid."""
POSITION_WEIGHT = 0.2
"""Weight of a place near the beginning of an article."""
FIGURE_WEIGHT = 0.03
"""Weight of a figure or a day, which colour and explanation seldom have."""
MAX_REPETITION = 0.7
"""Sentences at least this similar (cosine) to the title or a selected sentence are left out."""
MAX_STANDFIRST_SENTENCES = 2
"""Sentences of an article of which a feed carries only the standfirst."""
MAX_OTHER_LEAD_REPETITION = 0.35
"""The same as MAX_REPETITION for the first two sentences of another article, which tell the same event, if
they have no figure."""
TITLE_PLACE = -1
"""Place of a title that is quoted in front of its article's lead."""
CACHE_SIZE = 4_000
"""Maximum number of cached texts; most topics of a window stay unchanged."""

_FIGURE = re.compile(
    r"^(?!(?:Between|From|In|Since|Until) (?:[A-Z][a-z]+ )?(?:19|20)\d\d|(?:19|20)\d\d年).*\d", re.DOTALL
)
"""A figure, but not in a sentence on an earlier year."""
_ADDRESS = re.compile(r"https?://\S+")


@dataclass(frozen=True, slots=True)
class QuotedSentence:
    """A sentence and the member that it is quoted from. ``place`` is its place in the member's text, or
    :data:`TITLE_PLACE`."""

    text: str
    member: NewsArticle
    place: int = 0
    context: Context = Context.NONE
    needs: frozenset[str] = frozenset()
    rivals: frozenset[str] = frozenset()
    """See :class:`ArticleSentence`."""


@dataclass(frozen=True, slots=True)
class QuotedText:
    """The text of a topic in one language. The summary is from one member; ``bullets`` are grouped by the
    quoted member."""

    title: QuotedSentence
    summary: tuple[QuotedSentence, ...]
    bullets: tuple[tuple[QuotedSentence, ...], ...]

    @property
    def quotes(self) -> tuple[QuotedSentence, ...]:
        return (*self.summary, *(sentence for group in self.bullets for sentence in group))


def summarize(members: Sequence[NewsArticle], official_ids: frozenset[int], language: Language) -> QuotedText:
    """Build the text of a topic from ``members``, which are all in ``language``.

    The title comes from an official member if there is one. Members with instructions to a language model
    (prompt injection) are left out; if all have them, the title of the earliest one is used.
    """
    sorted_members = sorted(members, key=lambda member: (member.published_at, member.id))
    return _build_text(
        tuple(sorted_members), official_ids & {member.id for member in sorted_members}, language
    )


@lru_cache(maxsize=CACHE_SIZE)
def _build_text(
    sorted_members: tuple[NewsArticle, ...], official_ids: frozenset[int], language: Language
) -> QuotedText:
    safe_members = [
        member for member in sorted_members if not has_instructions(f"{member.title}\n{member.text}")
    ] or sorted_members[:1]
    vectors = {member.id: build_vector(member.title) for member in safe_members}
    centroid = add_vectors(vectors.values())
    latest = select_latest(safe_members)
    title_candidates = [member for member in safe_members if member.id in official_ids] or latest
    title_member = max(
        title_candidates,
        key=lambda member: (
            round(compute_cosine(vectors[member.id], centroid), 9),
            -title_candidates.index(member),
        ),
    )
    title = clean_text(title_member.title)
    with_safe_text = [member for member in safe_members if not has_instructions(member.text)]
    sorted_sources = sorted(
        with_safe_text, key=lambda member: (member.id not in official_ids, member.id != title_member.id)
    )
    candidates = [
        quote for member in sorted_sources for quote in _list_candidates(member, language, official_ids)
    ]
    current_ids = official_ids | {member.id for member in latest}
    summary, bullets = _Selection(title, candidates, centroid, language, current_ids).select()
    if not summary and with_safe_text and (clause := build_title_clause(title, language)):
        summary = (QuotedSentence(clause, title_member, TITLE_PLACE),)
    return QuotedText(QuotedSentence(title, title_member), summary, _group_by_member(bullets))


def join_sentences(quotes: Sequence[QuotedSentence], language: Language) -> str:
    return (" " if language == "en" else "").join(quote.text for quote in quotes)


def _list_candidates(
    member: NewsArticle, language: Language, official_ids: frozenset[int]
) -> Iterator[QuotedSentence]:
    for sentence in list_sentences(member.text, language, is_official=member.id in official_ids):
        yield QuotedSentence(
            sentence.text, member, sentence.place, sentence.context, sentence.needs, sentence.rivals
        )


class _Selection:
    """Selects sentences of ``candidates``, which are ordered by the preference of their members and, within a
    member, by their place."""

    def __init__(
        self,
        title: str,
        candidates: Sequence[QuotedSentence],
        title_centroid: Vector,
        language: Language,
        current_ids: frozenset[int],
    ) -> None:
        self._language: Language = language
        self._candidates = candidates
        self._opening = title
        """The title and the lead, which name the parties of the topic."""
        self._printed = title
        """What a reader has read: the title, then the sentences."""
        self._vectors = [build_vector(candidate.text) for candidate in candidates]
        self._title_centroid = title_centroid
        centroid = add_vectors(
            [normalize_vector(title_centroid), normalize_vector(add_vectors(self._vectors))]
        )
        self._weak = [
            candidate.member.id not in current_ids
            or lead_quality.is_teaser(candidate.text, language)
            or lead_quality.is_outside_opinion(candidate.text, f"{title}\n{candidate.member.title}", language)
            for candidate in candidates
        ]
        """True for a teaser, an outsider's opinion and what a later report may have overtaken. They are taken
        only where there is nothing else."""
        self._similarities = [compute_cosine(vector, centroid) for vector in self._vectors]
        title_vector = build_vector(title)
        self._repetitions = [compute_cosine(vector, title_vector) for vector in self._vectors]
        self._read: set[tuple[int, int]] = set()
        """Article and place of the selected sentences."""
        self._chain: set[tuple[int, int]] = set()
        """Places of the lead and of the sentences that follow it without a gap."""
        self._led: dict[int, int] = {}
        """The place of the first sentence that has been read, by member. Nothing before it is quoted."""
        self._selected: list[int] = []

    def select(self) -> tuple[tuple[QuotedSentence, ...], tuple[QuotedSentence, ...]]:
        """Return the summary, which is the lead and what belongs to it, and the sentences for bullets."""
        leads = (find() for find in (self._find_lead, self._find_unclear_lead, self._find_late_lead))
        lead = next((found for found in leads if found is not None), None)
        if lead is None:
            return (), ()
        lead = self._find_fuller_lead(lead)
        self._opening = f"{self._opening}\n{self._candidates[lead].text}"
        self._take(lead)
        if (following := self._find_news_behind(lead)) is not None:
            self._take(following)
        while len(self._selected) < MAX_QUOTES and (best := self._find_next()) is not None:
            self._take(best)
        quotes = [self._candidates[index] for index in sorted(self._selected)]
        ends = [place for place, quote in enumerate(quotes, 1) if quote.context == Context.PREVIOUS]
        summary_length = max(ends, default=1)
        return self._add_title(quotes[:summary_length], quotes[summary_length:])

    def _add_title(
        self, summary: Sequence[QuotedSentence], bullets: Sequence[QuotedSentence]
    ) -> tuple[tuple[QuotedSentence, ...], tuple[QuotedSentence, ...]]:
        """Add the title in front of a summary that needs it.

        If no title can stand there, a summary that turns the sense is left out.
        """
        if not summary:
            return (), ()
        first = summary[0]
        length = sum(1 for _ in split_sentences(first.member.text))
        front = front_titles.choose_front_title(
            clean_text(first.member.title),
            [quote.text for quote in summary],
            self._language,
            is_first=first.place == 0,
            told_behind=[quote.text for quote in bullets] if length <= MAX_STANDFIRST_SENTENCES else None,
        )
        if front is None:
            return (), ()
        if not front:
            return tuple(summary), tuple(bullets)
        title = QuotedSentence(front, first.member, TITLE_PLACE)
        return (title, *summary), tuple(bullets[: max(MAX_QUOTES - 1 - len(summary), 0)])

    def _find_fuller_lead(self, lead: int) -> int:
        """Find the second sentence if the first one adds nothing to its title; else the lead."""
        first, second = self._candidates[lead], self._candidates[min(lead + 1, len(self._candidates) - 1)]
        return lead + (
            (second.member, first.place, second.place) == (first.member, 0, 1)
            and second.context <= Context.LEAD
            and not (self._weak[lead + 1] or has_unclear_opening(second.text, self._language))
            and self._are_names_printed(second)
            and self._measure_title(lead + 1) > 0
            and lead_quality.is_empty_lead(first.text, first.member.title, self._language)
        )

    def _find_news_behind(self, lead: int) -> int | None:
        """Find the news after a lead that shares nothing with the titles, if it belongs to the lead."""
        told = self._measure_title(lead)
        for index, candidate in enumerate(self._candidates):
            is_next = (
                candidate.member is self._candidates[lead].member
                and candidate.place == self._candidates[lead].place + 1
                and candidate.context == Context.PREVIOUS
            )
            if is_next and MIN_LEAD_SHARE * self._measure_title(index) > told:
                return index if self._are_names_printed(candidate) else None
        return None

    def _measure_title(self, index: int) -> float:
        """Return the weight of the title words in a sentence."""
        return math.fsum(self._title_centroid.get(word, 0.0) for word in self._vectors[index])

    def _find_lead(self) -> int | None:
        """Find the first sentence that stands alone and tells what the titles tell. The first sentence of an
        article may speak of what the title names."""
        leads = [
            index
            for index, candidate in enumerate(self._candidates)
            if self._vectors[index]
            and candidate.place <= MAX_LEAD_PLACE
            and self._can_lead(candidate)
            and self._are_names_printed(candidate)
        ]
        if not leads:
            return None
        leads = [index for index in leads if not self._weak[index]] or leads
        member = self._candidates[leads[0]].member
        scores = [self._measure_title(index) for index in leads]
        of_member = [
            score
            for index, score in zip(leads, scores, strict=True)
            if self._candidates[index].member is member
        ]
        required = MIN_LEAD_SHARE * (max(of_member) or max(scores))
        on_topic = [
            index
            for place, (index, score) in enumerate(zip(leads, scores, strict=True))
            if score >= required or (score > 0 and self._begins_with_titled_name(index, leads[:place]))
        ]
        return min(
            on_topic,
            key=lambda index: (
                has_unclear_opening(self._candidates[index].text, self._language),
                self._candidates[index].member is not member
                or (self._candidates[index].place > 0 and self._candidates[index].context != Context.NONE),
            ),
        )

    def _begins_with_titled_name(self, index: int, before: Sequence[int]) -> bool:
        """True for the first lead of an article whose subject is a name of the article's title."""
        candidate = self._candidates[index]
        is_first = all(
            self._candidates[other].member is not candidate.member or not self._measure_title(other)
            for other in before
        )
        return is_first and lead_quality.has_titled_subject(
            candidate.text, candidate.member.title, candidate.member.text
        )

    def _find_unclear_lead(self) -> int | None:
        """Find the first sentence of an article, which its headline explains as far as the article does."""
        firsts = (
            index
            for index, candidate in enumerate(self._candidates)
            if self._vectors[index] and candidate.place == 0 and candidate.context <= Context.LEAD
        )
        return next(firsts, None)

    def _find_late_lead(self) -> int | None:
        """Find the first sentence anywhere in an article that stands alone."""
        late = (
            index
            for index, candidate in enumerate(self._candidates)
            if self._vectors[index]
            and candidate.context == Context.NONE
            and not has_unclear_opening(candidate.text, self._language)
            and self._are_names_printed(candidate)
        )
        return next(late, None)

    def _can_lead(self, candidate: QuotedSentence) -> bool:
        """True if a sentence stands alone, or is the first of its article and clear behind its title."""
        if has_unclear_opening(candidate.text, self._language):
            title = clean_text(candidate.member.title)
            return candidate.place == 0 and front_titles.can_stand_in_front(
                title, candidate.text, self._language
            )
        return candidate.context <= (Context.LEAD if candidate.place == 0 else Context.NONE)

    def _find_next(self) -> int | None:
        possible = [
            index
            for index in range(len(self._candidates))
            if not self._weak[index]
            and self._is_understood(index)
            and self._repetitions[index] < self._get_max_repetition(index)
        ]
        return max(possible, key=lambda index: (self._score(index), -index), default=None)

    def _get_max_repetition(self, index: int) -> float:
        candidate = self._candidates[index]
        is_other = self._selected and candidate.member is not self._candidates[self._selected[0]].member
        is_opening = candidate.place <= 1 and not _FIGURE.search(candidate.text)
        return MAX_OTHER_LEAD_REPETITION if is_other and is_opening else MAX_REPETITION

    def _is_understood(self, index: int) -> bool:
        candidate = self._candidates[index]
        key = (candidate.member.id, candidate.place)
        if key in self._read or not self._vectors[index] or not self._are_names_printed(candidate):
            return False
        if candidate.context == Context.PREVIOUS:
            return (candidate.member.id, candidate.place - 1) in self._chain
        lead_place = self._led.get(candidate.member.id)
        if lead_place is not None:
            return candidate.place > lead_place
        return candidate.context == Context.NONE or candidate.place == 0

    def _are_names_printed(self, candidate: QuotedSentence) -> bool:
        is_introduced = all(name in self._printed for name in candidate.needs)
        return is_introduced and all(name in self._opening for name in candidate.rivals)

    def _score(self, index: int) -> float:
        position = POSITION_WEIGHT / (1 + self._candidates[index].place)
        similarity = (1 - REPETITION_WEIGHT) * self._similarities[index]
        figure = FIGURE_WEIGHT * bool(_FIGURE.search(_ADDRESS.sub("", self._candidates[index].text)))
        return round(similarity - REPETITION_WEIGHT * self._repetitions[index] + position + figure, 9)

    def _take(self, index: int) -> None:
        self._selected.append(index)
        candidate = self._candidates[index]
        key = (candidate.member.id, candidate.place)
        self._read.add(key)
        self._printed = f"{self._printed}\n{candidate.text}"
        if not self._chain or (candidate.member.id, candidate.place - 1) in self._chain:
            self._chain.add(key)
        self._led.setdefault(candidate.member.id, candidate.place)
        for other, vector in enumerate(self._vectors):
            similarity = compute_cosine(vector, self._vectors[index])
            self._repetitions[other] = max(self._repetitions[other], similarity)


def _group_by_member(quotes: Sequence[QuotedSentence]) -> tuple[tuple[QuotedSentence, ...], ...]:
    groups: dict[int, list[QuotedSentence]] = {}
    for quote in quotes:
        groups.setdefault(quote.member.id, []).append(quote)
    return tuple(tuple(group) for group in groups.values())
