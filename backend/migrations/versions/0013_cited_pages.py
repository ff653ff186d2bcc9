"""links of articles, and the official pages that they cite"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    instant = backend.store.database.UtcTime(length=27)
    op.add_column("news_items", sa.Column("links", sa.Text(), nullable=False, server_default="[]"))
    op.create_table(
        "cited_pages",
        sa.Column("url_key", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("linked_at", instant, nullable=False),
        sa.Column("due_at", instant, nullable=True),
        sa.Column("read_at", instant, nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("passage", sa.Text(), nullable=False),
        sa.Column("published_at", instant, nullable=True),
        sa.PrimaryKeyConstraint("url_key", name=op.f("pk_cited_pages")),
    )
    op.create_index(op.f("ix_cited_pages_due_at"), "cited_pages", ["due_at"], unique=False)


def downgrade() -> None:
    op.drop_table("cited_pages")
    op.drop_column("news_items", "links")
