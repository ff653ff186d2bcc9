"""workers"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    instant = backend.store.database.UtcTime(length=27)
    op.create_table(
        "workers",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started_at", instant, nullable=False),
        sa.Column("seen_at", instant, nullable=True),
        sa.Column("ticked_at", instant, nullable=True),
        sa.Column("stopped_at", instant, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )


def downgrade() -> None:
    op.drop_table("workers")
