"""Defines the table of API keys, which holds the SHA-256 digest of a key and never its text."""

import sqlalchemy as sa

from backend.store.database import UtcTime, metadata

api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("env", sa.String(32), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False, unique=True),
    sa.Column("scopes", sa.String(64), nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime),
    sa.Column("last_used_at", UtcTime),
    sa.Column("revoked_at", UtcTime),
    sa.CheckConstraint("kind IN ('api', 'terminal')", name="kind"),
)
"""``scopes`` are separated by single spaces; a terminal key has none."""
