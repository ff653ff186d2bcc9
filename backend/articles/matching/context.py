"""Evidence that a text speaks of the field, so that ordinary words in it count as names.

It tells of what stands near it in its own paragraph, which is what stands between blank lines: a page that
mentions a coin somewhere does not make a name of each "block" on it. A ticker, which is as short as any
abbreviation, asks for evidence that is nearer. Wrong forms are evidence as right ones are.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from weakref import WeakMethod

from backend.articles.matching.derived import LONGEST_ACRONYM
from backend.articles.matching.formers import Found
from backend.articles.matching.meanings import Kind, Meaning

Span = tuple[int, int]

NEAR, NEAR_SYMBOL = 200, 100
"""How many characters may lie between where evidence begins and where what it tells of does."""
_STRETCH = 128
"""Characters of a text that are looked through for evidence at once."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*+\n")


def reach(meaning: Meaning) -> int:
    """How far from a name of this meaning evidence may stand."""
    return NEAR_SYMBOL if meaning.kind is Kind.SYMBOL else NEAR


class Evidence:
    """The evidence of one field, looked for only near what asks for it.

    ``beginning`` gives the spans of all evidence that begins between two places of the text, by place; it is
    a method of what owns the evidence. ``found`` holds the names found so far: what is evidence among them
    need not be looked for.
    """

    def __init__(
        self, text: str, beginning: Callable[[int, int], Sequence[Span]], found: Sequence[Found]
    ) -> None:
        self._text = text
        self._found = found
        # A reading that its evidence held in turn would keep all its hits until the next collection.
        self._beginning = WeakMethod(beginning)
        self._breaks: list[int] | None = None
        self._known: dict[int, Sequence[Span]] = {}
        self._first = self._last = 0
        self._asked: dict[Span, Span | None] = {}
        self.asked: dict[int, dict[Span, Span | None]] = {}
        """By paragraph, where ordinary words asked for evidence and how near it had to be: what answered."""

    def beside(self, at: int, meaning: Meaning) -> bool:
        """Whether there is evidence for a name at ``at``. Quickest when asked from left to right."""
        if not self._first <= at < self._last:
            paragraph = self.paragraph(at)
            self._first, self._last = self.bounds(paragraph)
            self._asked = self.asked.setdefault(paragraph, {})
        distance = reach(meaning)
        answer = self._asked[at, distance] = self._nearest(at, distance)
        return answer is not None

    def _nearest(self, at: int, distance: int) -> Span | None:
        """Evidence near enough to ``at``, what is known already first."""
        first, last = max(self._first, at - distance), min(self._last, at + distance + 1)
        for start, end, named, _ in reversed(self._found):
            if start < first:
                break
            if named.evidence and len(named.raw) > LONGEST_ACRONYM:
                return start, end
        for number in _stretches_near(at, first, last):
            for span in self._stretch(number):
                if first <= span[0] < last and span[1] <= self._last:
                    return span
        return None

    def anywhere(self) -> bool:
        """Whether the field holds any evidence."""
        return next(self._within(0, len(self._text)), None) is not None

    def paragraph(self, at: int) -> int:
        """The number of the paragraph around ``at``."""
        return bisect_right(self._ends(), at)

    def near_asked(self, paragraph: int, more: int) -> list[Span]:
        """Evidence of a paragraph in which some was asked for, by place: all that is near enough, and what is
        so by ``more`` characters."""
        asked = self.asked[paragraph]
        first, last = self.bounds(paragraph)
        first = max(first, min(at - distance for at, distance in asked) - more)
        farthest = max(at + distance for at, distance in asked) + more
        return [span for span in self._within(first, min(last, farthest + 1)) if span[1] <= last]

    def bounds(self, paragraph: int) -> Span:
        """Where a paragraph begins and ends."""
        breaks = self._ends()
        start = breaks[paragraph - 1] if paragraph else 0
        return start, breaks[paragraph] if paragraph < len(breaks) else len(self._text)

    def _within(self, first: int, last: int) -> Iterator[Span]:
        """The evidence that begins in ``[first:last]``, by place."""
        for number in range(first // _STRETCH, -(-last // _STRETCH)):
            for span in self._stretch(number):
                if first <= span[0] < last:
                    yield span

    def _stretch(self, number: int) -> Sequence[Span]:
        """The evidence that begins in a stretch of the text. None is read twice."""
        known = self._known.get(number)
        if known is None:
            beginning = self._beginning()
            if beginning is None:
                raise ReferenceError("the evidence outlived its reading")
            known = self._known[number] = beginning(number * _STRETCH, (number + 1) * _STRETCH)
        return known

    def _ends(self) -> list[int]:
        if self._breaks is None:
            self._breaks = [found.end() for found in _BLANK_LINE.finditer(self._text)]
        return self._breaks


def _stretches_near(at: int, first: int, last: int) -> Iterator[int]:
    """The numbers of the stretches of ``[first:last]``, that of ``at`` first: most evidence is close by."""
    own = at // _STRETCH
    yield own
    yield from range(own - 1, first // _STRETCH - 1, -1)
    yield from range(own + 1, -(-last // _STRETCH))


def any_near(places: Sequence[int], at: int, within: int) -> bool:
    """Whether one of ``places``, which are sorted, lies at most ``within`` from ``at``."""
    k = bisect_left(places, at - within)
    return k < len(places) and places[k] <= at + within
