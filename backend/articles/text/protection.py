"""Text that is never touched: code, markup, addresses, handles and hashtags.

Linear in the length of any text, hostile ones too: nothing looks for an end twice from the same state.
Structure (code, comments, tags) is read once from left to right, so that what lies inside one kind
begins no other. Where Markdown and HTML leave a case open, more is protected rather than less.
"""

import re
from bisect import bisect_left

from backend.articles.text.markup import label_spans, structure_spans, target_spans
from backend.articles.text.tokens import SIGN, token_spans

Span = tuple[int, int]

_SPACE = re.compile(r"\s")
JOINING = frozenset("/.@＠#＃:-_&=?%+~;'()!$*,^{|}`")
"""Characters beside a name that may bind it into a token. Letters and digits do too."""


class _Binding(dict[str, bool]):
    """Whether a character may bind what stands beside it into a token, found when first asked for."""

    def __missing__(self, character: str) -> bool:
        found = character in JOINING or character.isalnum()
        if character <= "\uffff":
            self[character] = found
        return found


_BINDS = _Binding()


def protected_spans(text: str) -> list[Span]:
    """The spans of ``text`` in which no name is touched: sorted, disjoint, in code points."""
    return _merged([*_markup_spans(text), *token_spans(text)])


class Protection:
    """The same for one place after another, without reading the tokens where no name stands.

    A token holds no white space, so that it is known from the run of characters around it. Each run
    is read at most once.
    """

    def __init__(self, text: str) -> None:
        # With a space more there is something behind every place, and at -1 before each.
        self._text = text + " "
        spans = _merged(_markup_spans(text))
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]
        self._run: Span = (0, 0)
        self._tokens: list[Span] = []

    def touches(self, start: int, end: int) -> bool:
        """Whether any of ``[start:end]`` is protected. Quickest when asked from left to right."""
        k = bisect_left(self._starts, end)
        if k and self._ends[k - 1] > start:
            return True
        text = self._text
        if not (_BINDS[text[start - 1]] or _BINDS[text[end]]):
            return False
        at = start
        while at < end:
            if not self._run[0] <= at < self._run[1]:
                self._read_run(at)
            if self._tokens and any(first < end and last > start for first, last in self._tokens):
                return True
            at = self._run[1] + 1
        return False

    def _read_run(self, at: int) -> None:
        """Tokens of the run around ``at``, in the places of the whole text."""
        text = self._text
        start = _run_start(text, at)
        found = _SPACE.search(text, at)
        end = found.start() if found else len(text)
        self._run = (start, max(end, at + 1))
        self._tokens = []
        if SIGN.search(text, start, end):
            self._tokens = _merged([(a + start, b + start) for a, b in token_spans(text[start:end])])


def _markup_spans(text: str) -> list[Span]:
    targets, defined = target_spans(text)
    return [*structure_spans(text), *targets, *label_spans(text, defined)]


def _run_start(text: str, at: int) -> int:
    """Where the characters begin that stand before ``at`` without white space."""
    width = 64
    while True:
        before = text[max(0, at - width) : at]
        words = before.rsplit(None, 1)
        if not words or before[-1].isspace():
            return at
        if len(words[-1]) < len(before) or width >= at:
            return at - len(words[-1])
        width *= 4


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
