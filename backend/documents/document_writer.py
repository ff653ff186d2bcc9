"""Writes documents and their index entries in the caller's transaction.

The slow part, splitting texts into terms, happens before, without a lock, in
:func:`backend.documents.document_rows.prepare_documents`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents import document_rows, full_text_index
from backend.documents.document_rows import PreparedDocument
from backend.documents.full_text_index import KIND, LANGUAGE
from backend.documents.model import Document, DocumentKind
from backend.documents.tables import document_terms, documents
from backend.documents.tokenizer import VERSION

T = TypeVar("T")
DOCUMENTS_PER_STATEMENT = 500
"""Maximum number of documents that one statement writes or looks up."""


class StoreCounts(NamedTuple):
    """Numbers of stored documents. ``changed``: those with another title, text or language."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0

    def __add__(self, added: tuple[Any, ...]) -> "StoreCounts":
        return StoreCounts(*(count + added_count for count, added_count in zip(self, added, strict=True)))


def write_documents(
    connection: Connection, prepared: Sequence[PreparedDocument], *, now: datetime
) -> StoreCounts:
    """Store documents. A document replaces the stored one with its kind and external id."""
    # All processes use the same order, so that they cannot deadlock. Of two with one key the last stays.
    requested = {one.key: one for one in sorted(prepared, key=lambda one: one.key)}
    counts = StoreCounts()
    for batch in split_batches(list(requested.values())):
        stored_versions = load_stored_versions(connection, batch)
        changed_documents = [
            document
            for document in batch
            if stored_versions.get(document.key, _NOT_STORED).differs_from(document)
        ]
        document_rows.upsert(connection, batch, now)
        ids = {
            key: version.id for key, version in load_stored_versions(connection, changed_documents).items()
        }
        index_documents(connection, {ids[document.key]: document for document in changed_documents})
        added = sum(document.key not in stored_versions for document in batch)
        counts += StoreCounts(added, len(changed_documents) - added, len(batch) - len(changed_documents))
    return counts


def delete_documents(connection: Connection, kind: DocumentKind, external_ids: Collection[str]) -> int:
    """Delete documents of ``kind`` with their index entries. Return their number."""
    deleted = 0
    for batch in split_batches(sorted(external_ids)):
        statement = sa.delete(documents).where(documents.c.kind == kind, documents.c.external_id.in_(batch))
        deleted += connection.execute(statement).rowcount
    return deleted


class StoredVersion(NamedTuple):
    """The stored state of a document. ``version`` is the version of the tokenizer that split it."""

    id: int
    digest: str
    language: str | None
    version: int | None

    def differs_from(self, document: PreparedDocument) -> bool:
        return (self.digest, self.language, self.version) != (
            document.digest,
            document.document.language,
            VERSION,
        )


_NOT_STORED = StoredVersion(0, "", None, None)


def load_stored_versions(
    connection: Connection, requested: Sequence[PreparedDocument]
) -> dict[document_rows.DocumentKey, StoredVersion]:
    """Load the stored state of ``requested`` and lock it until the transaction ends."""
    versions_by_key: dict[document_rows.DocumentKey, StoredVersion] = {}
    by_kind: dict[str, list[str]] = {}
    for document in requested:
        by_kind.setdefault(document.document.kind, []).append(document.document.external_id)
    versions = sa.select(document_terms.c.version).where(document_terms.c.document_id == documents.c.id)
    columns = (documents.c.id, documents.c.external_id, documents.c.digest, documents.c.language)
    for kind, names in sorted(by_kind.items()):
        query = (
            sa.select(*columns, versions.scalar_subquery())
            .where(documents.c.kind == kind, documents.c.external_id.in_(names))
            .order_by(documents.c.external_id)
            .with_for_update()
        )
        for number, name, digest, language, version in connection.execute(query):
            versions_by_key[kind, name] = StoredVersion(number, digest, language, version)
    return versions_by_key


def index_documents(connection: Connection, changed_documents: Mapping[int, PreparedDocument]) -> None:
    """Index documents, by id, under their terms."""
    document_rows.upsert_terms(connection, changed_documents)
    full_text_index.get_index(connection).write(
        connection,
        (
            (number, [*document.terms, *_filter_terms(document.document)])
            for number, document in changed_documents.items()
        ),
    )


def split_batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[at : at + DOCUMENTS_PER_STATEMENT] for at in range(0, len(items), DOCUMENTS_PER_STATEMENT))


def _filter_terms(document: Document) -> list[str]:
    return [KIND + document.kind, *([LANGUAGE + document.language] if document.language else [])]
