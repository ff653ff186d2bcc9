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
    """The compared features of an article. ``official`` is True if an official outlet published it, and
    ``outlet`` is the host that published it."""

    simhash: int
    published_at: datetime
    language: str
    title: str
    length: int
    entity_ids: frozenset[str]
    quantities: frozenset[str]
    official: bool
    outlet: str = ""


class FingerprintIndex:
    """Indexes the fingerprints of a window by band."""

    def __init__(self, fingerprints: Iterable[Fingerprint] = ()) -> None:
        self._by_band: dict[tuple[int, int], list[Fingerprint]] = defaultdict(list)
        for fingerprint in fingerprints:
            self.add(fingerprint)

    def add(self, fingerprint: Fingerprint) -> None:
        if fingerprint.simhash:
            for band in _split_bands(fingerprint.simhash):
                self._by_band[band].append(fingerprint)

    def is_reposted(self, fingerprint: Fingerprint) -> bool:
        """True if ``fingerprint`` repeats an article of the same outlet, under another URL.

        A text that another outlet syndicates is an article of its own."""
        return self.is_repeated(fingerprint, same_outlet=True)

    def is_repeated(self, fingerprint: Fingerprint, *, same_outlet: bool = False) -> bool:
        """True if ``fingerprint`` repeats an article of the window (``same_outlet``: of its own outlet).

        Only an official text can repeat an official text, because the press may have published it first."""
        candidates = (
            candidate
            for band in _split_bands(fingerprint.simhash)
            for candidate in self._by_band.get(band, ())
        )
        return bool(fingerprint.simhash) and any(
            (candidate.official or not fingerprint.official)
            and (candidate.outlet == fingerprint.outlet or not same_outlet)
            and _is_duplicate(fingerprint, candidate)
            for candidate in candidates
        )


def _split_bands(value: int) -> list[tuple[int, int]]:
    masked = value & _MASK
    return [(band, masked >> (band * _WIDTH) & ((1 << _WIDTH) - 1)) for band in range(BAND_COUNT)]


def _is_duplicate(first: Fingerprint, second: Fingerprint) -> bool:
    """True if two articles are duplicates. Fingerprints alone would match new numbers in the same words."""
    return (
        simhash.is_near(first.simhash & _MASK, second.simhash & _MASK)
        and abs(first.published_at - second.published_at) <= NEWS_WINDOW
        and first.language == second.language
        and first.quantities == second.quantities
        and first.entity_ids == second.entity_ids
        and (
            min(first.length, second.length) >= LONG_TEXT_CHARS
            or _compute_title_similarity(first.title, second.title) >= MIN_TITLE_SIMILARITY
        )
    )


def _compute_title_similarity(first_title: str, second_title: str) -> float:
    """Compute the Jaccard coefficient of the titles' terms."""
    first_terms, second_terms = (
        set(tokenizer.document_terms(first_title)),
        set(tokenizer.document_terms(second_title)),
    )
    return (
        len(first_terms & second_terms) / len(first_terms | second_terms)
        if first_terms or second_terms
        else 1.0
    )
