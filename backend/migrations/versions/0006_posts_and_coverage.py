"""posts and coverage"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

ORDER = ["language", "published_at", "topic_id", "realm", "category", "score"]


def upgrade() -> None:
    op.create_table(
        "topic_posts",
        sa.Column("post_id", sa.String(length=24), nullable=False),
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("username", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("verified", sa.Boolean(), nullable=False),
        sa.Column("official", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=True),
        sa.Column("published_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("likes", sa.BigInteger(), nullable=False),
        sa.Column("reposts", sa.BigInteger(), nullable=False),
        sa.Column("quotes", sa.BigInteger(), nullable=False),
        sa.Column("replies", sa.BigInteger(), nullable=False),
        sa.Column("read_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.PrimaryKeyConstraint("post_id", name=op.f("pk_topic_posts")),
    )
    op.create_index(op.f("ix_topic_posts_read_at"), "topic_posts", ["read_at"])
    op.create_index(op.f("ix_topic_posts_topic_id"), "topic_posts", ["topic_id"])
    op.create_table(
        "post_searches",
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("since_id", sa.String(length=24), nullable=True),
        sa.Column("newest_id", sa.String(length=24), nullable=True),
        sa.Column("next_token", sa.Text(), nullable=True),
        sa.Column("pages", sa.SmallInteger(), nullable=False),
        sa.Column("asked_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("due_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.PrimaryKeyConstraint("topic_id", name=op.f("pk_post_searches")),
    )
    op.create_index(op.f("ix_post_searches_due_at"), "post_searches", ["due_at"])
    op.create_table(
        "post_sources",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_post_sources")),
    )
    # Not as a batch, which would copy a table of a million rows: a column with a default is added in place.
    op.add_column("topics", sa.Column("coverage", sa.Float(), nullable=False, server_default="0"))
    op.add_column("topic_texts", sa.Column("coverage", sa.Float(), nullable=False, server_default="0"))
    op.add_column("feeds", sa.Column("pace", sa.Text(), nullable=True))
    op.add_column("feeds", sa.Column("read_at", backend.store.database.UtcTime(length=27), nullable=True))
    op.add_column("feeds", sa.Column("held_until", backend.store.database.UtcTime(length=27), nullable=True))
    op.add_column(
        "news_items", sa.Column("seen_at", backend.store.database.UtcTime(length=27), nullable=True)
    )
    _part_coverage_from_score()
    op.drop_index("ix_topic_texts_order", table_name="topic_texts")
    op.create_index("ix_topic_texts_order", "topic_texts", [*ORDER, "coverage"])


def downgrade() -> None:
    op.drop_index("ix_topic_texts_order", table_name="topic_texts")
    op.execute("UPDATE topic_texts SET score = score + coverage WHERE coverage != 0")
    op.execute("UPDATE topics SET tweet_score = tweet_score + coverage WHERE coverage != 0")
    op.drop_column("news_items", "seen_at")
    for name in ("held_until", "read_at", "pace"):
        op.drop_column("feeds", name)
    op.drop_column("topic_texts", "coverage")
    op.drop_column("topics", "coverage")
    op.create_index("ix_topic_texts_order", "topic_texts", ORDER)
    for table in ("post_sources", "post_searches", "topic_posts"):
        op.drop_table(table)


def _part_coverage_from_score() -> None:
    """Topics out of feeds had their coverage where a sender's score stands."""
    op.execute("UPDATE topics SET coverage = tweet_score, tweet_score = 0 WHERE realm = 'live'")
    op.execute(
        "UPDATE topic_texts SET coverage = (SELECT topics.coverage FROM topics"
        " WHERE topics.id = topic_texts.topic_id) WHERE realm = 'live'"
    )
    op.execute("UPDATE topic_texts SET score = score - coverage WHERE realm = 'live'")
