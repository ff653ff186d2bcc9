"""Corrections of one text: what they are, and the text with them made."""

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


def fixed(text: str, fixes: Sequence[Fix]) -> str:
    """``text`` with ``fixes`` made, which are sorted and disjoint."""
    parts: list[str] = []
    done = 0
    for fix in fixes:
        parts.append(text[done : fix.start])
        parts.append(fix.text)
        done = fix.end
    parts.append(text[done:])
    return "".join(parts)


class Places:
    """Where things are once ``made``, which are sorted and disjoint, are made."""

    def __init__(self, made: Sequence[Fix]) -> None:
        self._made = made
        growth = [len(fix.text) - (fix.end - fix.start) for fix in made]
        self._shifts = list(accumulate(growth, initial=0))
        self._starts = [fix.start for fix in made]
        self._new_ends = [fix.end + self._shifts[k + 1] for k, fix in enumerate(made)]

    def moved(self, fix: Fix) -> Fix:
        """A correction that was not made, in the places of the corrected text."""
        shift = self._shifts[bisect_left(self._starts, fix.start)]
        return Fix(fix.start + shift, fix.end + shift, fix.text, fix.rule, fix.auto)

    def touching(self, fix: Fix) -> Sequence[Fix]:
        """Which of those made overlap or adjoin ``fix``, whose place is in the corrected text."""
        first = last = bisect_left(self._new_ends, fix.start)
        while last < len(self._made) and self._starts[last] + self._shifts[last] <= fix.end:
            last += 1
        return self._made[first:last]
