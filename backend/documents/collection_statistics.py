"""How many documents there are, how long they are and how many hold a term, counted or remembered.

A store of some size is not counted anew for each search: its figures move slowly, and BM25 takes the
logarithm of them. A small one is, so that a document counts the moment that it is stored.
"""

import threading
import time
from collections.abc import Callable, Collection

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents.full_text_index import FullText
from backend.documents.ranking import Totals
from backend.documents.tables import document_terms
from backend.documents.tokenizer import VERSION

COUNTED_EACH_TIME = 2_000
"""Up to so many documents nothing is remembered."""
KEPT_SECONDS = 300.0
MOST_KEPT = 200_000
"""Terms remembered, at some hundred bytes each; beyond, the memory starts anew."""


class Frequencies:
    """The figures of one store, remembered by this process. Safe to share between threads."""

    def __init__(self, full_text: FullText, clock: Callable[[], float] = time.monotonic) -> None:
        self._full_text = full_text
        self._clock = clock
        self._lock = threading.Lock()
        self._totals = Totals(0, 1.0)
        self._counted_at = 0.0
        self._of: dict[str, int] = {}

    def read(self, connection: Connection, terms: Collection[str]) -> tuple[Totals, dict[str, int]]:
        """The totals, and in how many documents each of ``terms`` occurs."""
        now = self._clock()
        with self._lock:
            fresh = self._totals.documents > COUNTED_EACH_TIME and now - self._counted_at < KEPT_SECONDS
            totals = self._totals
            known = {term: self._of[term] for term in terms if term in self._of} if fresh else {}
        if not fresh:
            totals = count(connection)
        found = known | self._full_text.frequencies(connection, [term for term in terms if term not in known])
        with self._lock:
            if not fresh:
                self._totals, self._counted_at, self._of = totals, now, {}
            if totals.documents > COUNTED_EACH_TIME:
                if len(self._of) > MOST_KEPT:
                    self._of = {}
                # A term that no document holds is asked for again: it costs nothing, and may be new.
                self._of.update((term, held) for term, held in found.items() if held)
        return totals, found


def count(connection: Connection) -> Totals:
    """The totals as they are now."""
    documents, length = connection.execute(
        sa.select(sa.func.count(), sa.func.sum(document_terms.c.length)).where(
            document_terms.c.version == VERSION
        )
    ).one()
    return Totals(documents, float(length) / documents if documents and length else 1.0)
