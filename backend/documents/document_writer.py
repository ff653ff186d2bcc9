"""Documents and what they are found by, written in the transaction of whoever calls.

The slow part, splitting texts into terms, is done beforehand without a lock, by
:func:`backend.documents.document_rows.prepare`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents import document_rows, full_text_index
from backend.documents.document_rows import Prepared
from backend.documents.full_text_index import KIND, LANGUAGE
from backend.documents.model import Document, DocumentKind
from backend.documents.tables import document_terms, documents
from backend.documents.tokenizer import VERSION

T = TypeVar("T")
BATCH = 500
"""Documents written or looked up in one statement."""


class Stored(NamedTuple):
    """What came of documents that were put. ``changed``: those with another title, text or language."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0

    def __add__(self, other: tuple[Any, ...]) -> "Stored":
        return Stored(*(one + another for one, another in zip(self, other, strict=True)))


def put(connection: Connection, prepared: Sequence[Prepared], *, now: datetime) -> Stored:
    """Store documents in place of those with their kind and external id."""
    # In one order in all processes, so that none waits for another that waits for it. Of two with
    # one name the last stays.
    wanted = {one.key: one for one in sorted(prepared, key=lambda one: one.key)}
    stored = Stored()
    for batch in batches(list(wanted.values())):
        known = known_as(connection, batch)
        fresh = [one for one in batch if known.get(one.key, _UNKNOWN).outdated_by(one)]
        document_rows.upsert(connection, batch, now)
        ids = {key: one.id for key, one in known_as(connection, fresh).items()}
        index(connection, {ids[one.key]: one for one in fresh})
        added = sum(one.key not in known for one in batch)
        stored += Stored(added, len(fresh) - added, len(batch) - len(fresh))
    return stored


def delete(connection: Connection, kind: DocumentKind, external_ids: Collection[str]) -> int:
    """Delete documents of ``kind``, and what they are found by; gives how many there were."""
    deleted = 0
    for batch in batches(sorted(external_ids)):
        gone = sa.delete(documents).where(documents.c.kind == kind, documents.c.external_id.in_(batch))
        deleted += connection.execute(gone).rowcount
    return deleted


class Known(NamedTuple):
    """What is stored under a name. ``version`` is of the rules that cut its terms."""

    id: int
    digest: str
    language: str | None
    version: int | None

    def outdated_by(self, one: Prepared) -> bool:
        return (self.digest, self.language, self.version) != (one.digest, one.document.language, VERSION)


_UNKNOWN = Known(0, "", None, None)


def known_as(connection: Connection, wanted: Sequence[Prepared]) -> dict[document_rows.Key, Known]:
    """What is stored under the names of ``wanted``, held until the transaction ends."""
    found: dict[document_rows.Key, Known] = {}
    by_kind: dict[str, list[str]] = {}
    for one in wanted:
        by_kind.setdefault(one.document.kind, []).append(one.document.external_id)
    versions = sa.select(document_terms.c.version).where(document_terms.c.document_id == documents.c.id)
    columns = (documents.c.id, documents.c.external_id, documents.c.digest, documents.c.language)
    for kind, names in sorted(by_kind.items()):
        look = (
            sa.select(*columns, versions.scalar_subquery())
            .where(documents.c.kind == kind, documents.c.external_id.in_(names))
            .order_by(documents.c.external_id)
            .with_for_update()
        )
        for number, name, digest, language, version in connection.execute(look):
            found[kind, name] = Known(number, digest, language, version)
    return found


def index(connection: Connection, fresh: Mapping[int, Prepared]) -> None:
    """Let documents, by id, be found by their terms."""
    document_rows.upsert_terms(connection, fresh)
    full_text_index.of(connection).write(
        connection, ((number, [*one.terms, *_filter_terms(one.document)]) for number, one in fresh.items())
    )


def batches(given: Sequence[T]) -> Iterator[Sequence[T]]:
    return (given[at : at + BATCH] for at in range(0, len(given), BATCH))


def _filter_terms(document: Document) -> list[str]:
    return [KIND + document.kind, *([LANGUAGE + document.language] if document.language else [])]
