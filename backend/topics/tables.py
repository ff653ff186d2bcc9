"""What is stored of topics, and of the feeds that they come from."""

import sqlalchemy as sa

from backend.store.database import BIG_ID, UtcTime, metadata
from backend.topics.model import Category, Realm

REALMS: tuple[Realm, ...] = ("own", "live", "sample")
COUNTED = [(realm, category) for realm in REALMS for category in Category]


def block_count(realm: str, category: int) -> str:
    """The column of ``topic_blocks`` that counts a realm's topics of a category."""
    return f"{realm}_{Category(category).word.lower()}"


topics = sa.Table(
    "topics",
    metadata,
    sa.Column("id", BIG_ID, primary_key=True, autoincrement=True),
    sa.Column("external_id", sa.String(200)),
    sa.Column("realm", sa.String(8), nullable=False),
    sa.Column("category", sa.SmallInteger, nullable=False),
    sa.Column("language", sa.String(8), nullable=False),
    sa.Column("published_at", UtcTime, nullable=False),
    sa.Column("updated_at", UtcTime, nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("cover_img", sa.Text),
    sa.Column("tweet_score", sa.Float, nullable=False),
    sa.Column("media_score", sa.Float, nullable=False),
    sa.Column("coverage", sa.Float, nullable=False),
    sa.Column("entities", sa.Text, nullable=False),
    sa.Column("event", sa.String(100)),
    sa.Column("merged_into", sa.BigInteger),
    sa.UniqueConstraint("realm", "external_id"),
    sa.Index(None, "realm", "published_at", "id"),
    sa.Index(None, "event"),
)
"""``language`` is the topic's own, in which it was told first. ``tweet_score`` is what a sender gave and
``media_score`` what posts add; their sum is the interface's ``total_tweet_score``. ``coverage`` is how much
outlets tell of it, which ranks topics where no posts are counted. ``entities`` is a JSON array. A merged
topic answers for the one that it was merged into."""

topic_texts = sa.Table(
    "topic_texts",
    metadata,
    sa.Column("topic_id", sa.BigInteger, primary_key=True),
    sa.Column("language", sa.String(8), primary_key=True),
    sa.Column("realm", sa.String(8), nullable=False),
    sa.Column("category", sa.SmallInteger, nullable=False),
    sa.Column("published_at", UtcTime, nullable=False),
    sa.Column("score", sa.Float, nullable=False),
    sa.Column("coverage", sa.Float, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("subtitle", sa.Text, nullable=False),
    sa.Column("summary", sa.Text, nullable=False),
    sa.Column("bullets", sa.Text, nullable=False),
    sa.Column("terms", sa.Text, nullable=False),
    sa.Column("origin", sa.String(16), nullable=False),
    sa.Column("indexed", sa.SmallInteger, index=True),
    sa.Index(
        "ix_topic_texts_order",
        "language",
        "published_at",
        "topic_id",
        "realm",
        "category",
        "score",
        "coverage",
    ),
    sa.Index("ix_topic_texts_category", "language", "category", "published_at", "topic_id", "realm"),
)
"""Realm, category, instant, ``score`` (the sum of the topic's two) and coverage stand here again, so that a
page, a count and the ranking of a language are each a walk of one index. The realm is behind the order: what
is visible is two realms' topics in one order. ``bullets`` and ``terms`` are JSON. ``indexed`` is the
version of the rules that cut the text into terms for the search; null where it was not cut yet."""

SEARCH_TABLE = "topic_search"
"""The full-text index of the topics, which the migration makes in each database's own way."""


topic_blocks = sa.Table(
    "topic_blocks",
    metadata,
    sa.Column("language", sa.String(8), primary_key=True),
    sa.Column("first_at", UtcTime, primary_key=True),
    sa.Column("first_id", sa.BigInteger, primary_key=True, autoincrement=False),
    *(sa.Column(block_count(realm, category), sa.Integer, nullable=False) for realm, category in COUNTED),
)
"""How many texts of each realm and category lie from one place in the order of a language up to the next.
Only their sums matter: see ``store/topic_counts.py``."""

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
    sa.Index(None, "url_key"),
)
"""``url_key`` is a digest of the address: an item that is sent again replaces itself."""

written_texts = sa.Table(
    "written_texts",
    metadata,
    sa.Column("topic_id", sa.BigInteger, primary_key=True),
    sa.Column("language", sa.String(8), primary_key=True),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("outcome", sa.String(16), nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("asked_by", sa.String(64), nullable=False),
    sa.Column("inputs", sa.String(64), nullable=False),
    sa.Column("stage", sa.SmallInteger, nullable=False),
    sa.Column("from_language", sa.String(8)),
    sa.Column("as_of", UtcTime, nullable=False),
    sa.Column("made_at", UtcTime, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Index(None, "made_at"),
)
"""What a model was asked to word of a topic in a language, and what came of it. ``asked_by`` is a digest of
the model and the prompts, ``inputs`` one of what it was shown, ``as_of`` the topic's ``updated_at`` then and
``stage`` how much of the market around it was known. ``body`` is JSON: of an insight, each part's prose by a
digest of the facts behind it. A translation's text stands in ``topic_texts``."""

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
    sa.Column("pace", sa.Text),
    sa.Column("read_at", UtcTime),
    sa.Column("held_until", UtcTime),
)
"""The state of each configured feed, shared by all processes; ``failures`` in a row set the back-off.
``pace`` is what the feed itself says of how often to ask (JSON), ``read_at`` when it last sent its entries
whole, and ``held_until`` when its host may be asked again, if that told us to wait."""

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
    sa.Column("seen_at", UtcTime),
    sa.Column("simhash", sa.BigInteger, nullable=False),
    sa.Column("entities", sa.Text, nullable=False),
    sa.Column("figures", sa.Text, nullable=False),
    sa.Column("topic_id", sa.BigInteger),
    sa.UniqueConstraint("feed_id", "guid_key"),
    sa.Index(None, "url_key"),
    sa.Index(None, "published_at"),
    sa.Index(None, "topic_id"),
)
"""Articles out of feeds. ``entities`` and ``figures`` are JSON arrays, by which languages are linked.
``seen_at`` is when a feed last held it still, a day or less behind; null until a day after it came."""

topic_posts = sa.Table(
    "topic_posts",
    metadata,
    sa.Column("post_id", sa.String(24), primary_key=True),
    sa.Column("topic_id", sa.BigInteger, nullable=False),
    sa.Column("username", sa.String(64), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("verified", sa.Boolean, nullable=False),
    sa.Column("official", sa.Boolean, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("language", sa.String(8)),
    sa.Column("published_at", UtcTime, nullable=False),
    sa.Column("likes", sa.BigInteger, nullable=False),
    sa.Column("reposts", sa.BigInteger, nullable=False),
    sa.Column("quotes", sa.BigInteger, nullable=False),
    sa.Column("replies", sa.BigInteger, nullable=False),
    sa.Column("read_at", UtcTime, nullable=False),
    sa.Index(None, "topic_id"),
    sa.Index(None, "read_at"),
)
"""Posts that were read for topics, each for the one topic that it was found for first, with what X counted
when it was last asked. ``official`` where the account is one of somebody's whom the topic is about."""

post_searches = sa.Table(
    "post_searches",
    metadata,
    sa.Column("topic_id", sa.BigInteger, primary_key=True),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("since_id", sa.String(24)),
    sa.Column("newest_id", sa.String(24)),
    sa.Column("next_token", sa.Text),
    sa.Column("pages", sa.SmallInteger, nullable=False),
    sa.Column("asked_at", UtcTime, nullable=False),
    sa.Column("due_at", UtcTime, nullable=False),
    sa.Index(None, "due_at"),
)
"""How far each topic's search for posts has come. All up to ``since_id`` is read; while ``next_token``
stands, ``pages`` are read of what came since, of which ``newest_id`` is the newest."""

post_sources = sa.Table(
    "post_sources",
    metadata,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
)
"""Breaker, budget and rate windows of whoever is asked for posts, shared by all processes as JSON."""
