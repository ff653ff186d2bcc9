"""The documents of one store: put, read and searched.

How they are written stands in :mod:`backend.documents.document_writer`.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents import document_rows, document_writer, full_text_index
from backend.documents.collection_statistics import Frequencies
from backend.documents.document_rows import Prepared, prepare
from backend.documents.document_writer import BATCH, Stored
from backend.documents.full_text_index import KIND, LANGUAGE, Filters, Query
from backend.documents.model import Document, DocumentKind, Hit
from backend.documents.ranking import Totals, scores, telling, weights
from backend.documents.tables import document_terms, documents
from backend.documents.tokenizer import VERSION, query_terms
from backend.store.database import Database

CANDIDATES = 100
"""How many documents of the index are ranked for a query, or five times as many as are asked for."""
MOST_ASKED = 500
"""Different terms of a query that are looked at."""


class DocumentStore:
    """Safe to share between threads; keep one a process, since it remembers how frequent terms are."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._full_text = full_text_index.on(database.engine.dialect.name)
        self._frequencies = Frequencies(self._full_text)

    def put(self, connection: Connection, prepared: Sequence[Prepared], *, now: datetime) -> Stored:
        """Store documents in the caller's write transaction, in place of those with their kind and
        external id. Call :func:`prepare` before it begins."""
        return document_writer.put(connection, prepared, now=now)

    def store(self, given: Sequence[Document], *, now: datetime) -> Stored:
        """Prepare and store documents in a transaction of their own."""
        prepared = prepare(given)
        with self._database.write() as connection:
            return self.put(connection, prepared, now=now)

    def delete(self, connection: Connection, kind: DocumentKind, external_ids: Collection[str]) -> int:
        """Delete documents of ``kind``, and what they are found by; gives how many there were."""
        return document_writer.delete(connection, kind, external_ids)

    def delete_stored_before(self, kind: DocumentKind, *, before: datetime) -> int:
        """Delete documents of ``kind`` last stored before ``before``. Return their number."""
        gone = 0
        oldest = sa.select(documents.c.id).where(documents.c.kind == kind, documents.c.stored_at < before)
        while True:
            with self._database.write() as connection:
                ids = list(connection.execute(oldest.order_by(documents.c.stored_at).limit(BATCH)).scalars())
                connection.execute(sa.delete(documents).where(documents.c.id.in_(ids)))
            gone += len(ids)
            if len(ids) < BATCH:
                return gone

    def search(
        self,
        text: str,
        *,
        limit: int = 20,
        kinds: Collection[DocumentKind] | None = None,
        languages: Collection[str] | None = None,
    ) -> list[Hit]:
        """The documents that answer ``text`` best, best first.

        A text without a letter or digit finds nothing. ``kinds`` and ``languages`` leave out all others;
        a document of no known language is of none of ``languages``.
        """
        return self.search_many([text], limit=limit, kinds=kinds, languages=languages)[0]

    def search_many(
        self,
        texts: Sequence[str | Sequence[str]],
        *,
        limit: int = 20,
        kinds: Collection[DocumentKind] | None = None,
        languages: Collection[str] | None = None,
    ) -> list[list[Hit]]:
        """:meth:`search` for each of ``texts``; a sequence of texts is one query of all their terms.

        Terms are counted and documents are read once for all of them.
        """
        asked = [query_terms([text] if isinstance(text, str) else text)[:MOST_ASKED] for text in texts]
        filters = _filters(kinds, languages)
        if filters is None or limit < 1:
            return [[] for _ in texts]
        with self._database.snapshot() as connection:
            different = {term for terms in asked for term in terms}
            totals, held = self._frequencies.read(connection, different)
            ranked = [
                self._ranked(connection, weights(terms, totals, held), totals, held, filters, limit)
                for terms in asked
            ]
            found = document_rows.read(connection, {number for scored in ranked for number, _ in scored})
        return [
            [Hit(found[number], score) for number, score in scored if number in found] for scored in ranked
        ]

    def load_documents(self, kind: DocumentKind, external_ids: Collection[str]) -> list[Document]:
        """The documents of ``kind`` with ``external_ids`` that there are, in their order."""
        with self._database.read() as connection:
            by_name = document_rows.named(connection, kind, external_ids)
        return [by_name[name] for name in dict.fromkeys(external_ids) if name in by_name]

    def recent(self, *, limit: int = 50, kinds: Collection[DocumentKind] | None = None) -> list[Document]:
        """The documents that came last, of ``kinds`` if given, newest first."""
        wanted = sa.select(documents.c.id).order_by(documents.c.id.desc()).limit(limit)
        if kinds is not None:
            wanted = wanted.where(documents.c.kind.in_(sorted(kinds)))
        with self._database.read() as connection:
            ids = list(connection.execute(wanted).scalars())
            found = document_rows.read(connection, ids)
        return [found[number] for number in ids if number in found]

    def count(self) -> dict[DocumentKind, int]:
        """How many documents of each kind there are; kinds without any are left out."""
        counted = sa.select(documents.c.kind, sa.func.count()).group_by(documents.c.kind)
        with self._database.read() as connection:
            return {cast(DocumentKind, kind): n for kind, n in connection.execute(counted)}

    def reindex(self) -> int:
        """Cut anew the terms of documents that an earlier version of the rules cut; gives how many.

        Call at start: it costs one look where there are none. Several processes may do so at once.
        """
        done = 0
        while batch := self._outdated():
            prepared = {
                cast(int, document.id): one for document, one in zip(batch, prepare(batch), strict=True)
            }
            with self._database.write() as connection:
                # Somebody may have deleted or changed one meanwhile.
                known = {
                    one.id: one
                    for one in document_writer.known_as(connection, list(prepared.values())).values()
                }
                still = {
                    number: one
                    for number, one in prepared.items()
                    if number in known and known[number].digest == one.digest
                }
                document_writer.index(connection, still)
            done += len(still)
        return done

    def _outdated(self) -> list[Document]:
        missing = (
            sa.select(documents.c.id)
            .outerjoin(document_terms, document_terms.c.document_id == documents.c.id)
            .where(sa.or_(document_terms.c.version.is_(None), document_terms.c.version != VERSION))
            .order_by(documents.c.id)
            .limit(BATCH)
        )
        with self._database.read() as connection:
            found = document_rows.read(connection, list(connection.execute(missing).scalars()))
        return list(found.values())

    def _ranked(
        self,
        connection: Connection,
        weighted: Mapping[str, float],
        totals: Totals,
        held: Mapping[str, int],
        filters: Filters,
        limit: int,
    ) -> Sequence[tuple[int, float]]:
        """Ids and scores of the documents that answer best."""
        if not weighted:
            return ()
        enough = max(CANDIDATES, 5 * limit)
        few = telling(weighted, held)
        ids = self._full_text.candidates(connection, Query(few, totals, filters, enough))
        if len(ids) < limit and len(few) < len(weighted):
            ids = self._full_text.candidates(connection, Query(weighted, totals, filters, enough))
        look = sa.select(document_terms.c.document_id, document_terms.c.length, document_terms.c.counts)
        packed = connection.execute(look.where(document_terms.c.document_id.in_(ids)))
        return scores(weighted, (tuple(row) for row in packed), totals)[:limit]


def _filters(kinds: Collection[str] | None, languages: Collection[str] | None) -> Filters | None:
    """What the index filters by; None where nothing can pass."""
    groups = [(KIND, kinds), (LANGUAGE, languages)]
    if any(given is not None and not given for _, given in groups):
        return None
    return [[prefix + word for word in sorted(set(given))] for prefix, given in groups if given is not None]
