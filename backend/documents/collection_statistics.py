"""Counts documents, their mean length and their terms, with a cache for large stores.

The figures of a large store change slowly, and BM25 takes their logarithm, so they are cached. A small store
is counted for each search, so that a document counts as soon as it is stored.
"""

import threading
import time
from collections.abc import Callable, Collection

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents.full_text_index import FullTextIndex
from backend.documents.ranking import Totals
from backend.documents.tables import document_terms
from backend.documents.tokenizer import VERSION

MAX_UNCACHED_DOCUMENTS = 2_000
"""Stores of up to this size are not cached."""
CACHE_SECONDS = 300.0
MAX_CACHED_TERMS = 200_000
"""Maximum number of cached terms, at some hundred bytes each; beyond it the cache is cleared."""


class TermStatistics:
    """The statistics of one store, cached by this process. Thread-safe."""

    def __init__(self, full_text: FullTextIndex, clock: Callable[[], float] = time.monotonic) -> None:
        self._full_text = full_text
        self._clock = clock
        self._lock = threading.Lock()
        self._totals = Totals(0, 1.0)
        self._counted_at = 0.0
        self._document_counts: dict[str, int] = {}

    def read(self, connection: Connection, terms: Collection[str]) -> tuple[Totals, dict[str, int]]:
        """Return the totals, and the number of documents with each of ``terms``."""
        now = self._clock()
        with self._lock:
            is_cached = (
                self._totals.documents > MAX_UNCACHED_DOCUMENTS and now - self._counted_at < CACHE_SECONDS
            )
            totals = self._totals
            cached_counts = (
                {term: self._document_counts[term] for term in terms if term in self._document_counts}
                if is_cached
                else {}
            )
        if not is_cached:
            totals = load_totals(connection)
        document_counts = cached_counts | self._full_text.frequencies(
            connection, [term for term in terms if term not in cached_counts]
        )
        with self._lock:
            if not is_cached:
                self._totals, self._counted_at, self._document_counts = totals, now, {}
            if totals.documents > MAX_UNCACHED_DOCUMENTS:
                if len(self._document_counts) > MAX_CACHED_TERMS:
                    self._document_counts = {}
                # Terms without documents are not cached: counting them is cheap, and they may appear soon.
                self._document_counts.update(
                    (term, count) for term, count in document_counts.items() if count
                )
        return totals, document_counts


def load_totals(connection: Connection) -> Totals:
    """Load the current totals."""
    documents, length = connection.execute(
        sa.select(sa.func.count(), sa.func.sum(document_terms.c.length)).where(
            document_terms.c.version == VERSION
        )
    ).one()
    return Totals(documents, float(length) / documents if documents and length else 1.0)
