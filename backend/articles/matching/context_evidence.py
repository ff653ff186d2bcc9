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
from backend.articles.matching.former_names import Occurrence
from backend.articles.matching.meanings import Kind, Meaning

Span = tuple[int, int]

NEAR, NEAR_SYMBOL = 200, 100
"""Maximum number of characters between the start of the evidence and the start of the name."""
_STRETCH = 128
"""Characters of a text that are looked through for evidence at once."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*+\n")


def get_reach(meaning: Meaning) -> int:
    """Return the maximum distance in characters of evidence from a name of this meaning."""
    return NEAR_SYMBOL if meaning.kind is Kind.SYMBOL else NEAR


class Evidence:
    """The evidence of one field, looked for only near what asks for it.

    ``find_spans`` returns the spans of all evidence that begins between two positions of the text, in order.
    It is a method of the owner of this object. ``occurrences`` are the names found so far: evidence among
    them need not be searched for.
    """

    def __init__(
        self, text: str, find_spans: Callable[[int, int], Sequence[Span]], occurrences: Sequence[Occurrence]
    ) -> None:
        self._text = text
        self._occurrences = occurrences
        # A reading that its evidence held in turn would keep all its hits until the next collection.
        self._find_spans = WeakMethod(find_spans)
        self._breaks: list[int] | None = None
        self._spans_by_stretch: dict[int, Sequence[Span]] = {}
        self._first = self._last = 0

    def supports(self, position: int, meaning: Meaning) -> bool:
        """Whether there is evidence for a name at ``position``. Quickest when asked from left to right."""
        if not self._first <= position < self._last:
            self._first, self._last = self._find_paragraph_bounds(position)
        distance = get_reach(meaning)
        first, last = max(self._first, position - distance), min(self._last, position + distance + 1)
        for start, _, found_meaning, _ in reversed(self._occurrences):
            if start < first:
                break
            if found_meaning.evidence and len(found_meaning.raw) > MAX_ACRONYM_CHARS:
                return True
        return self._is_within(position, first, last)

    def is_near(self, position: int) -> bool:
        """Whether evidence begins within :data:`NEAR` characters of ``position`` in its paragraph."""
        if not self._first <= position < self._last:
            self._first, self._last = self._find_paragraph_bounds(position)
        return self._is_within(
            position, max(self._first, position - NEAR), min(self._last, position + NEAR + 1)
        )

    def is_beside(self, start: int, end: int, reach: int) -> bool:
        """Whether other evidence begins within ``reach`` characters of ``[start:end]``."""
        first, last = max(0, start - reach), min(len(self._text), end + reach)
        return any(
            first <= span[0] < last and (span[1] <= start or span[0] >= end)
            for number in _stretches_near(start, first, last)
            for span in self._find_in_stretch(number)
        )

    def _is_within(self, position: int, first: int, last: int) -> bool:
        for number in _stretches_near(position, first, last):
            for span in self._find_in_stretch(number):
                if first <= span[0] < last and span[1] <= self._last:
                    return True
        return False

    def has_any(self) -> bool:
        """Whether the field holds any evidence."""
        return any(self._find_in_stretch(number) for number in range(-(-len(self._text) // _STRETCH)))

    def find_paragraph(self, position: int) -> int:
        """Return the number of the paragraph around ``position``."""
        return bisect_right(self._list_paragraph_ends(), position)

    def _find_paragraph_bounds(self, position: int) -> Span:
        """Return the start and end of the paragraph around ``position``."""
        breaks, paragraph = self._list_paragraph_ends(), self.find_paragraph(position)
        start = breaks[paragraph - 1] if paragraph else 0
        return start, breaks[paragraph] if paragraph < len(breaks) else len(self._text)

    def _find_in_stretch(self, number: int) -> Sequence[Span]:
        """Find the evidence that begins in a stretch of the text. No stretch is read twice."""
        spans = self._spans_by_stretch.get(number)
        if spans is None:
            find_spans = self._find_spans()
            if find_spans is None:
                raise ReferenceError("the evidence outlived its reading")
            spans = self._spans_by_stretch[number] = find_spans(number * _STRETCH, (number + 1) * _STRETCH)
        return spans

    def _list_paragraph_ends(self) -> list[int]:
        if self._breaks is None:
            self._breaks = [match.end() for match in _BLANK_LINE.finditer(self._text)]
        return self._breaks


def _stretches_near(position: int, first: int, last: int) -> Iterator[int]:
    """Generate the numbers of the stretches of ``[first:last]``, that of ``position`` first.

    Most evidence is close by.
    """
    center = position // _STRETCH
    yield center
    yield from range(center - 1, first // _STRETCH - 1, -1)
    yield from range(center + 1, -(-last // _STRETCH))
