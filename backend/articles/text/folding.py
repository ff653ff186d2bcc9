"""Folds case, width and composition of a text, with an exact mapping back to its offsets.

A folded text is in lower case. Full-width letters and digits become narrow, half-width katakana wide,
combining marks composed, ligatures separate letters, and special spaces, hyphens and apostrophes ASCII.
Full-width punctuation stays. Most characters fold one to one. Where a length changes, the mapping is
piecewise linear and rejects offsets inside a composition or an expansion.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right

SINGLE = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff65-\uff9d\ufb00-\ufb06"
MARK = "\u0300-\u036f\u3099\u309a\uff9e\uff9f"
MAX_MARKS_PER_BASE = 16
"""A base with more marks cannot be part of a name. Sorting marks canonically takes quadratic time."""

HALF_WIDTH_KATAKANA = re.compile("[\uff65-\uff9f]")

_SINGLE = re.compile(f"[{SINGLE}]")
_MARK = re.compile(f"[{MARK}]")
_RUN = re.compile(f"[{SINGLE}{MARK}]+")
_LENGTH_CHANGING = re.compile(f"[{MARK}\ufb00-\ufb06]")
_CLUSTER = re.compile(f"[^{MARK}]?[{MARK}]*", re.DOTALL)
_ASCII = bytes(range(128))
_SOUND_MARKS = str.maketrans("\uff9e\uff9f", "\u3099\u309a")
_PLAIN = (
    ("\u2019", "'"),
    ("\u3000", " "),
    ("\u00a0", " "),
    ("\u2009", " "),
    ("\u202f", " "),
    ("\u2010", "-"),
    ("\u2011", "-"),
)
_SMALL = {"\u0130": "i", "ς": "σ"}
"""``İ`` is the only character whose lower case has another length. ``lower()`` maps Σ to ``ς`` or ``σ`` by
its context, so both become ``σ``."""
_REPLACEMENTS = _SMALL | dict(_PLAIN)
"""Replacements of single characters that ``lower()`` does not give."""
_NOT_NORMALISED = re.compile(f"[{SINGLE}{MARK}{''.join(special for special, _ in _PLAIN)}]")
MAX_SINGLE_REPLACEMENTS = 16
"""Up to this number of distinct characters, replacing one by one is faster than scanning the text."""
_OTHER_THAN_COMMON = re.compile(
    "[^\u2013-\u2018\u201c-\u2026\u3001-\u3098\u309b-\u30ff\u3400-\u9fff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40]"
)
"""Characters beyond ASCII other than the common ones that folding leaves unchanged."""


class Folded:
    """A folded text with a mapping of its offsets to the original."""

    __slots__ = ("_encoded", "_ends", "_source_ends", "_starts", "identity", "text")

    def __init__(self, text: str, pieces: list[tuple[int, int, int]], encoded: bytes | None = None) -> None:
        self.text = text
        self._encoded = encoded
        self.identity = not pieces
        if not pieces:
            return
        # For each piece that must not be split: start and end in the folded text, end in the original.
        self._starts = [piece[0] for piece in pieces]
        self._ends = [piece[1] for piece in pieces]
        self._source_ends = [piece[2] for piece in pieces]

    def encoded(self) -> bytes:
        """Return the folded text in UTF-8."""
        return encoded(self.text) if self._encoded is None else self._encoded

    def to_original(self, start: int, end: int) -> tuple[int, int] | None:
        """Map ``[start:end]`` of the folded text to the original; None if a bound splits a piece."""
        if self.identity:
            return start, end
        first, last = self._to_original(start), self._to_original(end)
        return None if first is None or last is None else (first, last)

    def from_original(self, at: int) -> int:
        """Map ``at`` in the original to the folded text, or to the start of the piece that contains it."""
        if self.identity:
            return at
        k = bisect_right(self._source_ends, at)
        if k:
            at += self._ends[k - 1] - self._source_ends[k - 1]
        return min(at, self._starts[k]) if k < len(self._starts) else at

    def _to_original(self, at: int) -> int | None:
        k = bisect_left(self._starts, at) - 1
        if k < 0:
            return at
        return None if at < self._ends[k] else self._source_ends[k] + at - self._ends[k]


def fold(text: str) -> Folded:
    """Fold ``text`` for the matcher. Folding a folded text changes nothing."""
    if text.isascii():
        return Folded(text.lower(), [])
    low = encoded(text)
    others = "".join(set(_OTHER_THAN_COMMON.findall(_beyond_ascii(low))))
    if len(others) > MAX_SINGLE_REPLACEMENTS:
        text = text.replace("\u0130", "I").lower().replace("ς", "σ")
        return _normalise(text, text)
    # bytes.lower() changes only ASCII and is much faster than str.lower().
    low = low.lower()
    changes_length = _LENGTH_CHANGING.search(others)
    for character in others:
        small = _REPLACEMENTS.get(character) or character.lower()
        if not changes_length and _SINGLE.match(small):
            small = unicodedata.normalize("NFKC", small)
        if small != character:
            low = low.replace(encoded(character), encoded(small))
    text = low.decode("utf-8", "surrogatepass")
    return _normalise(text, others.lower()) if changes_length else Folded(text, [], low)


def encoded(text: str) -> bytes:
    """Encode ``text`` in UTF-8, including lone surrogates, which the default encoding rejects."""
    return text.encode("utf-8", "surrogatepass")


def plain(text: str) -> str:
    """Normalise the width and composition of ``text`` and keep its case, to compare exact forms."""
    return text if text.isascii() else _normalise(text, text).text


def _beyond_ascii(encoded: bytes) -> str:
    return encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")


def _normalise(text: str, others: str) -> Folded:
    """Normalise ``text``. ``others`` contains all its characters beyond ASCII except the common ones."""
    if _NOT_NORMALISED.search(others) is None:
        return Folded(text, [])
    for special, ordinary in _PLAIN:
        if special in others:
            text = text.replace(special, ordinary)
    run = _RUN.search(text) if _RUN.search(others) else None
    if run is None:
        return Folded(text, [])
    parts: list[str] = []
    pieces: list[tuple[int, int, int]] = []
    done = folded = 0
    while run is not None:
        start, end = run.span()
        if _LENGTH_CHANGING.search(text, start, end):
            if _MARK.match(text, start):
                start = max(done, start - 1)  # the character that the mark belongs to
            parts.append(text[done:start])
            folded += start - done
            folded = _clusters(text, start, end, folded, parts, pieces)
        else:
            parts += text[done:start], unicodedata.normalize("NFKC", text[start:end])
            folded += end - done
        done = end
        run = _RUN.search(text, end)
    parts.append(text[done:])
    return Folded("".join(parts), pieces)


def _clusters(
    text: str, start: int, end: int, folded: int, parts: list[str], pieces: list[tuple[int, int, int]]
) -> int:
    """Fold ``text[start:end]`` base by base; return the new length of the folded text."""
    for cluster in _CLUSTER.finditer(text, start, end):
        source = cluster.group()
        if not source:
            continue
        piece = _piece(source)
        parts.append(piece)
        if len(source) > 1 or len(piece) > 1:
            pieces.append((folded, folded + len(piece), cluster.end()))
        folded += len(piece)
    return folded


def _piece(cluster: str) -> str:
    if len(cluster) > MAX_MARKS_PER_BASE:
        return cluster
    if _SINGLE.match(cluster):
        composed = unicodedata.normalize("NFKC", cluster)
    else:
        composed = unicodedata.normalize("NFC", cluster.translate(_SOUND_MARKS))
    return composed.replace("i\u0307", "i")
