"""Finds where a name may be capitalised differently: lines in capitals, titles, starts of sentences."""

import re

from backend.articles.model import FieldName
from backend.articles.text.scripts import has_han_or_kana

_LOWER_CASE = re.compile("[a-z\u00df-\u00f6\u00f8-\u00ff\uff41-\uff5a]")
_BEFORE_SENTENCE = " \t\u3000\"'“”‘’«»「『（([*_>#+-•–—"
_SENTENCE_ENDS = ".!?…:。！？："
MAX_LOOKBACK_CHARS = 40
"""How far back to search for the end of the previous sentence."""


_NEXT_SENTENCE = re.compile(
    r"[\"'”’)\]]*+(?:\s*+\Z|[ \t\r]*+\n[ \t\r]*+\n|\s++[\"'“‘(\[]*+"
    r"(?!(?:President|Chair|Class|Chief|Founder|Director)\b)[A-Z][a-z]*+\b(?<![A-Z]{2}))"
)


def ends_sentence(text: str, end: int) -> bool:
    """True if a full stop before ``end`` also ends its sentence, and is not only that of "Inc."."""
    return text[end - 1] == "." and _NEXT_SENTENCE.match(text, end) is not None


class Lines:
    """Examines the lines of one field of an article. Ask from left to right: then each line is read once."""

    def __init__(self, text: str, field: FieldName) -> None:
        self._text = text
        self._is_title = field == "title"
        self._start = self._end = -1
        self._capitals: bool | None = None

    def in_capitals(self, at: int) -> bool:
        """True if the line around ``at`` is in capitals: no lower-case Latin letter, no kana and no Han.

        Kana and Han have no capitals, so a line with them does not explain a Latin name in capitals.
        """
        self._go_to_line(at)
        if self._capitals is None:
            self._capitals = _LOWER_CASE.search(
                self._text, self._start, self._end
            ) is None and not has_han_or_kana(self._text, self._start, self._end)
        return self._capitals

    def opens_sentence(self, at: int) -> bool:
        """True if a title, a heading or the start of a sentence can explain a capital at ``at``."""
        self._go_to_line(at)
        if self._is_title or self._text.startswith("#", self._start):
            return True
        before = self._text[max(self._start, at - MAX_LOOKBACK_CHARS) : at].rstrip(_BEFORE_SENTENCE)
        return before[-1] in _SENTENCE_ENDS if before else at - self._start < MAX_LOOKBACK_CHARS

    def _go_to_line(self, at: int) -> None:
        if not self._start <= at <= self._end:
            self._start = self._text.rfind("\n", 0, at) + 1
            end = self._text.find("\n", at)
            self._end = end if end >= 0 else len(self._text)
            self._capitals = None
