"""Which entities were seen in which completed source-finding job, and when."""

import sqlalchemy as sa

from backend.store.database import UtcTime, metadata

entity_sightings = sa.Table(
    "entity_sightings",
    metadata,
    sa.Column("job_id", sa.String(36), primary_key=True),
    sa.Column("entity_id", sa.String(100), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("seen_at", UtcTime, nullable=False),
    sa.Index(None, "seen_at", "entity_id"),
)
"""Written in the transaction that completes the job, so that each job counts once.

``name`` is the form in which the job's texts named the entity first.
"""
