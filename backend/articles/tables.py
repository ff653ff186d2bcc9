"""Defines the tables of violations and of their counts per day, in total and per owner."""

from typing import Any

import sqlalchemy as sa

from backend.store.database import BIG_ID, UtcTime, metadata

violations = sa.Table(
    "violations",
    metadata,
    sa.Column("id", BIG_ID, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(64)),
    sa.Column("scan_id", sa.String(36), nullable=False),
    sa.Column("stored_at", UtcTime, nullable=False),
    sa.Column("rules_version", sa.String(64), nullable=False),
    sa.Column("article_key", sa.String(32)),
    sa.Column("article_id", sa.Text),
    sa.Column("entity_id", sa.String(100)),
    sa.Column("rule_id", sa.String(200), nullable=False),
    sa.Column("field", sa.String(32), nullable=False),
    sa.Column("matched_text", sa.Text, nullable=False),
    sa.Column("suggested_name", sa.Text),
    sa.Column("language", sa.String(8), nullable=False),
    sa.Column("violation_type", sa.String(32), nullable=False),
    sa.Column("severity", sa.String(16), nullable=False),
    sa.Column("start_offset", sa.Integer, nullable=False),
    sa.Column("end_offset", sa.Integer, nullable=False),
    sa.Column("auto_fixable", sa.Boolean, nullable=False),
    sa.Index(None, "stored_at", "id"),
    *(
        sa.Index(None, column, "stored_at", "id")
        for column in (
            "owner",
            "article_key",
            "entity_id",
            "rule_id",
            "severity",
            "language",
            "violation_type",
        )
    ),
)
"""Violations, one row each.

Each column that requests can filter by has an index that continues with the sort order (``stored_at``,
``id``), so the thousandth page is as fast as the first.

``article_key`` is a digest of ``article_id`` for its index, because ``article_id`` may exceed the maximum
size of an index entry. ``owner`` is :attr:`backend.auth.principal.Principal.owner`. It is null in rows that
an earlier version stored: only callers with the scope ``admin``, such as the local key, see them.
"""


def _build_count_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("rule_id", sa.String(200), primary_key=True),
        sa.Column("entity_id", sa.String(100), primary_key=True),
        sa.Column("severity", sa.String(16), primary_key=True),
        sa.Column("violation_type", sa.String(32), primary_key=True),
        sa.Column("language", sa.String(8), primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
    ]


violation_daily_counts = sa.Table("violation_days", metadata, *_build_count_columns())
"""Number of violations per UTC day, rule, entity, severity, type and language.

The numbers are updated when violations are stored. ``entity_id`` is empty for violations without an entity,
because a key cannot contain null.
"""

violation_daily_counts_by_owner = sa.Table(
    "violation_owner_days",
    metadata,
    sa.Column("owner", sa.String(64), primary_key=True),
    *_build_count_columns(),
)
"""The same per owner, without violations that have no owner."""
