"""Selects corrections after which the corrected text needs no further ones.

A correction can create what another rule reports: "Power Ledger" out of "Powerledger", or a name out of
its last character and the text behind it. So the corrected text is read again, and a correction that
takes part in something new is held back, until nothing is new. Since corrections only get fewer, this
ends. What is held back stays reported.

The selection is stable. Let F be all corrections and K those selected. Reading the text with K made gives
exactly F without K, or K would not have been selected; making these on top of K gives the text with F made,
of which all but K was held back, step by step. So a second run holds back all that it finds.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from backend.articles.matching.fixes import Fix, Places
from backend.articles.matching.parsed_article import ParsedArticle, ParsedField

Fixes = Mapping[str, Sequence[Fix]]
"""Corrections by the path of their field."""

MAX_PRECISE_ROUNDS, MAX_ROUNDS = 5, 8
"""After so many readings whole paragraphs are held back, and then all that is left, or hostile texts would
take squared time."""


def find_fixpoint(read: ParsedArticle, fixes: Fixes) -> tuple[Fixes, ParsedArticle]:
    """Those of ``fixes`` that can be made together, and the article as it reads with them made."""
    for round_ in range(MAX_ROUNDS):
        if not fixes:
            break
        again = ParsedArticle(read.rules, read.corrected(fixes))
        blamed = _blamed(read, again, fixes, widely=round_ >= MAX_PRECISE_ROUNDS)
        if not blamed:
            return fixes, again
        left = {path: [fix for fix in listed if (path, fix) not in blamed] for path, listed in fixes.items()}
        fixes = {path: listed for path, listed in left.items() if listed}
    return {}, read


def _blamed(read: ParsedArticle, again: ParsedArticle, fixes: Fixes, *, widely: bool) -> set[tuple[str, Fix]]:
    """Corrections that change what is found beside what they correct; none if the rest stays as it was.

    ``again`` is the article as it reads with ``fixes`` made.

    Those that touch what is changed, else those of its paragraph (all of them if ``widely``), since evidence,
    capitals and former names reach no farther; else those of its field, by whose marks and first mentions
    it may be changed; else all, by which the language is told.
    """
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


def _by_paragraph(field: ParsedField, made: Sequence[Fix]) -> dict[int, tuple[Fix, ...]]:
    """No correction makes or unmakes a blank line, so that paragraphs keep their numbers."""
    paragraph = field.reading.evidence.paragraph
    return {number: tuple(own) for number, own in groupby(made, key=lambda fix: paragraph(fix.start))}
