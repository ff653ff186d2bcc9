"""What language models were used for on each day, for the day's ceiling."""

import sqlalchemy as sa

from backend.db import ExactDecimal, metadata

model_use = sa.Table(
    "model_use",
    metadata,
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("calls", sa.Integer, nullable=False),
    sa.Column("tokens", sa.BigInteger, nullable=False),
    sa.Column("cost", ExactDecimal, nullable=False),
)
"""By day in UTC; ``cost`` is in the currency of the prices in the settings."""
