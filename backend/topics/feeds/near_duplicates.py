"""Articles that say nearly the same in nearly the same words, found without comparing each with each."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from backend.documents import tokenizer
from backend.sources.claims import simhash
from backend.topics.model import NEWS_WINDOW

BANDS = simhash.MAX_NEAR_BITS + 1
"""Of two prints that differ in at most ``NEAR`` bits, one band of so many is the same."""
_WIDTH = -(-simhash.BITS // BANDS)
_MASK = (1 << simhash.BITS) - 1
LONG_TEXT = 400
"""Characters from which a text is one of its own, whatever stands above it."""
SAME_TITLE = 0.5
"""Share of common terms from which the titles of two short texts are one."""


@dataclass(frozen=True, slots=True)
class Print:
    """What is compared of an article. ``official`` where an official outlet published it."""

    simhash: int
    published_at: datetime
    language: str
    title: str
    length: int
    entities: frozenset[str]
    figures: frozenset[str]
    official: bool


class Prints:
    """The prints of a window, looked up by band."""

    def __init__(self, known: Iterable[Print] = ()) -> None:
        self._by_band: dict[tuple[int, int], list[Print]] = defaultdict(list)
        for one in known:
            self.add(one)

    def add(self, one: Print) -> None:
        if one.simhash:
            for band in _bands(one.simhash):
                self._by_band[band].append(one)

    def repeats(self, one: Print) -> bool:
        """Whether ``one`` repeats an article of the window. An official text is repeated by nobody's but
        another official one: the press may have been quicker with it."""
        candidates = (other for band in _bands(one.simhash) for other in self._by_band.get(band, ()))
        return bool(one.simhash) and any(
            (other.official or not one.official) and _same(one, other) for other in candidates
        )


def _bands(value: int) -> list[tuple[int, int]]:
    bits = value & _MASK
    return [(band, bits >> (band * _WIDTH) & ((1 << _WIDTH) - 1)) for band in range(BANDS)]


def _same(one: Print, other: Print) -> bool:
    """Near prints alone would take tomorrow's figures in today's words for the same article."""
    return (
        simhash.is_near(one.simhash & _MASK, other.simhash & _MASK)
        and abs(one.published_at - other.published_at) <= NEWS_WINDOW
        and one.language == other.language
        and one.figures == other.figures
        and one.entities == other.entities
        and (min(one.length, other.length) >= LONG_TEXT or _shared(one.title, other.title) >= SAME_TITLE)
    )


def _shared(one: str, other: str) -> float:
    """Jaccard's coefficient of the titles' terms."""
    ours, theirs = set(tokenizer.document_terms(one)), set(tokenizer.document_terms(other))
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 1.0
