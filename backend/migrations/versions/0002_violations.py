"""violations"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "violation_days",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("rule_id", sa.String(length=200), nullable=False),
        sa.Column("entity_id", sa.String(length=100), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("violation_type", sa.String(length=32), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "day",
            "rule_id",
            "entity_id",
            "severity",
            "violation_type",
            "language",
            name=op.f("pk_violation_days"),
        ),
    )
    op.create_table(
        "violations",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("scan_id", sa.String(length=36), nullable=False),
        sa.Column("stored_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("rules_version", sa.String(length=64), nullable=False),
        sa.Column("article_key", sa.String(length=32), nullable=True),
        sa.Column("article_id", sa.Text(), nullable=True),
        sa.Column("entity_id", sa.String(length=100), nullable=True),
        sa.Column("rule_id", sa.String(length=200), nullable=False),
        sa.Column("field", sa.String(length=32), nullable=False),
        sa.Column("matched_text", sa.Text(), nullable=False),
        sa.Column("suggested_name", sa.Text(), nullable=True),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("violation_type", sa.String(length=32), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("start_offset", sa.Integer(), nullable=False),
        sa.Column("end_offset", sa.Integer(), nullable=False),
        sa.Column("auto_fixable", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_violations")),
    )
    with op.batch_alter_table("violations", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_violations_article_key_stored_at_id"),
            ["article_key", "stored_at", "id"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_violations_entity_id_stored_at_id"), ["entity_id", "stored_at", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_violations_language_stored_at_id"), ["language", "stored_at", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_violations_rule_id_stored_at_id"), ["rule_id", "stored_at", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_violations_severity_stored_at_id"), ["severity", "stored_at", "id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_violations_stored_at_id"), ["stored_at", "id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_violations_violation_type_stored_at_id"),
            ["violation_type", "stored_at", "id"],
            unique=False,
        )


def downgrade() -> None:
    with op.batch_alter_table("violations", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_violations_violation_type_stored_at_id"))
        batch_op.drop_index(batch_op.f("ix_violations_stored_at_id"))
        batch_op.drop_index(batch_op.f("ix_violations_severity_stored_at_id"))
        batch_op.drop_index(batch_op.f("ix_violations_rule_id_stored_at_id"))
        batch_op.drop_index(batch_op.f("ix_violations_language_stored_at_id"))
        batch_op.drop_index(batch_op.f("ix_violations_entity_id_stored_at_id"))
        batch_op.drop_index(batch_op.f("ix_violations_article_key_stored_at_id"))

    op.drop_table("violations")
    op.drop_table("violation_days")
