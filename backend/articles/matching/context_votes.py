"""Decides whether an ambiguous name counts, by evidence of the field or by the votes of its sentence.

Evidence (:mod:`~backend.articles.matching.context_evidence`) settles most names. Without it, cues beside the
name, other names in the sentence and words of finance vote together: "Grayscale sued the SEC." holds two
ambiguous names and one verb, which is enough for both. A wrong form is never decided by votes.
"""

import re
from bisect import bisect_left
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from backend.articles.matching.meanings import ONE_CASE, Kind, Meaning
from backend.articles.matching.name_cues import (
    CUE_WINDOW_CHARS,
    DECISIVE_POINTS,
    STRONG_POINTS,
    has_finance_word,
    is_capitalised_inside_sentence,
    is_in_other_script,
    is_ordinary_use,
    is_part_of_longer_name,
    score_name_cues,
    score_ticker_cues,
)

if TYPE_CHECKING:
    from backend.articles.matching.matched_field import FoundName, MatchedField

SENTENCE_REACH = 160
"""Characters on either side of a name that its sentence is looked for in."""
BLOCK_CHARS = 160
MAX_CACHED_VOTES = 1024
MAX_PEERS = 8
"""Names on either side of a name that are counted."""

_VOTED = (Kind.NAME, Kind.SYMBOL, Kind.FORMER)
_COINS = frozenset(("asset", "stablecoin", "protocol"))
_OF_FIELD = _COINS | {"exchange"}
_SENTENCE_END = re.compile(r"[。！？!?;；\n]|(?<![A-Z])\.(?=\s+[A-Z\"“]|\s*\Z)")
_LISTED = re.compile(r"(?:,|, and| and| or| &|/|、|と|和|与|與|及|や|・) ?(?:the )?")
_OWNED = re.compile(r"(?:['’]s |の|的)")
_RELATED = re.compile(r"(?:向|对|を|が|に) ?")
MAX_JOINT_CHARS = 9
_OTHER_NAME_AFTER = re.compile(r" [A-Z][a-z]")
_OTHER_NAME_BEFORE = re.compile(r"[A-Za-z,;] [A-Z][a-z]+ \Z")
_ROLE_AFTER = re.compile(
    r" (?:Chair|CEO|Commissioner|Governor|Secretary|President|Labs|Foundation|Protocol|Inc)"
)


class _Peers(NamedTuple):
    """What the other names of a sentence say for a name."""

    points: int = 0
    is_joined: bool = False
    """Whether one stands directly beside it: in a list, as its owner or as its object."""
    is_cue: bool = False
    """Whether one is as good as a cue: a name of the field in its list, or a person who owns it."""


def _is_latin_phrase(meaning: Meaning, name: str) -> bool:
    """Whether a wrong form is two capitalised Latin words, in the only case that its rule lists."""
    words = re.split(r"[ -]", name) if name.isascii() else []
    return meaning.form in ONE_CASE and len(words) > 1 and all(word[:1].isupper() for word in words)


