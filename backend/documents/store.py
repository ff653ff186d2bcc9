"""Stores, loads and searches documents.

:mod:`backend.documents.document_writer` implements the writing.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents import document_rows, document_writer, full_text_index
from backend.documents.collection_statistics import TermStatistics
from backend.documents.document_rows import PreparedDocument, prepare_documents
from backend.documents.document_writer import DOCUMENTS_PER_STATEMENT, StoreCounts
from backend.documents.full_text_index import KIND, LANGUAGE, Filters, Query
from backend.documents.model import Document, DocumentKind, Hit
from backend.documents.ranking import Totals, compute_weights, score_documents, select_lookup_terms
from backend.documents.tables import document_terms, documents
from backend.documents.tokenizer import VERSION, query_terms
from backend.store.database import Database

MIN_CANDIDATES = 100
"""Minimum number of index candidates that are ranked; at least five times the limit of a search."""
MAX_QUERY_TERMS = 500
"""Maximum number of distinct terms of a query."""


class DocumentStore:
    """Documents of one store. Thread-safe; keep one per process, since it caches term statistics."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._full_text = full_text_index.create_index(database.engine.dialect.name)
        self._term_statistics = TermStatistics(self._full_text)

    def put(
        self, connection: Connection, prepared: Sequence[PreparedDocument], *, now: datetime
    ) -> StoreCounts:
        """Store documents in the caller's write transaction, replacing those with their kind and external id.

        Call :func:`prepare_documents` before the transaction.
        """
        return document_writer.write_documents(connection, prepared, now=now)

    def store(self, documents: Sequence[Document], *, now: datetime) -> StoreCounts:
        """Prepare and store documents in a transaction of their own."""
        prepared_documents = prepare_documents(documents)
        with self._database.write() as connection:
            return self.put(connection, prepared_documents, now=now)

    def delete(self, connection: Connection, kind: DocumentKind, external_ids: Collection[str]) -> int:
        """Delete documents of ``kind`` with their index entries. Return their number."""
        return document_writer.delete_documents(connection, kind, external_ids)

    def delete_stored_before(self, kind: DocumentKind, *, before: datetime) -> int:
        """Delete documents of ``kind`` last stored before ``before``. Return their number."""
        deleted_count = 0
        oldest = sa.select(documents.c.id).where(documents.c.kind == kind, documents.c.stored_at < before)
        while True:
            with self._database.write() as connection:
                ids = list(
                    connection.execute(
                        oldest.order_by(documents.c.stored_at).limit(DOCUMENTS_PER_STATEMENT)
                    ).scalars()
                )
                connection.execute(sa.delete(documents).where(documents.c.id.in_(ids)))
            deleted_count += len(ids)
            if len(ids) < DOCUMENTS_PER_STATEMENT:
                return deleted_count

    def search(
        self,
        text: str,
        *,
        limit: int = 20,
        kinds: Collection[DocumentKind] | None = None,
        languages: Collection[str] | None = None,
    ) -> list[Hit]:
        """Search the documents for ``text``, best first.

        A text without a letter or digit finds nothing. ``kinds`` and ``languages`` exclude all others; a
        document without a language matches none of ``languages``.
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
        """Search for each of ``texts``; a sequence of texts is one query with all their terms.

        Terms are counted and documents are loaded once for all queries.
        """
        terms_by_query = [
            query_terms([text] if isinstance(text, str) else text)[:MAX_QUERY_TERMS] for text in texts
        ]
        filters = _build_filters(kinds, languages)
        if filters is None or limit < 1:
            return [[] for _ in texts]
        with self._database.snapshot() as connection:
            all_terms = {term for terms in terms_by_query for term in terms}
            totals, document_counts = self._term_statistics.read(connection, all_terms)
            ranked = [
                self._rank(
                    connection,
                    compute_weights(terms, totals, document_counts),
                    totals,
                    document_counts,
                    filters,
                    limit,
                )
                for terms in terms_by_query
            ]
            loaded = document_rows.load_documents(
                connection, {number for scored in ranked for number, _ in scored}
            )
        return [
            [Hit(loaded[number], score) for number, score in scored if number in loaded] for scored in ranked
        ]

    def load_documents(self, kind: DocumentKind, external_ids: Collection[str]) -> list[Document]:
        """Load the existing documents of ``kind`` with ``external_ids``, in their order."""
        with self._database.read() as connection:
            by_name = document_rows.load_by_external_ids(connection, kind, external_ids)
        return [by_name[name] for name in dict.fromkeys(external_ids) if name in by_name]

    def recent(self, *, limit: int = 50, kinds: Collection[DocumentKind] | None = None) -> list[Document]:
        """Load the documents added last, of ``kinds`` if given, newest first."""
        query = sa.select(documents.c.id).order_by(documents.c.id.desc()).limit(limit)
        if kinds is not None:
            query = query.where(documents.c.kind.in_(sorted(kinds)))
        with self._database.read() as connection:
            ids = list(connection.execute(query).scalars())
            loaded = document_rows.load_documents(connection, ids)
        return [loaded[number] for number in ids if number in loaded]

    def count(self) -> dict[DocumentKind, int]:
        """Count the documents of each kind; kinds without documents are omitted."""
        query = sa.select(documents.c.kind, sa.func.count()).group_by(documents.c.kind)
        with self._database.read() as connection:
            return {cast(DocumentKind, kind): n for kind, n in connection.execute(query)}

    def reindex(self) -> int:
        """Split documents again whose terms are of another tokenizer version. Return their number.

        Call it at start: it takes one query if there are none. Several processes may run it at once.
        """
        reindexed_count = 0
        while batch := self._load_outdated():
            prepared = {
                cast(int, document.id): prepared_document
                for document, prepared_document in zip(batch, prepare_documents(batch), strict=True)
            }
            with self._database.write() as connection:
                # Another process may have deleted or changed a document meanwhile.
                stored_versions = {
                    version.id: version
                    for version in document_writer.load_stored_versions(
                        connection, list(prepared.values())
                    ).values()
                }
                current = {
                    number: document
                    for number, document in prepared.items()
                    if number in stored_versions and stored_versions[number].digest == document.digest
                }
                document_writer.index_documents(connection, current)
            reindexed_count += len(current)
        return reindexed_count

    def _load_outdated(self) -> list[Document]:
        missing = (
            sa.select(documents.c.id)
            .outerjoin(document_terms, document_terms.c.document_id == documents.c.id)
            .where(sa.or_(document_terms.c.version.is_(None), document_terms.c.version != VERSION))
            .order_by(documents.c.id)
            .limit(DOCUMENTS_PER_STATEMENT)
        )
        with self._database.read() as connection:
            loaded = document_rows.load_documents(connection, list(connection.execute(missing).scalars()))
        return list(loaded.values())

    def _rank(
        self,
        connection: Connection,
        weights: Mapping[str, float],
        totals: Totals,
        document_counts: Mapping[str, int],
        filters: Filters,
        limit: int,
    ) -> Sequence[tuple[int, float]]:
        """Ids and scores of the best documents."""
        if not weights:
            return ()
        candidate_count = max(MIN_CANDIDATES, 5 * limit)
        lookup_weights = select_lookup_terms(weights, document_counts)
        ids = self._full_text.candidates(connection, Query(lookup_weights, totals, filters, candidate_count))
        if len(ids) < limit and len(lookup_weights) < len(weights):
            ids = self._full_text.candidates(connection, Query(weights, totals, filters, candidate_count))
        query = sa.select(document_terms.c.document_id, document_terms.c.length, document_terms.c.counts)
        packed = connection.execute(query.where(document_terms.c.document_id.in_(ids)))
        return score_documents(weights, (tuple(row) for row in packed), totals)[:limit]


def _build_filters(kinds: Collection[str] | None, languages: Collection[str] | None) -> Filters | None:
    """Build the filters of the index; None if nothing can match."""
    groups = [(KIND, kinds), (LANGUAGE, languages)]
    if any(values is not None and not values for _, values in groups):
        return None
    return [
        [prefix + word for word in sorted(set(values))] for prefix, values in groups if values is not None
    ]
