"""The documents that are searched and cited."""

import sqlalchemy as sa

from backend.db import UtcTime, metadata

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
"""``external_id`` names a document within its kind; storing it again replaces it.

``event`` is shared by documents that tell the same event (one landmark in three languages).
``urls`` and ``entities`` are JSON arrays and ``facts`` a JSON object; ``digest`` is of title and text.
The full-text index beside it is made by the migration, in each database's own way.
"""
