"""What a text is indexed and searched by: stemmed words, figures, and pairs of CJK characters.

Both databases hold the same terms, so that they find the same documents. No tokeniser of theirs is used:
SQLite's trigrams cannot find a word of two characters, and PostgreSQL's parser depends on the locale.
Pure, and linear in the length of a text.
"""

import re
import sys
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

VERSION = 1
"""Of these rules. Documents whose terms another version made are indexed anew: a term must be cut alike
in a document and in a query."""
MOST_BYTES = 400_000
"""Of the terms of one document; what comes behind is not searched. A tsvector holds 1 MiB."""
LONGEST_WORD = 24
"""Characters of a word that count: enough to tell addresses and digests apart."""
MOST_OF_ONE = 255
"""Times that a term is counted in a document; far beyond where BM25 stops to grow."""

_PIECE = 1_000
_HIRAGANA = "\u3041-\u3096\u309d-\u309f"
_CJK = (
    f"\u3005-\u3007{_HIRAGANA}\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_TERM = re.compile(
    rf"([{_CJK}]+)"
    r"|([0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|(?<![0-9.])[0-9]+\.[0-9]+(?!\.?[0-9]))"
    rf"|([^\W_{_CJK}]+)"
)
_HIRAGANA_ONLY = re.compile(f"[{_HIRAGANA}]+")
_VOWEL = re.compile("[aeiouy]")


def fold(text: str) -> str:
    """``text`` in lower case and in the plain width and composition of its characters (NFKC)."""
    if text.isascii():
        return text.lower()
    # Putting marks in canonical order takes squared time in the length of their run, hence by pieces.
    pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
    return "".join(unicodedata.normalize("NFKC", piece) for piece in pieces).lower()


def stem(word: str) -> str:
    """An English word without its plural, past or progressive ending: halvings, halved, halve → halv."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and _VOWEL.search(rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return (rest[:-1] if doubled else rest).removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word


def terms(text: str) -> Iterator[str]:
    """The terms of ``text`` in order of appearance; each is of letters and digits, and at most one dot."""
    for cjk, number, word in _TERM.findall(fold(text)):
        if word:
            yield stem(word[:LONGEST_WORD])
        elif number:
            yield number.replace(",", "")[:LONGEST_WORD]
        elif len(cjk) == 1:
            yield cjk
        else:
            for at in range(len(cjk) - 1):
                yield cjk[at : at + 2]


def document_terms(*texts: str) -> list[str]:
    """The terms by which a document of ``texts`` is found, of at most :data:`MOST_BYTES` bytes."""
    found: list[str] = []
    room = MOST_BYTES
    for text in texts:
        # A term takes a character at the least, so that no longer text is ever read.
        for term in terms(text[: room * 2]):
            room -= len(term.encode()) + 1
            if room < 0:
                return found
            found.append(term)
    return found


def query_terms(texts: Iterable[str]) -> list[str]:
    """The different terms that ``texts`` ask for, in order of appearance.

    Pairs of hiragana alone are nearly always grammar, and are left out where anything else remains.
    """
    found = list(dict.fromkeys(term for text in texts for term in terms(text)))
    return [term for term in found if not _HIRAGANA_ONLY.fullmatch(term)] or found


def pack_counts(found: Sequence[str]) -> bytes:
    """How often each term occurs, to be read by :class:`Counts`: ascending 32-bit digests of the terms in
    little endian order, then one byte for each with its count, at most :data:`MOST_OF_ONE`."""
    counts: Counter[int] = Counter()
    for term, times in Counter(found).items():
        counts[digest(term)] += times
    order = sorted(counts)
    digests = array("I", order)
    if sys.byteorder == "big":
        digests.byteswap()
    return digests.tobytes() + bytes(min(counts[key], MOST_OF_ONE) for key in order)


class Counts:
    """Reads what :func:`pack_counts` wrote, without unpacking it."""

    __slots__ = ("_digests", "_times")

    def __init__(self, packed: bytes) -> None:
        terms_held = len(packed) // 5
        self._digests = array("I", packed[: terms_held * 4])
        if sys.byteorder == "big":
            self._digests.byteswap()
        self._times = packed[terms_held * 4 :]

    def of(self, term_digest: int) -> int:
        """How often the term with this :func:`digest` occurs."""
        at = bisect_left(self._digests, term_digest)
        held = at < len(self._digests) and self._digests[at] == term_digest
        return self._times[at] if held else 0


def digest(term: str) -> int:
    return crc32(term.encode())
