"""Defines the table of entity sightings: which completed source-finding job named which entity, and when."""

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
"""Rows are written in the transaction that completes the job, so that each job counts once.

``name`` is the entity's name in the first mention in the job's texts.
"""
