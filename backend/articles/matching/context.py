"""Evidence that a paragraph is about the field, so that ordinary words in it count as names.

A paragraph is what stands between blank lines. Wrong forms are evidence as right ones are, so that
correcting changes nothing about it.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from weakref import WeakMethod

Span = tuple[int, int]

_BLANK_LINE = re.compile(r"\n[^\S\n]*+\n")


class Evidence:
    """The evidence of one field, looked for paragraph by paragraph when first asked for.

    ``within`` gives the spans of all evidence between two places of the text, one after another, so
    that no more of it is looked at than the first; it is a method of what owns the evidence.
    """

    def __init__(self, text: str, within: Callable[[int, int], Iterator[Span]]) -> None:
        self._text = text
        # A reading that its evidence held in turn would keep all its hits until the next collection.
        self._within = WeakMethod(within)
        self._breaks: list[int] | None = None
        self._known: dict[int, bool] = {}
        self._first = self._last = 0
        self._told = False
        self.asked: set[int] = set()
        """Paragraphs in which an ordinary word asked for evidence."""

    def beside(self, at: int) -> bool:
        """Whether the paragraph around ``at`` holds evidence."""
        if not self._first <= at < self._last:
            paragraph = self.paragraph(at)
            self._first, self._last = self.bounds(paragraph)
            self.asked.add(paragraph)
            self._told = self.holds(paragraph)
        return self._told

    def anywhere(self) -> bool:
        """Whether the field holds any evidence."""
        return any(self.holds(paragraph) for paragraph in range(len(self._ends()) + 1))

    def paragraph(self, at: int) -> int:
        """The number of the paragraph around ``at``."""
        return bisect_right(self._ends(), at)

    def places(self, paragraph: int) -> Iterator[Span]:
        """All evidence of a paragraph, one after another."""
        within = self._within()
        if within is None:
            raise ReferenceError("the evidence outlived its reading")
        return within(*self.bounds(paragraph))

    def holds(self, paragraph: int) -> bool:
        """Whether there is evidence in a paragraph."""
        known = self._known.get(paragraph)
        if known is None:
            known = self._known[paragraph] = next(self.places(paragraph), None) is not None
        return known

    def bounds(self, paragraph: int) -> Span:
        """Where a paragraph begins and ends."""
        breaks = self._ends()
        start = breaks[paragraph - 1] if paragraph else 0
        return start, breaks[paragraph] if paragraph < len(breaks) else len(self._text)

    def _ends(self) -> list[int]:
        if self._breaks is None:
            self._breaks = [found.end() for found in _BLANK_LINE.finditer(self._text)]
        return self._breaks
