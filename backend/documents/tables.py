"""Defines the tables of documents and of their search index."""

import sqlalchemy as sa

from backend.store.database import UtcTime, metadata

_BigId = sa.BigInteger().with_variant(sa.Integer, "sqlite")

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("id", _BigId, primary_key=True, autoincrement=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("external_id", sa.String(200), nullable=False),
    sa.Column("event", sa.String(100)),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("urls", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("language", sa.String(8)),
    sa.Column("published_at", UtcTime),
    sa.Column("date_precision", sa.String(8)),
    sa.Column("stored_at", UtcTime, nullable=False),
    sa.Column("source_type", sa.String(16), nullable=False),
    sa.Column("entities", sa.Text, nullable=False),
    sa.Column("facts", sa.Text, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.UniqueConstraint("kind", "external_id"),
    sa.Index(None, "event"),
    sa.Index(None, "stored_at"),
)
"""``external_id`` identifies a document within its kind; storing it again replaces it.

Documents about the same event share ``event`` (one landmark in three languages). ``urls`` and ``entities``
are JSON arrays and ``facts`` a JSON object. In ``urls`` a general reference is ``{"general": URL}``.
``digest`` is the digest of title and text.
"""

document_terms = sa.Table(
    "document_terms",
    metadata,
    sa.Column(
        "document_id",
        _BigId,
        sa.ForeignKey("documents.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("version", sa.SmallInteger, nullable=False),
    sa.Column("length", sa.Integer, nullable=False),
    sa.Column("counts", sa.LargeBinary, nullable=False),
    sa.Index(None, "version", "length"),
)
"""The terms of each document for BM25: their number and their counts.

See :func:`backend.documents.tokenizer.pack_counts`. ``version`` is the version of the tokenizer. The index
lets the totals be counted without reading ``counts``.
"""

document_archives = sa.Table(
    "document_archives",
    metadata,
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("stored_at", UtcTime, nullable=False),
)
"""The shipped archives that were imported, with a digest of their documents."""

SEARCH_TABLE = "document_search"
"""The full-text index, which the migration creates for each database. Its parts have this prefix."""
