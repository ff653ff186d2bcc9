"""Defines corrections of one text, and applies them."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from backend.articles.matching.meanings import CompiledRule


class Fix(NamedTuple):
    """What should stand at ``[start:end]`` of a field, by which rule, and whether nobody needs to look."""

    start: int
    end: int
    text: str
    rule: CompiledRule
    auto: bool


def apply_fixes(text: str, fixes: Sequence[Fix]) -> str:
    """Apply ``fixes``, which are sorted and disjoint, to ``text``."""
    parts: list[str] = []
    position = 0
    for fix in fixes:
        parts.append(text[position : fix.start])
        parts.append(fix.text)
        position = fix.end
    parts.append(text[position:])
    return "".join(parts)


class FixOffsets:
    """Maps positions to the text with the ``applied`` fixes, which are sorted and disjoint."""

    def __init__(self, applied: Sequence[Fix]) -> None:
        self._applied = applied
        growth = [len(fix.text) - (fix.end - fix.start) for fix in applied]
        self._shifts = list(accumulate(growth, initial=0))
        self._starts = [fix.start for fix in applied]
        self._new_ends = [fix.end + self._shifts[index + 1] for index, fix in enumerate(applied)]

    def shift_fix(self, fix: Fix) -> Fix:
        """Return a fix that was not applied, at its position in the corrected text."""
        shift = self._shifts[bisect_left(self._starts, fix.start)]
        return Fix(fix.start + shift, fix.end + shift, fix.text, fix.rule, fix.auto)

    def list_touching(self, fix: Fix) -> Sequence[Fix]:
        """List the applied fixes that overlap or adjoin ``fix``, whose position is in the corrected text."""
        first = last = bisect_left(self._new_ends, fix.start)
        while last < len(self._applied) and self._starts[last] + self._shifts[last] <= fix.end:
            last += 1
        return self._applied[first:last]
