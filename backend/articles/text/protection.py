"""Text that is never touched: code, markup, addresses, handles and hashtags.

Linear in the length of any text, hostile ones too: nothing looks for an end twice from the same state.
Structure (code, comments, tags) is read once from left to right, so that what lies inside one kind
begins no other. Where Markdown and HTML leave a case open, more is protected rather than less.
"""

import re
from bisect import bisect_left

from backend.articles.text.markup import in_label, label_spans, may_hold_labels, structure_spans, target_spans
from backend.articles.text.tokens import token_spans

Span = tuple[int, int]

_SPACE = re.compile(r"\s")
JOINING = frozenset("/.@＠#＃:-_&=?%+~;'()!$*,^{|}`")
"""Characters beside a name that may bind it into a token. Letters and digits do too."""


def protected_spans(text: str) -> list[Span]:
    """The spans of ``text`` in which no name is touched: sorted, disjoint, in code points."""
    targets, defined = target_spans(text)
    return _merged([*structure_spans(text), *targets, *label_spans(text, defined), *token_spans(text)])


class Protection:
    """The same for one place after another, without reading the tokens where no name stands.

    A token holds no white space, so that it is known from the run of characters around it. Each run
    is read at most once.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        targets, self._defined = target_spans(text)
        self._labels = may_hold_labels(text, self._defined)
        spans = _merged([*structure_spans(text), *targets])
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]
        self._run: Span = (0, 0)
        self._tokens: list[Span] = []

    def touches(self, start: int, end: int) -> bool:
        """Whether any of ``[start:end]`` is protected. Quickest when asked from left to right."""
        k = bisect_left(self._starts, end)
        if k and self._ends[k - 1] > start:
            return True
        if self._labels and in_label(self._text, start, end, self._defined):
            return True
        before = self._text[start - 1] if start else " "
        after = self._text[end] if end < len(self._text) else " "
        if not (_binds(before) or _binds(after)):
            return False
        return self._token_touches(start, end)

    def _token_touches(self, start: int, end: int) -> bool:
        at = start
        while at < end:
            if not self._run[0] <= at < self._run[1]:
                self._read_run(at)
            if any(first < end and last > start for first, last in self._tokens):
                return True
            at = self._run[1] + 1
        return False

    def _read_run(self, at: int) -> None:
        """Tokens of the run around ``at``, in the places of the whole text."""
        text = self._text
        start = at
        while start and not text[start - 1].isspace():
            start -= 1
        found = _SPACE.search(text, at)
        end = found.start() if found else len(text)
        self._run = (start, max(end, at + 1))
        self._tokens = _merged([(a + start, b + start) for a, b in token_spans(text[start:end])])


def _binds(character: str) -> bool:
    return character in JOINING or character.isalnum()


def _merged(spans: list[Span]) -> list[Span]:
    if len(spans) < 2:
        return spans
    spans.sort()
    merged = [spans[0]]
    for start, end in spans:
        if start > merged[-1][1]:
            merged.append((start, end))
        elif end > merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
    return merged
