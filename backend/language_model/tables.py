"""Defines the tables of daily language model use and of failing endpoints."""

import sqlalchemy as sa

from backend.store.database import ExactDecimal, UtcTime, metadata

model_use = sa.Table(
    "model_use",
    metadata,
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("calls", sa.Integer, nullable=False),
    sa.Column("tokens", sa.BigInteger, nullable=False),
    sa.Column("cost", ExactDecimal, nullable=False),
    sa.Column("refused_at", UtcTime),
    sa.Column("refused_under", ExactDecimal),
)
"""By day in UTC. ``cost`` is in US dollars and includes the maximum cost of calls in progress.
``refused_at`` is when the daily limit, ``refused_under``, first left no room for a call."""

model_conditions = sa.Table(
    "model_conditions",
    metadata,
    sa.Column("endpoint", sa.String(64), primary_key=True),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("failing_since", UtcTime),
    sa.Column("quiet_until", UtcTime),
    sa.Column("problem", sa.Text),
    sa.Column("answered_at", UtcTime),
)
"""By a digest of URL and model: failures in a row, and the end of the pause."""
