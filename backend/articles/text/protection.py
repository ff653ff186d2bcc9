"""Finds text that is never corrected: code, markup, URLs, handles and hashtags.

The time is linear in the length of any text, even a hostile one: no search for an end is repeated from the
same state. Structure (code, comments, tags) is read once from left to right, so nothing inside one kind
starts another. If Markdown and HTML leave a case open, more is protected rather than less.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable
from itertools import accumulate

from backend.articles.text.code_lines import code_line_spans
from backend.articles.text.markup import Labels, find_link_targets, structure_spans
from backend.articles.text.protected_tokens import SIGN, token_spans

Span = tuple[int, int]

_RUN = re.compile(r"\S*+")
_WITHOUT_SIGNS = re.compile(r"[^\s:@＠#＃&/\\.=-]++(?=\s)")
"""A run without any character that a token needs, as most runs are."""
_NOTHING: list[Span] = []
JOINING = frozenset("/\\.@＠#＃:-_&=?%+~;'()!$*,^{|}`")
"""Characters that may join a name to a token beside it. Letters and digits do too."""


_ENDING = frozenset(".,:;!?)'")
"""Joining characters that join nothing if white space follows."""


class _Binding(dict[str, bool]):
    """Caches whether a character may join its neighbour to a token."""

    def __missing__(self, character: str) -> bool:
        found = character in JOINING or character.isalnum()
        if character <= "\uffff":
            self[character] = found
        return found


BINDS = _Binding()


def protected_spans(text: str) -> list[Span]:
    """List the spans of ``text`` in which no name is corrected: sorted, disjoint, in code points."""
    labels = Labels(text)
    spans = _markup_spans(text, labels, find_link_targets(text))
    return _merged([*spans, *labels.spans(), *token_spans(text)])


class Protection:
    """Answers for single spans whether they are protected, and reads only the tokens around these spans.

    A token contains no white space, so the run of characters around a span determines it. Each run is read at
    most once.
    """

    def __init__(
        self,
        text: str,
        labels: Labels | None = None,
        link_targets: Iterable[Span] | None = None,
        unprotected: Collection[Span] = (),
    ) -> None:
        """``labels`` and ``link_targets`` are those of ``text``, if they are known already.

        ``unprotected`` is markup inside names, which corrections keep and therefore may span.
        """
        # The added space gives every offset a next character, and the first one a previous one, at -1.
        self._text = text + " "
        self.labels = labels or Labels(text)
        spans = sorted(
            _markup_spans(
                text, self.labels, find_link_targets(text) if link_targets is None else link_targets
            )
        )
        if unprotected:
            spans = [span for span in spans if span not in unprotected]
        far = len(text) + 1
        self.starts = [start for start, _ in spans]
        """Starts of markup, and a sentinel after the text."""
        self.ends = list(accumulate([end for _, end in spans], max))
        """For each start, the furthest end of the markup that starts there or before."""
        self.bracket_spans = [*self.labels.bracket_spans, (far, far)]
        """Spans that may be labels, and the sentinel."""
        self.starts.append(far)
        self.ends.append(far)
        self._run: Span = (0, 0)
        self._tokens: list[Span] = []

    def is_markup(self, start: int, end: int) -> bool:
        """True if markup, code or a label overlaps ``[start:end]``."""
        k = bisect_left(self.starts, end)
        return (k > 0 and self.ends[k - 1] > start) or self.labels.touch(start, end)

    def token(self, start: int, end: int) -> int | None:
        """Return how far a token covers ``[start:end]`` from ``start`` on; None if no token overlaps it.

        Fastest if asked from left to right.
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
                # A token inside a name belongs to the name: Crypto.com is a company.
                if first < end and last > start and not start <= first <= last <= end:
                    return last if first <= start else start
            at = self._run[1] + 1
        return None

    def _read_run(self, at: int) -> None:
        """Read the tokens of the run around ``at``, with offsets in the whole text."""
        text = self._text
        start = at if text[at - 1].isspace() else _run_start(text, at)
        plain = _WITHOUT_SIGNS.match(text, start)
        if plain and plain.end() > at:
            self._run, self._tokens = plain.span(), _NOTHING
            return
        end = _RUN.match(text, at).end()  # type: ignore[union-attr]  # it also matches the empty text
        self._run = (start, max(end, at + 1))
        self._tokens = _NOTHING
        if SIGN.search(text, start, end):
            self._tokens = _merged([(a + start, b + start) for a, b in token_spans(text[start:end])])


def _markup_spans(text: str, labels: Labels, link_targets: Iterable[Span]) -> list[Span]:
    return [
        *structure_spans(text),
        *link_targets,
        *code_line_spans(text),
        *labels.definitions,
    ]


def _run_start(text: str, at: int) -> int:
    """Find the start of the run without white space that ends at ``at``."""
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
