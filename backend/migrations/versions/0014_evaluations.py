"""evaluations"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    sorted_text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "timeline_evaluations",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("realm", sa.String(length=8), nullable=False),
        sa.Column("profile", sorted_text, nullable=False),
        sa.Column("evaluation_id", sa.Text(), nullable=False),
        sa.Column("suite", sa.Text(), nullable=True),
        sa.Column("revision", sa.Text(), nullable=True),
        sa.Column("config_digest", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("started", sa.BigInteger(), nullable=False),
        sa.Column("finished", sa.BigInteger(), nullable=True),
        sa.Column("runs", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_timeline_evaluations")),
    )
    op.create_index(
        op.f("ix_timeline_evaluations_realm_profile_started"),
        "timeline_evaluations",
        ["realm", "profile", "started"],
        unique=False,
    )


def downgrade() -> None:
    op.drop_table("timeline_evaluations")
