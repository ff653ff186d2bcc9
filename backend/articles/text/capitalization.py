"""Finds where a name can be capitalised differently: lines in capitals, titles, starts of sentences."""

import re

from backend.articles.model import FieldName

_SMALL = re.compile("[a-z\u00df-\u00f6\u00f8-\u00ff\uff41-\uff5a]")
_BEFORE_SENTENCE = " \t\u3000\"'“”‘’«»「『（([*_>#+-•–—"
_SENTENCE_ENDS = ".!?…:。！？："
FARTHEST = 40
"""How far back the end of the sentence before is looked for."""


class Lines:
    """Answers about the lines of one field. Each line is looked at once when asked from left to right."""

    def __init__(self, text: str, field: FieldName) -> None:
        self._text = text
        self._is_title = field == "title"
        self._start = self._end = -1
        self._capitals: bool | None = None

    def in_capitals(self, at: int) -> bool:
        """Whether the line around ``at`` holds no small Latin letter."""
        self._enter(at)
        if self._capitals is None:
            self._capitals = _SMALL.search(self._text, self._start, self._end) is None
        return self._capitals

    def opens_sentence(self, at: int) -> bool:
        """Whether a capital at ``at`` may be owed to a title, a heading or the start of a sentence."""
        self._enter(at)
        if self._is_title or self._text.startswith("#", self._start):
            return True
        before = self._text[max(self._start, at - FARTHEST) : at].rstrip(_BEFORE_SENTENCE)
        return before[-1] in _SENTENCE_ENDS if before else at - self._start < FARTHEST

    def _enter(self, at: int) -> None:
        if not self._start <= at <= self._end:
            self._start = self._text.rfind("\n", 0, at) + 1
            end = self._text.find("\n", at)
            self._end = end if end >= 0 else len(self._text)
            self._capitals = None
