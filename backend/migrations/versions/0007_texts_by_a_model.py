"""generated texts, and the state and spending limit of language models"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_conditions",
        sa.Column("endpoint", sa.String(length=64), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", backend.store.database.UtcTime(length=27), nullable=True),
        sa.Column("quiet_until", backend.store.database.UtcTime(length=27), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("answered_at", backend.store.database.UtcTime(length=27), nullable=True),
        sa.PrimaryKeyConstraint("endpoint", name=op.f("pk_model_conditions")),
    )
    with op.batch_alter_table("model_use", schema=None) as batch_op:
        batch_op.add_column(sa.Column("refused_at", backend.store.database.UtcTime(length=27), nullable=True))
        batch_op.add_column(sa.Column("refused_under", backend.store.database.ExactDecimal(), nullable=True))
    op.create_table(
        "written_texts",
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("asked_by", sa.String(length=64), nullable=False),
        sa.Column("inputs", sa.String(length=64), nullable=False),
        sa.Column("stage", sa.SmallInteger(), nullable=False),
        sa.Column("from_language", sa.String(length=8), nullable=True),
        sa.Column("as_of", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("made_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("topic_id", "language", "kind", name=op.f("pk_written_texts")),
    )
    with op.batch_alter_table("written_texts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_written_texts_made_at"), ["made_at"], unique=False)
    op.drop_table("insights")


def downgrade() -> None:
    op.create_table(
        "insights",
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("inputs", sa.String(length=64), nullable=False),
        sa.Column("made_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("topic_id", "language", name=op.f("pk_insights")),
    )
    op.drop_table("written_texts")
    with op.batch_alter_table("model_use", schema=None) as batch_op:
        batch_op.drop_column("refused_under")
        batch_op.drop_column("refused_at")
    op.drop_table("model_conditions")
