"""Finds text that is never corrected: code, markup, URLs, handles and hashtags.

Linear in the length of any text, hostile ones too: nothing looks for an end twice from the same state.
Structure (code, comments, tags) is read once from left to right, so that what lies inside one kind
begins no other. Where Markdown and HTML leave a case open, more is protected rather than less.
"""

import re
from bisect import bisect_left
from itertools import accumulate

from backend.articles.text.markup import Labels, structure_spans, target_spans
from backend.articles.text.protected_tokens import SIGN, token_spans

Span = tuple[int, int]

_RUN = re.compile(r"\S*+")
_WITHOUT_SIGNS = re.compile(r"[^\s:@＠#＃&/\\.]++(?=\s)")
"""Most runs: none of the signs by which tokens are known stands in them."""
_NOTHING: list[Span] = []
JOINING = frozenset("/\\.@＠#＃:-_&=?%+~;'()!$*,^{|}`")
"""Characters beside a name that may bind it into a token. Letters and digits do too."""


_ENDING = frozenset(".,:;!?)'")
"""Those that bind nothing where white space follows them."""


class _Binding(dict[str, bool]):
    """Whether a character may bind what stands beside it into a token, found when first asked for."""

    def __missing__(self, character: str) -> bool:
        found = character in JOINING or character.isalnum()
        if character <= "\uffff":
            self[character] = found
        return found


BINDS = _Binding()


def protected_spans(text: str) -> list[Span]:
    """The spans of ``text`` in which no name is touched: sorted, disjoint, in code points."""
    labels = Labels(text)
    return _merged([*_markup_spans(text, labels), *labels.spans(), *token_spans(text)])


class Protection:
    """The same for one place after another, without reading the tokens where no name stands.

    A token holds no white space, so that it is known from the run of characters around it. Each run
    is read at most once.
    """

    def __init__(self, text: str) -> None:
        # With a space more there is something behind every place, and at -1 before each.
        self._text = text + " "
        self.labels = Labels(text)
        spans = sorted(_markup_spans(text, self.labels))
        far = len(text) + 1
        self.starts = [start for start, _ in spans]
        """Where markup begins, and a place behind the text."""
        self.ends = list(accumulate([end for _, end in spans], max))
        """How far it goes from each place where it begins or from one before."""
        self.brackets = [*self.labels.brackets, (far, far)]
        """What may be labels, and the same place."""
        self.starts.append(far)
        self.ends.append(far)
        self._run: Span = (0, 0)
        self._tokens: list[Span] = []

    def is_markup(self, start: int, end: int) -> bool:
        """Whether markup, code or a label holds any of ``[start:end]``."""
        k = bisect_left(self.starts, end)
        return (k > 0 and self.ends[k - 1] > start) or self.labels.touch(start, end)

    def token(self, start: int, end: int) -> int | None:
        """None where no token holds any of ``[start:end]``; else up to where it does from ``start`` on.

        Quickest when asked from left to right.
        """
        text = self._text
        if not BINDS[text[start - 1]]:
            after = text[end]
            if not BINDS[after] or (after in _ENDING and text[end + 1].isspace()):
                return None
        at = start
        while at < end:
            if not self._run[0] <= at < self._run[1]:
                self._read_run(at)
            for first, last in self._tokens:
                # A token within a name is part of it: Crypto.com is the name of a firm.
                if first < end and last > start and not start <= first <= last <= end:
                    return last if first <= start else start
            at = self._run[1] + 1
        return None

    def _read_run(self, at: int) -> None:
        """Tokens of the run around ``at``, in the places of the whole text."""
        text = self._text
        start = at if text[at - 1].isspace() else _run_start(text, at)
        plain = _WITHOUT_SIGNS.match(text, start)
        if plain and plain.end() > at:
            self._run, self._tokens = plain.span(), _NOTHING
            return
        end = _RUN.match(text, at).end()  # type: ignore[union-attr]  # which matches nothing too
        self._run = (start, max(end, at + 1))
        self._tokens = _NOTHING
        if SIGN.search(text, start, end):
            self._tokens = _merged([(a + start, b + start) for a, b in token_spans(text[start:end])])


def _markup_spans(text: str, labels: Labels) -> list[Span]:
    return [*structure_spans(text), *target_spans(text), *labels.definitions]


def _run_start(text: str, at: int) -> int:
    """Where the characters begin that stand before ``at`` without white space."""
    if text[at - 1].isspace() or not at:
        return at
    width = 64
    while True:
        before = text[at - width if at > width else 0 : at]
        last = len(before.rsplit(None, 1)[-1])
        if last < len(before) or width >= at:
            return at - last
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
