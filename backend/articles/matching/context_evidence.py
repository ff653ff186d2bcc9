"""Evidence that a text speaks of the field, so that ordinary words in it count as names.

It tells of what stands near it in its own paragraph, which is what stands between blank lines: a page that
mentions a coin somewhere does not make a name of each "block" on it. A ticker, which is as short as any
abbreviation, asks for evidence that is nearer. Wrong forms are evidence as right ones are.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from weakref import WeakMethod

from backend.articles.matching.derived_rules import MAX_ACRONYM_CHARS
from backend.articles.matching.former_names import Found
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

    def beside(self, at: int, meaning: Meaning) -> bool:
        """Whether there is evidence for a name at ``at``. Quickest when asked from left to right."""
        if not self._first <= at < self._last:
            self._first, self._last = self._bounds(at)
        distance = reach(meaning)
        first, last = max(self._first, at - distance), min(self._last, at + distance + 1)
        for start, _, named, _ in reversed(self._found):
            if start < first:
                break
            if named.evidence and len(named.raw) > MAX_ACRONYM_CHARS:
                return True
        for number in _stretches_near(at, first, last):
            for span in self._stretch(number):
                if first <= span[0] < last and span[1] <= self._last:
                    return True
        return False

    def anywhere(self) -> bool:
        """Whether the field holds any evidence."""
        return any(self._stretch(number) for number in range(-(-len(self._text) // _STRETCH)))

    def paragraph(self, at: int) -> int:
        """The number of the paragraph around ``at``."""
        return bisect_right(self._ends(), at)

    def _bounds(self, at: int) -> Span:
        """Where the paragraph around ``at`` begins and ends."""
        breaks, paragraph = self._ends(), self.paragraph(at)
        start = breaks[paragraph - 1] if paragraph else 0
        return start, breaks[paragraph] if paragraph < len(breaks) else len(self._text)

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
