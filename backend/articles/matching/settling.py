"""Which corrections may be made so that the corrected text needs none.

A correction can create what another rule reports: "Power Ledger" out of "Powerledger", or a name out of
its last character and the text behind it. So the corrected text is read again, and a correction that
takes part in something new is held back, until nothing is new. Since corrections only get fewer, this
ends. What is held back stays reported.

What is left is stable. Let F be all corrections and K those kept. Reading the text with K made gives
exactly F without K, or K would not have been kept; making these on top of K gives the text with F made,
of which all but K was held back, step by step. So a second run holds back all that it finds. The same
holds for the corrections that need no approval, chosen out of K.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from backend.articles.matching.article import ReadArticle
from backend.articles.matching.calm import is_calm, stays_calm
from backend.articles.matching.fixing import Fix

Fixes = Mapping[str, Sequence[Fix]]
"""Corrections by the path of their field."""

MOST_ROUNDS = 8
"""After so many readings all that is left is held back, or hostile texts would take squared time."""


def settle(read: ReadArticle) -> tuple[Fixes, Fixes]:
    """All corrections that can be made together, and those of them that need no approval."""
    every = {field.reading.path: field.fixes for field in read.fields if field.fixes}
    if not every:
        return {}, {}
    calm = is_calm(read, every)
    kept = every if calm else _stable(read, every)
    if all(fix.auto for fixes in kept.values() for fix in fixes):
        return kept, kept
    selected = {path: [fix for fix in fixes if fix.auto] for path, fixes in kept.items()}
    auto = {path: fixes for path, fixes in selected.items() if fixes}
    if calm and stays_calm(read, kept):
        return kept, auto
    return kept, auto if is_calm(read, auto) else _stable(read, auto)


def _stable(read: ReadArticle, fixes: Fixes) -> Fixes:
    """What is left of ``fixes`` when the corrected text was read again and again."""
    for _ in range(MOST_ROUNDS):
        blamed = _blamed(read, fixes)
        if not blamed:
            return fixes
        left = {path: [fix for fix in listed if (path, fix) not in blamed] for path, listed in fixes.items()}
        fixes = {path: listed for path, listed in left.items() if listed}
        if not fixes:
            break
    return {}


def _blamed(read: ReadArticle, fixes: Fixes) -> set[tuple[str, Fix]]:
    """Corrections that change what is found beside what they correct; none if the rest stays as it was."""
    again = ReadArticle(read.rules, read.corrected(fixes))
    actual = {field.reading.path: set(field.fixes) for field in again.fields}
    blamed: set[tuple[str, Fix]] = set()
    for field in read.fields:
        path = field.reading.path
        made = fixes.get(path, ())
        places = _Places(made)
        rest = set(field.fixes).difference(made)
        changed = {places.moved(fix) for fix in rest} ^ actual.get(path, set())
        for fix in changed:
            touching = [(path, other) for other in places.touching(fix)]
            if not touching:
                touching = [(path, other) for other in made] or [
                    (other, each) for other, listed in fixes.items() for each in listed
                ]
            blamed.update(touching)
            if len(blamed) >= sum(map(len, fixes.values())):
                return blamed
    return blamed


class _Places:
    """Where things are once corrections are made."""

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

    def touching(self, fix: Fix) -> Iterator[Fix]:
        """Which of those made overlap or adjoin ``fix``, whose place is in the corrected text."""
        for k in range(bisect_left(self._new_ends, fix.start), len(self._made)):
            if self._starts[k] + self._shifts[k] > fix.end:
                return
            yield self._made[k]
