"""Selects corrections after which the corrected text needs no further ones.

A correction can create what another rule reports: "Power Ledger" out of "Powerledger", or a name out of
its last character and the text behind it. So the corrected text is read again, and a correction that
takes part in something new is held back, until nothing is new. Since corrections only get fewer, this
ends. What is held back stays reported.

The selection is stable. Let F be all corrections and K those selected. Reading the text with K made gives
exactly F without K, or K would not have been selected; making these on top of K gives the text with F made,
of which all but K was held back, step by step. So a second run holds back all that it finds.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from backend.articles.matching import consistency_rule
from backend.articles.matching.fixes import Fix, FixOffsets
from backend.articles.matching.parsed_article import ParsedArticle, ParsedField

Fixes = Mapping[str, Sequence[Fix]]
"""Corrections by the path of their field."""

MAX_PRECISE_ROUNDS, MAX_ROUNDS = 5, 8
"""After so many readings whole paragraphs are held back, and then all that is left, or hostile texts would
take squared time."""


def find_fixpoint(article: ParsedArticle, fixes: Fixes) -> tuple[Fixes, ParsedArticle]:
    """Find the ``fixes`` that can be applied together, and parse the article with them applied."""
    for round_ in range(MAX_ROUNDS):
        if not fixes:
            break
        again = ParsedArticle(article.rules, article.corrected(fixes))
        conflicting = _find_conflicting_fixes(
            article, again, fixes, whole_paragraphs=round_ >= MAX_PRECISE_ROUNDS
        )
        if not conflicting:
            return fixes, again
        left = {
            path: [fix for fix in field_fixes if (path, fix) not in conflicting]
            for path, field_fixes in fixes.items()
        }
        fixes = {path: field_fixes for path, field_fixes in left.items() if field_fixes}
    return {}, article


def _find_conflicting_fixes(
    article: ParsedArticle, corrected: ParsedArticle, fixes: Fixes, *, whole_paragraphs: bool
) -> set[tuple[str, Fix]]:
    """Find the corrections that change what is found elsewhere; none if the rest stays as it was.

    ``corrected`` is the article as it reads with ``fixes`` made.

    These are the corrections that touch a changed place, else those of its paragraph (all of them if
    ``whole_paragraphs``), since evidence, capitals and former names reach no farther. Else they are those of
    its field, whose marks and first mentions may change it, or all, since they may change the language.
    """
    new = {field.matched_field.field_path: field for field in corrected.fields}
    conflicting: set[tuple[str, Fix]] = set()
    for field in article.fields:
        path = field.matched_field.field_path
        applied = fixes.get(path, ())
        offsets = FixOffsets(applied)
        rest = {offsets.shift_fix(fix) for fix in set(_skip_consistency(field.fixes)).difference(applied)}
        changed = rest ^ set(_skip_consistency(new[path].fixes) if path in new else ())
        if not changed:
            continue
        by_paragraph = _group_by_paragraph(field, applied)
        for fix in changed:
            touching = () if whole_paragraphs else offsets.list_touching(fix)
            if not touching and path in new:
                touching = by_paragraph.get(new[path].find_paragraph(fix.start), ())
            if touching or applied:
                conflicting.update((path, other_fix) for other_fix in touching or applied)
            else:
                return {
                    (other_path, other_fix)
                    for other_path, field_fixes in fixes.items()
                    for other_fix in field_fixes
                }
    return conflicting


def _skip_consistency(fixes: Iterable[Fix]) -> Iterator[Fix]:
    """Leave out corrections of minority forms: they are never made unasked, and others may change them."""
    return (fix for fix in fixes if fix.rule.id != consistency_rule.RULE_ID)


def _group_by_paragraph(field: ParsedField, applied: Sequence[Fix]) -> dict[int, tuple[Fix, ...]]:
    """No correction makes or unmakes a blank line, so that paragraphs keep their numbers."""
    return {
        number: tuple(paragraph_fixes)
        for number, paragraph_fixes in groupby(applied, key=lambda fix: field.find_paragraph(fix.start))
    }
