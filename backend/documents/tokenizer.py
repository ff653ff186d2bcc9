"""Splits text into search terms: stemmed words, numbers, and pairs of CJK characters.

Both databases store the same terms, so that they find the same documents. Their own tokenizers are not used:
SQLite's trigrams cannot find a word of two characters, and PostgreSQL's parser depends on the locale. No I/O;
linear in the length of a text.
"""

import re
import sys
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

from backend.formats.chinese import to_simplified

VERSION = 2
"""Version of the splitting rules. Documents with terms of another version are indexed again.

A document and a query must be split in the same way.
"""
MAX_TERM_BYTES = 400_000
"""Maximum size of a document's terms; text beyond it is not indexed. A tsvector has at most 1 MiB."""
MAX_WORD_CHARS = 24
"""Longer words are cut to this length, which is enough to distinguish URLs and digests."""
MAX_TERM_COUNT = 255
"""Maximum count of a term in a document; BM25 saturates far below."""

_NORMALIZE_CHUNK_CHARS = 1_000
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
    """Fold ``text`` to lower case and to the compatibility form of its characters (NFKC)."""
    if text.isascii():
        return text.lower()
    # Canonical ordering of combining marks takes quadratic time in their run, hence in chunks.
    pieces = (text[at : at + _NORMALIZE_CHUNK_CHARS] for at in range(0, len(text), _NORMALIZE_CHUNK_CHARS))
    return "".join(unicodedata.normalize("NFKC", piece) for piece in pieces).lower()


def stem(word: str) -> str:
    """Remove plural, past and progressive endings of an English word: halvings, halved, halve → halv."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and _VOWEL.search(stem):
            doubled = stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return (stem[:-1] if doubled else stem).removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word


def terms(text: str) -> Iterator[str]:
    """Yield the terms of ``text`` in order. A term has letters and digits, and at most one dot.

    Traditional and Simplified Chinese give the same terms.
    """
    for cjk, number, word in _TERM.findall(to_simplified(fold(text))):
        if word:
            yield stem(word[:MAX_WORD_CHARS])
        elif number:
            yield number.replace(",", "")[:MAX_WORD_CHARS]
        elif len(cjk) == 1:
            yield cjk
        else:
            for at in range(len(cjk) - 1):
                yield cjk[at : at + 2]


def document_terms(*texts: str) -> list[str]:
    """Split ``texts`` of a document into terms of at most :data:`MAX_TERM_BYTES` bytes in total."""
    limited_terms: list[str] = []
    remaining_bytes = MAX_TERM_BYTES
    for text in texts:
        # Text beyond this length is not split, to limit the work.
        for term in terms(text[: remaining_bytes * 2]):
            remaining_bytes -= len(term.encode()) + 1
            if remaining_bytes < 0:
                return limited_terms
            limited_terms.append(term)
    return limited_terms


def query_terms(texts: Iterable[str]) -> list[str]:
    """List the distinct terms of ``texts``, in order of appearance.

    Pairs of hiragana are nearly always grammar, and are omitted if other terms remain.
    """
    distinct_terms = list(dict.fromkeys(term for text in texts for term in terms(text)))
    return [term for term in distinct_terms if not _HIRAGANA_ONLY.fullmatch(term)] or distinct_terms


def pack_counts(all_terms: Sequence[str]) -> bytes:
    """Pack the count of each term, to be read by :class:`PackedCounts`.

    Ascending 32-bit digests of the terms in little-endian order, then one byte per term with its count, at
    most :data:`MAX_TERM_COUNT`.
    """
    counts: Counter[int] = Counter()
    for term, count in Counter(all_terms).items():
        counts[digest(term)] += count
    sorted_digests = sorted(counts)
    digests = array("I", sorted_digests)
    if sys.byteorder == "big":
        digests.byteswap()
    return digests.tobytes() + bytes(min(counts[key], MAX_TERM_COUNT) for key in sorted_digests)


class PackedCounts:
    """Reads the result of :func:`pack_counts` without unpacking it."""

    __slots__ = ("_counts", "_digests")

    def __init__(self, packed: bytes) -> None:
        term_count = len(packed) // 5
        self._digests = array("I", packed[: term_count * 4])
        if sys.byteorder == "big":
            self._digests.byteswap()
        self._counts = packed[term_count * 4 :]

    def count_of(self, term_digest: int) -> int:
        """Return the stored count of the term with this :func:`digest`; 0 without one."""
        at = bisect_left(self._digests, term_digest)
        is_stored = at < len(self._digests) and self._digests[at] == term_digest
        return self._counts[at] if is_stored else 0


def digest(term: str) -> int:
    return crc32(term.encode())
