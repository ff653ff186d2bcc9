"""Documents as rows: prepared before a transaction, written and read within one."""

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

Key = tuple[str, str]
"""Kind and external id: the name of a document."""

_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")
READ_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document and everything about it that takes time to find out."""

    document: Document
    digest: str
    """SHA-256 of title and text."""
    terms: tuple[str, ...]
    counts: bytes

    @property
    def key(self) -> Key:
        return self.document.kind, self.document.external_id


def prepare(given: Iterable[Document]) -> list[Prepared]:
    """Cut the texts of documents into terms; some 2 MB a second."""
    return [_prepared(one) for one in given]


def _prepared(document: Document) -> Prepared:
    # Pages hold what no database takes: NUL, and halves of characters.
    title, text = (_NOT_STORABLE.sub("\N{REPLACEMENT CHARACTER}", t) for t in (document.title, document.text))
    document = replace(document, title=title, text=text, urls=document.urls or (document.url,))
    digest = hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()
    found = terms_of(title, text)
    return Prepared(document, digest, tuple(found), pack_counts(found))


def upsert(connection: Connection, prepared: Sequence[Prepared], now: datetime) -> None:
    """Write documents, in place of those with their names; their ids stay."""
    if not prepared:
        return
    statement = (sqlite_insert if connection.dialect.name == "sqlite" else pg_insert)(documents)
    given = [_row(one, now) for one in prepared]
    changed = {name: statement.excluded[name] for name in given[0] if name not in ("kind", "external_id")}
    connection.execute(
        statement.on_conflict_do_update(index_elements=["kind", "external_id"], set_=changed), given
    )


def upsert_terms(connection: Connection, prepared: Mapping[int, Prepared]) -> None:
    """Write what BM25 needs of documents, by id."""
    given = [
        {"document_id": number, "version": VERSION, "length": len(one.terms), "counts": one.counts}
        for number, one in prepared.items()
    ]
    database.upsert(connection, document_terms, given)


def read(connection: Connection, ids: Collection[int]) -> dict[int, Document]:
    """The documents with ``ids`` that there are, in ascending order."""
    wanted = sorted(ids)
    found = {}
    for at in range(0, len(wanted), READ_AT_ONCE):
        look = sa.select(documents).where(documents.c.id.in_(wanted[at : at + READ_AT_ONCE]))
        for row in connection.execute(look.order_by(documents.c.id)).mappings():
            found[row["id"]] = _document(dict(row))
    return found


def named(connection: Connection, kind: str, external_ids: Collection[str]) -> dict[str, Document]:
    """The documents of ``kind`` with ``external_ids`` that there are, by these."""
    wanted = sorted(set(external_ids))
    ids: list[int] = []
    for at in range(0, len(wanted), READ_AT_ONCE):
        part = wanted[at : at + READ_AT_ONCE]
        look = sa.select(documents.c.id).where(documents.c.kind == kind, documents.c.external_id.in_(part))
        ids += connection.execute(look).scalars()
    return {document.external_id: document for document in read(connection, ids).values()}


def _row(one: Prepared, now: datetime) -> dict[str, Any]:
    document = one.document
    return {
        "kind": document.kind,
        "external_id": document.external_id,
        "event": document.event,
        "url": document.url,
        "urls": _json(document.urls),
        "title": document.title,
        "text": document.text,
        "language": document.language,
        "published_at": document.published_at,
        "date_precision": document.date_precision,
        "stored_at": now,
        "source_type": document.source_type,
        "entities": _json(document.entities),
        "facts": _json(dict(document.facts)),
        "digest": one.digest,
    }


def _document(row: Mapping[str, Any]) -> Document:
    given = {name: value for name, value in row.items() if name != "digest"}
    lists = {name: tuple(orjson.loads(given[name])) for name in ("urls", "entities")}
    return Document(**{**given, **lists, "facts": orjson.loads(given["facts"])})


def _json(value: object) -> str:
    return orjson.dumps(value).decode()