class ContextVotes:
    """Answers for one field whether a name that needs context counts at a place."""

    def __init__(self, matched_field: "MatchedField") -> None:
        self._matched_field = matched_field
        self._names_by_block: dict[int, list[FoundName]] = {}
        """The names that begin in each block of :data:`BLOCK_CHARS`. Sentences overlap in a text without
        stops, and each name is read once."""
        self._votes: dict[tuple[int, int, str], bool] = {}

    def has_context(self, start: int, end: int, meaning: Meaning) -> bool:
        """Whether the name at ``[start:end]`` counts."""
        before, after = self._words_around(start, end)
        name = self._matched_field.visible_text[start:end]
        is_ticker = meaning.kind is Kind.SYMBOL
        if meaning.rule is None and is_ordinary_use(before, name, after, is_ticker=is_ticker):
            return False
        if meaning.kind is Kind.WRONG and is_part_of_longer_name(before, name, after):
            return False
        if self._matched_field.evidence.supports(start, meaning) and not meaning.needs_cue:
            return True
        if (
            meaning.kind is Kind.WRONG
            and _is_latin_phrase(meaning, name)
            and is_in_other_script(before, after)
        ):
            return True  # English words that are no name do not stand in a Japanese or Chinese sentence.
        is_former = meaning.rule is not None and meaning.rule.type == "former_name"
        return (meaning.kind in _VOTED or is_former) and self._has_votes_cached(
            start, end, meaning, before, after
        )

    def _has_votes_cached(self, start: int, end: int, meaning: Meaning, before: str, after: str) -> bool:
        """Count votes once for equal surroundings. Tables and spam repeat them thousands of times."""
        reach = SENTENCE_REACH + CUE_WINDOW_CHARS
        first = max(0, start - reach)
        key = id(meaning), start - first, self._matched_field.visible_text[first : end + reach]
        has_votes = self._votes.get(key)
        if has_votes is None:
            has_votes = self._has_votes(start, end, meaning, before, after)
            if len(self._votes) < MAX_CACHED_VOTES:
                self._votes[key] = has_votes
        return has_votes

    def _words_around(self, start: int, end: int) -> tuple[str, str]:
        text = self._matched_field.visible_text
        return text[max(0, start - CUE_WINDOW_CHARS) : start], text[end : end + CUE_WINDOW_CHARS]

    def _has_votes(self, start: int, end: int, meaning: Meaning, before: str, after: str) -> bool:
        name = self._matched_field.visible_text[start:end]
        is_latin = name.isascii()
        entity = self._matched_field.rules.entities[meaning.entity or ""]
        if meaning.kind is Kind.SYMBOL:
            cues = score_ticker_cues(before, after)
        else:
            cues = score_name_cues(before, name, after, entity.type)
        if cues >= DECISIVE_POINTS and not is_latin:
            return True
        first, last = self._find_sentence(start, end)
        peers = self._count_peers(start, end, meaning, first, last)
        if peers.is_cue:
            cues += STRONG_POINTS
        if meaning.needs_cue and cues < (STRONG_POINTS if is_latin else DECISIVE_POINTS):
            return False
        points = cues + peers.points
        if is_latin:
            points += meaning.kind is not Kind.SYMBOL and is_capitalised_inside_sentence(before, name)
            points += is_in_other_script(before, after)
            if not peers.is_joined and _is_part_of_other_name(before, after):
                points -= DECISIVE_POINTS
        if points + 1 < DECISIVE_POINTS:
            return False
        has_finance = has_finance_word(
            self._matched_field.visible_text[first:start] + "|" + self._matched_field.visible_text[end:last]
        )
        return points + has_finance >= DECISIVE_POINTS and (cues > 0 or has_finance)

    def _find_sentence(self, start: int, end: int) -> tuple[int, int]:
        text = self._matched_field.visible_text
        first = max(0, start - SENTENCE_REACH)
        for match in _SENTENCE_END.finditer(text, first, start):
            first = match.end()
        end_match = _SENTENCE_END.search(text, end, min(len(text), end + SENTENCE_REACH))
        return first, end_match.start() if end_match else min(len(text), end + SENTENCE_REACH)

    def _count_peers(self, start: int, end: int, meaning: Meaning, first: int, last: int) -> _Peers:
        """Count the other names in the sentence ``[first:last]``."""
        text, entities = self._matched_field.visible_text, self._matched_field.rules.entities
        points, is_joined, is_cue = 0, False, False
        for peer_start, peer_end, needs_context, peer in self._list_nearest_names(start, first, last):
            if peer_start < end and start < peer_end:
                continue
            is_before = peer_end <= start
            between = text[peer_end:start] if is_before else text[end:peer_start]
            is_short = len(between) <= MAX_JOINT_CHARS
            is_listed = is_short and _LISTED.fullmatch(between) is not None
            is_owned = is_short and _OWNED.fullmatch(between) is not None
            is_peer_joined = is_listed or is_owned or (is_short and _RELATED.fullmatch(between) is not None)
            if peer == meaning.entity:
                points = max(points, STRONG_POINTS if is_peer_joined else 0)
                continue
            written = text[peer_start:peer_end]
            if needs_context and is_ordinary_use(
                *self._split_around(peer_start, peer_end), is_ticker=written.isupper()
            ):
                continue
            is_joined = is_joined or is_peer_joined
            points = max(points, 1 + is_peer_joined)
            peer_type = entities[peer].type
            if meaning.kind is not Kind.SYMBOL:
                is_same_kind = peer_type in _OF_FIELD or peer_type == entities[meaning.entity or ""].type
                is_same_kind = is_same_kind and not (needs_context and between.isascii())
                is_cue = is_cue or (
                    is_listed and is_same_kind and (peer_type == "regulator" or not written.isupper())
                )
                is_cue = is_cue or (is_owned and is_before and peer_type == "person")
        return _Peers(points, is_joined, is_cue)

    def _list_nearest_names(self, start: int, first: int, last: int) -> "list[FoundName]":
        """List the names within ``[first:last]`` that are nearest to ``start``, in order."""
        names: list[FoundName] = []
        for block in range(first // BLOCK_CHARS, last // BLOCK_CHARS + 1):
            if block not in self._names_by_block:
                block_start = block * BLOCK_CHARS
                self._names_by_block[block] = self._matched_field.find_names(
                    block_start, block_start + BLOCK_CHARS
                )
            names += self._names_by_block[block]
        index = bisect_left(names, start, key=itemgetter(0))
        nearest = names[max(0, index - MAX_PEERS) : index + MAX_PEERS]
        return [name for name in nearest if name.start >= first and name.end <= last]

    def _split_around(self, start: int, end: int) -> tuple[str, str, str]:
        before, after = self._words_around(start, end)
        return before, self._matched_field.visible_text[start:end], after


def _is_part_of_other_name(before: str, after: str) -> bool:
    """Whether another capitalised word is joined to a Latin name ("ADA County", "Seattle Kraken")."""
    if _OTHER_NAME_AFTER.match(after) and not _ROLE_AFTER.match(after):
        return True
    return _OTHER_NAME_BEFORE.search(before) is not None
