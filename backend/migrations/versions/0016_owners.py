"""owners of jobs and violations, answers of repeated scans"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        op.f("ix_jobs_submitted_by_kind_created_at_id"), "jobs", ["submitted_by", "kind", "created_at", "id"]
    )
    op.add_column("submissions", sa.Column("answer", sa.LargeBinary(), nullable=True))
    # Null in rows of earlier versions, also of those that still run during the upgrade.
    op.add_column("violations", sa.Column("owner", sa.String(length=64), nullable=True))
    op.create_index(
        op.f("ix_violations_owner_stored_at_id"), "violations", ["owner", "stored_at", "id"], unique=False
    )
    op.create_table(
        "violation_owner_days",
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("rule_id", sa.String(length=200), nullable=False),
        sa.Column("entity_id", sa.String(length=100), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("violation_type", sa.String(length=32), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "owner",
            "day",
            "rule_id",
            "entity_id",
            "severity",
            "violation_type",
            "language",
            name=op.f("pk_violation_owner_days"),
        ),
    )


def downgrade() -> None:
    op.drop_table("violation_owner_days")
    op.drop_index(op.f("ix_violations_owner_stored_at_id"), "violations")
    op.drop_column("violations", "owner")
    op.drop_column("submissions", "answer")
    op.drop_index(op.f("ix_jobs_submitted_by_kind_created_at_id"), "jobs")
