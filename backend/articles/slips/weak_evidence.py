"""Rates how much a slip loses that stands near no evidence of the field.

Other names, words of finance or an act beside the slip make up for most of it.
"""

from typing import TYPE_CHECKING

from backend.articles.matching.name_cues import (
    CUE_WINDOW_CHARS,
    STRONG_POINTS,
    has_finance_word,
    score_name_cues,
)
from backend.articles.slips.targets import Name

if TYPE_CHECKING:
    from backend.articles.matching.matched_field import MatchedField

WEAK_EVIDENCE, NO_EVIDENCE, NO_EVIDENCE_IF_LONG = 0.06, 0.22, 0.12
"""What a slip loses: if its surroundings speak of finance, if they do not, and if the name is so long that
nothing else is likely."""
LONG_LATIN, LONG_KATAKANA, LONG_HAN = 9, 6, 5
_STRETCH = 128
"""Characters that are looked through at once, with as many around them."""


class WeakEvidence:
    """The weak evidence of one field. No stretch is read twice."""

    def __init__(self, matched_field: "MatchedField") -> None:
        self._matched_field = matched_field
        self._has_evidence_by_stretch: dict[int, bool] = {}

    def compute_penalty(self, start: int, end: int, name: Name) -> float:
        """Compute how much confidence a slip for ``name`` at ``[start:end]`` of the field loses."""
        if self._has_evidence_around(start // _STRETCH):
            return WEAK_EVIDENCE
        text = self._matched_field.visible_text
        before, after = text[max(0, start - CUE_WINDOW_CHARS) : start], text[end : end + CUE_WINDOW_CHARS]
        if score_name_cues(before, name.text, after, name.type) >= STRONG_POINTS:
            return WEAK_EVIDENCE
        limit = LONG_LATIN if name.is_latin else LONG_KATAKANA if name.is_katakana else LONG_HAN
        letters = sum(map(str.isalnum, name.folded))
        return NO_EVIDENCE_IF_LONG if letters >= limit else NO_EVIDENCE

    def _has_evidence_around(self, stretch: int) -> bool:
        has_evidence = self._has_evidence_by_stretch.get(stretch)
        if has_evidence is None:
            text = self._matched_field.visible_text
            first, last = max(0, (stretch - 1) * _STRETCH), min(len(text), (stretch + 2) * _STRETCH)
            has_evidence = has_finance_word(text[first:last]) or bool(
                self._matched_field.find_names(first, last)
            )
            self._has_evidence_by_stretch[stretch] = has_evidence
        return has_evidence
