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

from collections.abc import Mapping, Sequence
from itertools import groupby

from backend.articles.matching.article import ReadArticle, ReadField
from backend.articles.matching.calm import is_calm, stays_calm
from backend.articles.matching.fixing import Fix, Places

Fixes = Mapping[str, Sequence[Fix]]
"""Corrections by the path of their field."""

NARROW_ROUNDS, MOST_ROUNDS = 5, 8
"""After so many readings whole paragraphs are held back, and then all that is left, or hostile texts would
take squared time."""


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
    for round_ in range(MOST_ROUNDS):
        blamed = _blamed(read, fixes, widely=round_ >= NARROW_ROUNDS)
        if not blamed:
            return fixes
        left = {path: [fix for fix in listed if (path, fix) not in blamed] for path, listed in fixes.items()}
        fixes = {path: listed for path, listed in left.items() if listed}
        if not fixes:
            break
    return {}


def _blamed(read: ReadArticle, fixes: Fixes, *, widely: bool = False) -> set[tuple[str, Fix]]:
    """Corrections that change what is found beside what they correct; none if the rest stays as it was.

    Those that touch what is changed, else those of its paragraph (all of them if ``widely``), since evidence,
    capitals and former names reach no farther; else those of its field, by whose marks and first mentions
    it may be changed; else all, by which the language is told.
    """
    again = ReadArticle(read.rules, read.corrected(fixes))
    new = {field.reading.path: field for field in again.fields}
    blamed: set[tuple[str, Fix]] = set()
    for field in read.fields:
        path = field.reading.path
        made = fixes.get(path, ())
        places = Places(made)
        rest = {places.moved(fix) for fix in set(field.fixes).difference(made)}
        changed = rest ^ set(new[path].fixes if path in new else ())
        if not changed:
            continue
        by_paragraph = _by_paragraph(field, made)
        for fix in changed:
            touching = () if widely else places.touching(fix)
            if not touching and path in new:
                touching = by_paragraph.get(new[path].reading.evidence.paragraph(fix.start), ())
            if touching or made:
                blamed.update((path, each) for each in touching or made)
            else:
                return {(other, each) for other, listed in fixes.items() for each in listed}
    return blamed


def _by_paragraph(field: ReadField, made: Sequence[Fix]) -> dict[int, tuple[Fix, ...]]:
    """No correction makes or unmakes a blank line, so that paragraphs keep their numbers."""
    paragraph = field.reading.evidence.paragraph
    return {number: tuple(own) for number, own in groupby(made, key=lambda fix: paragraph(fix.start))}
