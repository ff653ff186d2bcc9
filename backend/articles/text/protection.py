"""Text that is never touched: code, markup, addresses, handles and hashtags.

Linear in the length of any text, hostile ones too: nothing looks for an end twice from the same state.
Structure (code, comments, tags) is read once from left to right, so that what lies inside one kind
begins no other. Where Markdown and HTML leave a case open, more is protected rather than less.
"""

import re
from bisect import bisect_left

from backend.articles.text.folding import Folded
from backend.articles.text.markup import Labels, structure_spans, target_spans
from backend.articles.text.tokens import SIGN, token_spans

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


_BINDS = _Binding()


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
        self._labels = Labels(text)
        spans = _merged(_markup_spans(text, self._labels))
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]
        self._run: Span = (0, 0)
        self._tokens: list[Span] = []

    def blanked(self, folded: Folded) -> str:
        """The folded text with markup blanked out, but for its first and last characters: these are beside
        what is none."""
        text, place = folded.text, folded.place
        parts: list[str] = []
        done = 0
        for start, end in zip(self._starts, self._ends, strict=True):
            first, last = place(start) + 1, place(end) - 1
            if first < last:
                parts += text[done:first], "\0" * (last - first)
                done = last
        parts.append(text[done:])
        return "".join(parts)

    def touches(self, start: int, end: int) -> bool:
        """Whether any of ``[start:end]`` is protected."""
        return self.until(start, end) is not None

    def until(self, start: int, end: int) -> int | None:
        """None where nothing of ``[start:end]`` is protected; else up to where all is from ``start`` on.

        Quickest when asked from left to right.
        """
        k = bisect_left(self._starts, end)
        if k and self._ends[k - 1] > start:
            return self._ends[k - 1] if self._starts[k - 1] <= start else start
        text = self._text
        label = self._labels.around(start, end)
        if label:
            return label[1] if label[0] <= start else start
        if not _BINDS[text[start - 1]]:
            after = text[end]
            if not _BINDS[after] or (after in _ENDING and text[end + 1].isspace()):
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
