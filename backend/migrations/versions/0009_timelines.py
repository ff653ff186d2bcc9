"""timelines"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    big_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    sorted_text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "timeline_profiles",
        sa.Column("name", sorted_text, nullable=False),
        sa.Column("provider", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("model_vendor", sa.Text(), nullable=True),
        sa.Column("inference_provider", sa.Text(), nullable=True),
        sa.Column("added_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_timeline_profiles")),
    )
    op.create_table(
        "timeline_versions",
        sa.Column("realm", sa.String(length=8), nullable=False),
        sa.Column("profile", sorted_text, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("runs", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("realm", "profile", name=op.f("pk_timeline_versions")),
    )
    op.create_table(
        "timeline_series",
        sa.Column("id", big_id, autoincrement=True, nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("realm", sa.String(length=8), nullable=False),
        sa.Column("profile", sorted_text, nullable=False),
        sa.Column("provider", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("model_vendor", sa.Text(), nullable=True),
        sa.Column("inference_provider", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_timeline_series")),
        sa.UniqueConstraint("key", name=op.f("uq_timeline_series_key")),
    )
    with op.batch_alter_table("timeline_series", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_timeline_series_realm_profile"), ["realm", "profile"], unique=False
        )
    op.create_table(
        "timeline_runs",
        sa.Column("series_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("instant", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("run_id", sorted_text, nullable=False),
        sa.Column("realm", sa.String(length=8), nullable=False),
        sa.Column("case_key", sa.BigInteger(), nullable=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("entry", sa.LargeBinary(), nullable=False),
        sa.Column("rest", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("series_id", "instant", "run_id", name=op.f("pk_timeline_runs")),
        sa.UniqueConstraint("realm", "run_id", name=op.f("uq_timeline_runs_realm_run_id")),
        sqlite_with_rowid=False,
    )
    # By hand, since batch mode would make the table anew and with row ids.
    op.create_index(
        "ix_timeline_runs_case", "timeline_runs", ["series_id", "case_key", "instant", "run_id"], unique=False
    )


def downgrade() -> None:
    for table in ("timeline_runs", "timeline_series", "timeline_versions", "timeline_profiles"):
        op.drop_table(table)
