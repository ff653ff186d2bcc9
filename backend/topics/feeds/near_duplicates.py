"""Finds articles with nearly the same text without comparing every pair."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from backend.documents import tokenizer
from backend.sources.claims import simhash
from backend.topics.model import NEWS_WINDOW

BAND_COUNT = simhash.MAX_NEAR_BITS + 1
"""Two fingerprints that differ in at most ``MAX_NEAR_BITS`` bits share at least one of this many bands."""
_WIDTH = -(-simhash.BITS // BAND_COUNT)
_MASK = (1 << simhash.BITS) - 1
LONG_TEXT_CHARS = 400
"""Characters from which a text is compared without its title."""
MIN_TITLE_SIMILARITY = 0.5
"""Share of common terms from which the titles of two short texts count as the same."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The compared features of an article. ``official`` is True if an official outlet published it."""

    simhash: int
    published_at: datetime
    language: str
    title: str
    length: int
    entities: frozenset[str]
    figures: frozenset[str]
    official: bool


class FingerprintIndex:
    """Indexes the fingerprints of a window by band."""

    def __init__(self, known: Iterable[Fingerprint] = ()) -> None:
        self._by_band: dict[tuple[int, int], list[Fingerprint]] = defaultdict(list)
        for one in known:
            self.add(one)

    def add(self, one: Fingerprint) -> None:
        if one.simhash:
            for band in _split_bands(one.simhash):
                self._by_band[band].append(one)

    def is_repeated(self, one: Fingerprint) -> bool:
        """True if ``one`` repeats an article of the window. Only an official text can repeat an official
        text, because the press may have published it first."""
        candidates = (other for band in _split_bands(one.simhash) for other in self._by_band.get(band, ()))
        return bool(one.simhash) and any(
            (other.official or not one.official) and _is_duplicate(one, other) for other in candidates
        )


def _split_bands(value: int) -> list[tuple[int, int]]:
    bits = value & _MASK
    return [(band, bits >> (band * _WIDTH) & ((1 << _WIDTH) - 1)) for band in range(BAND_COUNT)]


def _is_duplicate(one: Fingerprint, other: Fingerprint) -> bool:
    """True if two articles are duplicates. Fingerprints alone would match new figures in the same words."""
    return (
        simhash.is_near(one.simhash & _MASK, other.simhash & _MASK)
        and abs(one.published_at - other.published_at) <= NEWS_WINDOW
        and one.language == other.language
        and one.figures == other.figures
        and one.entities == other.entities
        and (
            min(one.length, other.length) >= LONG_TEXT_CHARS
            or _title_similarity(one.title, other.title) >= MIN_TITLE_SIMILARITY
        )
    )


def _title_similarity(one: str, other: str) -> float:
    """Compute the Jaccard coefficient of the titles' terms."""
    ours, theirs = set(tokenizer.document_terms(one)), set(tokenizer.document_terms(other))
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 1.0
