"""Converts documents to rows before a transaction, and writes and loads them within one."""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection

from backend.documents.model import Document
from backend.documents.tables import document_terms, documents
from backend.documents.tokenizer import VERSION, pack_counts
from backend.documents.tokenizer import document_terms as terms_of
from backend.store import database

DocumentKey = tuple[str, str]
"""Kind and external id, which identify a document."""

_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")
ROWS_PER_QUERY = 500


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document with its digest and terms, whose computation takes time."""

    document: Document
    digest: str
    """SHA-256 of title and text."""
    terms: tuple[str, ...]
    counts: bytes

    @property
    def key(self) -> DocumentKey:
        return self.document.kind, self.document.external_id


def prepare_documents(rows: Iterable[Document]) -> list[PreparedDocument]:
    """Split the texts of documents into terms, at about 2 MB a second."""
    return [_prepare_document(document) for document in rows]


def _prepare_document(document: Document) -> PreparedDocument:
    # Pages can contain characters that no database accepts: NUL and unpaired surrogates.
    title, text = (_NOT_STORABLE.sub("\N{REPLACEMENT CHARACTER}", t) for t in (document.title, document.text))
    document = replace(document, title=title, text=text, urls=document.urls or (document.url,))
    digest = hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()
    loaded = terms_of(title, text)
    return PreparedDocument(document, digest, tuple(loaded), pack_counts(loaded))


def upsert(connection: Connection, prepared: Sequence[PreparedDocument], now: datetime) -> None:
    """Write documents. A document replaces the stored one with its key and keeps its id."""
    if not prepared:
        return
    statement = (sqlite_insert if connection.dialect.name == "sqlite" else pg_insert)(documents)
    rows = [_to_row(document, now) for document in prepared]
    changed = {name: statement.excluded[name] for name in rows[0] if name not in ("kind", "external_id")}
    connection.execute(
        statement.on_conflict_do_update(index_elements=["kind", "external_id"], set_=changed), rows
    )


def upsert_terms(connection: Connection, prepared: Mapping[int, PreparedDocument]) -> None:
    """Write the terms of documents for BM25, by document id."""
    rows = [
        {"document_id": number, "version": VERSION, "length": len(document.terms), "counts": document.counts}
        for number, document in prepared.items()
    ]
    database.upsert(connection, document_terms, rows)


def load_documents(connection: Connection, ids: Collection[int]) -> dict[int, Document]:
    """Load the existing documents with ``ids``, in ascending order."""
    sorted_ids = sorted(ids)
    loaded = {}
    for at in range(0, len(sorted_ids), ROWS_PER_QUERY):
        query = sa.select(documents).where(documents.c.id.in_(sorted_ids[at : at + ROWS_PER_QUERY]))
        for row in connection.execute(query.order_by(documents.c.id)).mappings():
            loaded[row["id"]] = _to_document(dict(row))
    return loaded


def load_by_external_ids(
    connection: Connection, kind: str, external_ids: Collection[str]
) -> dict[str, Document]:
    """Load the existing documents of ``kind`` with ``external_ids``, by external id."""
    sorted_ids = sorted(set(external_ids))
    ids: list[int] = []
    for at in range(0, len(sorted_ids), ROWS_PER_QUERY):
        part = sorted_ids[at : at + ROWS_PER_QUERY]
        query = sa.select(documents.c.id).where(documents.c.kind == kind, documents.c.external_id.in_(part))
        ids += connection.execute(query).scalars()
    return {document.external_id: document for document in load_documents(connection, ids).values()}


def _to_row(prepared: PreparedDocument, now: datetime) -> dict[str, Any]:
    document = prepared.document
    return {
        "kind": document.kind,
        "external_id": document.external_id,
        "event": document.event,
        "url": document.url,
        "urls": _to_json([_mark_url(url, document) for url in document.urls]),
        "title": document.title,
        "text": document.text,
        "language": document.language,
        "published_at": document.published_at,
        "date_precision": document.date_precision,
        "stored_at": now,
        "source_type": document.source_type,
        "entities": _to_json(document.entities),
        "facts": _to_json(dict(document.facts)),
        "digest": prepared.digest,
    }


def _to_document(row: Mapping[str, Any]) -> Document:
    values = {name: value for name, value in row.items() if name != "digest"}
    urls = orjson.loads(values["urls"])
    decoded = {
        "urls": tuple(url if isinstance(url, str) else url["general"] for url in urls),
        "general_urls": tuple(url["general"] for url in urls if not isinstance(url, str)),
        "entities": tuple(orjson.loads(values["entities"])),
        "facts": orjson.loads(values["facts"]),
    }
    return Document(**{**values, **decoded})


def _mark_url(url: str, document: Document) -> str | dict[str, str]:
    return {"general": url} if url in document.general_urls else url


def _to_json(value: object) -> str:
    return orjson.dumps(value).decode()
