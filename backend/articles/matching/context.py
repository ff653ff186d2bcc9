"""Evidence that a text speaks of the field, so that ordinary words in it count as names.

It tells of what stands near it in its own paragraph, which is what stands between blank lines: a page that
mentions a coin somewhere does not make a name of each "block" on it. A ticker, which is as short as any
abbreviation, asks for evidence that is nearer. Wrong forms are evidence as right ones are.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from weakref import WeakMethod

from backend.articles.matching.meanings import Kind, Meaning

Span = tuple[int, int]

NEAR, NEAR_SYMBOL = 200, 100
"""How many characters may lie between where evidence begins and where what it tells of does."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*+\n")


def reach(meaning: Meaning) -> int:
    """How far from a name of this meaning evidence may stand."""
    return NEAR_SYMBOL if meaning.kind is Kind.SYMBOL else NEAR


class Evidence:
    """The evidence of one field, looked for paragraph by paragraph when first asked for.

    ``within`` gives the spans of all evidence between two places of the text, one after another; it is a
    method of what owns the evidence.
    """

    def __init__(self, text: str, within: Callable[[int, int], Iterator[Span]]) -> None:
        self._text = text
        # A reading that its evidence held in turn would keep all its hits until the next collection.
        self._within = WeakMethod(within)
        self._breaks: list[int] | None = None
        self._known: dict[int, Sequence[Span]] = {}
        self._first = self._last = 0
        self._starts: list[int] = []
        self._asked: set[Span] = set()
        self.asked: dict[int, set[Span]] = {}
        """By paragraph, where ordinary words asked for evidence, and how near it had to be."""

    def beside(self, at: int, meaning: Meaning) -> bool:
        """Whether there is evidence for a name at ``at``. Quickest when asked from left to right."""
        if not self._first <= at < self._last:
            paragraph = self.paragraph(at)
            self._first, self._last = self.bounds(paragraph)
            self._starts = [start for start, _ in self.places(paragraph)]
            self._asked = self.asked.setdefault(paragraph, set())
        distance = reach(meaning)
        self._asked.add((at, distance))
        return any_near(self._starts, at, distance)

    def anywhere(self) -> bool:
        """Whether the field holds any evidence."""
        return next(self._between(0, len(self._text)), None) is not None

    def paragraph(self, at: int) -> int:
        """The number of the paragraph around ``at``."""
        return bisect_right(self._ends(), at)

    def places(self, paragraph: int) -> Sequence[Span]:
        """All evidence of a paragraph, by place."""
        known = self._known.get(paragraph)
        if known is None:
            known = self._known[paragraph] = sorted(self._between(*self.bounds(paragraph)))
        return known

    def bounds(self, paragraph: int) -> Span:
        """Where a paragraph begins and ends."""
        breaks = self._ends()
        start = breaks[paragraph - 1] if paragraph else 0
        return start, breaks[paragraph] if paragraph < len(breaks) else len(self._text)

    def _between(self, first: int, last: int) -> Iterator[Span]:
        within = self._within()
        if within is None:
            raise ReferenceError("the evidence outlived its reading")
        return within(first, last)

    def _ends(self) -> list[int]:
        if self._breaks is None:
            self._breaks = [found.end() for found in _BLANK_LINE.finditer(self._text)]
        return self._breaks


def any_near(places: Sequence[int], at: int, within: int) -> bool:
    """Whether one of ``places``, which are sorted, lies at most ``within`` from ``at``."""
    k = bisect_left(places, at - within)
    return k < len(places) and places[k] <= at + within
