"""hourly history of the market's totals"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    instant = backend.store.database.UtcTime(length=27)
    op.create_table(
        "market_totals",
        sa.Column("realm", sa.String(length=32), nullable=False),
        sa.Column("source", sa.String(length=32), nullable=False),
        sa.Column("hour", instant, nullable=False),
        sa.Column("as_of", instant, nullable=False),
        sa.Column("market_cap", backend.store.database.ExactDecimal(), nullable=False),
        sa.Column("volume_24h", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("btc_market_cap_percentage", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("eth_market_cap_percentage", backend.store.database.ExactDecimal(), nullable=True),
        sa.PrimaryKeyConstraint("realm", "source", "hour", name=op.f("pk_market_totals")),
    )


def downgrade() -> None:
    op.drop_table("market_totals")
