"""questions, answers and the words of graders"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    sorted_text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "timeline_run_texts",
        sa.Column("realm", sa.String(length=8), nullable=False),
        sa.Column("run_id", sorted_text, nullable=False),
        sa.Column("profile", sorted_text, nullable=False),
        sa.Column("texts", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("realm", "run_id", name=op.f("pk_timeline_run_texts")),
    )
    op.create_index(
        op.f("ix_timeline_run_texts_realm_profile"), "timeline_run_texts", ["realm", "profile"], unique=False
    )


def downgrade() -> None:
    op.drop_table("timeline_run_texts")
