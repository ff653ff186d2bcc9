"""What is stored of topics, and of the feeds that they come from."""

import sqlalchemy as sa

from backend.db import BIG_ID, UtcTime, metadata

topics = sa.Table(
    "topics",
    metadata,
    sa.Column("id", BIG_ID, primary_key=True, autoincrement=True),
    sa.Column("external_id", sa.String(200), unique=True),
    sa.Column("realm", sa.String(8), nullable=False),
    sa.Column("category", sa.SmallInteger, nullable=False),
    sa.Column("published_at", UtcTime, nullable=False),
    sa.Column("updated_at", UtcTime, nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("cover_img", sa.Text),
    sa.Column("tweet_score", sa.Float, nullable=False),
    sa.Column("media_score", sa.Float, nullable=False),
    sa.Column("entities", sa.Text, nullable=False),
    sa.Column("event", sa.String(100)),
    sa.Column("merged_into", sa.BigInteger),
    sa.Index(None, "realm", "published_at", "id"),
    sa.Index(None, "event"),
)
"""``tweet_score`` is what a sender gave and ``media_score`` what posts and coverage add; their sum is the
interface's ``total_tweet_score``. ``entities`` is a JSON array. A merged topic answers for the one that it
was merged into."""

topic_texts = sa.Table(
    "topic_texts",
    metadata,
    sa.Column("topic_id", sa.BigInteger, primary_key=True),
    sa.Column("language", sa.String(8), primary_key=True),
    sa.Column("realm", sa.String(8), nullable=False),
    sa.Column("category", sa.SmallInteger, nullable=False),
    sa.Column("published_at", UtcTime, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("subtitle", sa.Text, nullable=False),
    sa.Column("summary", sa.Text, nullable=False),
    sa.Column("bullets", sa.Text, nullable=False),
    sa.Column("terms", sa.Text, nullable=False),
    sa.Column("origin", sa.String(16), nullable=False),
    sa.Index(None, "language", "realm", "published_at", "topic_id"),
    sa.Index(None, "language", "realm", "category", "published_at", "topic_id"),
)
"""Realm, category and instant stand here again, so that a page of a language is one walk of an index.
``bullets`` and ``terms`` are JSON."""

topic_days = sa.Table(
    "topic_days",
    metadata,
    sa.Column("language", sa.String(8), primary_key=True),
    sa.Column("realm", sa.String(8), primary_key=True),
    sa.Column("category", sa.SmallInteger, primary_key=True),
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("count", sa.BigInteger, nullable=False),
)
"""How many topics a day in UTC has: for totals, and to find the day in which a far page begins."""

topic_media = sa.Table(
    "topic_media",
    metadata,
    sa.Column("id", BIG_ID, primary_key=True, autoincrement=True),
    sa.Column("topic_id", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("url_key", sa.String(64), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("summary", sa.Text, nullable=False),
    sa.Column("site_name", sa.Text, nullable=False),
    sa.Column("published_at", UtcTime),
    sa.Column("language", sa.String(8)),
    sa.Column("score", sa.Float, nullable=False),
    sa.UniqueConstraint("topic_id", "kind", "url_key"),
)
"""``url_key`` is a digest of the address: an item that is sent again replaces itself."""

insights = sa.Table(
    "insights",
    metadata,
    sa.Column("topic_id", sa.BigInteger, primary_key=True),
    sa.Column("language", sa.String(8), primary_key=True),
    sa.Column("inputs", sa.String(64), nullable=False),
    sa.Column("made_at", UtcTime, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)
"""``inputs`` is a digest of the facts that the insight was written from: others want another one."""

feeds = sa.Table(
    "feeds",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("etag", sa.Text),
    sa.Column("last_modified", sa.Text),
    sa.Column("asked_at", UtcTime),
    sa.Column("answered_at", UtcTime),
    sa.Column("due_at", UtcTime, nullable=False),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("problem", sa.Text),
)
"""The state of each configured feed, shared by all processes; ``failures`` in a row set the back-off."""

news_items = sa.Table(
    "news_items",
    metadata,
    sa.Column("id", BIG_ID, primary_key=True, autoincrement=True),
    sa.Column("feed_id", sa.String(64), nullable=False),
    sa.Column("guid_key", sa.String(64), nullable=False),
    sa.Column("url_key", sa.String(64), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("image", sa.Text),
    sa.Column("language", sa.String(8), nullable=False),
    sa.Column("published_at", UtcTime, nullable=False),
    sa.Column("fetched_at", UtcTime, nullable=False),
    sa.Column("simhash", sa.BigInteger, nullable=False),
    sa.Column("entities", sa.Text, nullable=False),
    sa.Column("figures", sa.Text, nullable=False),
    sa.Column("topic_id", sa.BigInteger),
    sa.UniqueConstraint("feed_id", "guid_key"),
    sa.Index(None, "url_key"),
    sa.Index(None, "published_at"),
    sa.Index(None, "topic_id"),
)
"""Articles out of feeds. ``entities`` and ``figures`` are JSON arrays, by which languages are linked."""
