"""Defines the tables of topics and feeds."""

import sqlalchemy as sa

from backend.store.database import BIG_ID, UtcTime, metadata
from backend.topics.model import Category, Realm

REALMS: tuple[Realm, ...] = ("own", "live", "sample")
COUNTED = [(realm, category) for realm in REALMS for category in Category]


def block_count(realm: str, category: int) -> str:
    """Return the column of ``topic_blocks`` that counts the topics of a realm and category."""
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
"""``language`` is the topic's own, that of its first text. ``tweet_score`` is the score that an API client
sent and ``media_score`` the score of posts; their sum is the interface's ``total_tweet_score``. ``coverage``
is the weighted count of outlets, which ranks topics without posts. ``entities`` is a JSON array. A merged
topic redirects to ``merged_into``."""

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
"""Realm, category, time, ``score`` (the sum of the topic's two scores) and coverage are copied here, so that
pages, counts and rankings of a language each scan one index. The realm comes last in the index, because a
page mixes the topics of two realms. ``bullets`` and ``terms`` are JSON. ``indexed`` is the version of the
tokenizer that indexed the text, null for a text that is not indexed yet."""

SEARCH_TABLE = "topic_search"
"""The full-text index of topics. The migration creates it in each database's own syntax."""


topic_blocks = sa.Table(
    "topic_blocks",
    metadata,
    sa.Column("language", sa.String(8), primary_key=True),
    sa.Column("first_at", UtcTime, primary_key=True),
    sa.Column("first_id", sa.BigInteger, primary_key=True, autoincrement=False),
    *(sa.Column(block_count(realm, category), sa.Integer, nullable=False) for realm, category in COUNTED),
)
"""The number of texts by realm and category, from one position in a language's order to the next. Only the
sums matter: see ``store/topic_counts.py``."""

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
"""``url_key`` is a digest of the URL: an item that is sent again replaces the stored one."""

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
"""Requests for model texts and their outcomes, by topic, language and kind. ``asked_by`` is a digest of the
model and the prompts, ``inputs`` a digest of the prompt's inputs. ``as_of`` is the topic's ``updated_at`` at
that time, ``stage`` the number of past stages of market history. ``body`` is JSON: the prose of an insight's
parts by the digest of their facts. The text of a translation is in ``topic_texts``."""

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
"""The state of each configured feed, shared by all processes. ``failures`` counts consecutive failures and
sets the backoff. ``pace`` is the polling interval that the feed declares (JSON), ``read_at`` the time of its
last full response. ``held_until`` is the earliest time for the next request, if the host set one."""

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
    sa.Column("links", sa.Text, nullable=False, server_default="[]"),
    sa.Column("topic_id", sa.BigInteger),
    sa.UniqueConstraint("feed_id", "guid_key"),
    sa.Index(None, "url_key"),
    sa.Index(None, "published_at"),
    sa.Index(None, "topic_id"),
)
"""Articles from feeds. ``entities`` and ``figures`` are JSON arrays that link articles across languages.
``links`` is a JSON array: for each official page its URL, and the text, the context and the role of the link
to it (:mod:`backend.topics.feeds.entry_links`).
``seen_at`` is when a feed last listed the article, up to a day behind; null during the first day."""

cited_pages = sa.Table(
    "cited_pages",
    metadata,
    sa.Column("url_key", sa.String(64), primary_key=True),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("context", sa.Text, nullable=False),
    sa.Column("linked_at", UtcTime, nullable=False),
    sa.Column("due_at", UtcTime, index=True),
    sa.Column("read_at", UtcTime),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("problem", sa.Text),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("passage", sa.Text, nullable=False),
    sa.Column("published_at", UtcTime),
)
"""Official pages that articles link to. ``context`` is the title of the first such article and the text of
its link; the passage is chosen by it. ``due_at`` is the time of the next request, null after the last one."""

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
"""Posts with their metrics at the last request. Each belongs to the topic whose search found it first.
``official`` marks posts by an account of an entity of the topic."""

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
"""The progress of each topic's search for posts. All posts up to ``since_id`` are read. While ``next_token``
is set, ``pages`` newer pages are read, of which ``newest_id`` is the newest post."""

post_sources = sa.Table(
    "post_sources",
    metadata,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
)
"""Circuit breaker, budget and rate limit windows of post providers, shared by all processes as JSON."""
