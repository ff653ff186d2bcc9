"""Loads the news articles of a time window for grouping."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import LANGUAGES, Language
from backend.topics.feeds.entry_links import Link, load_links
from backend.topics.model import SAMPLE_URLS, Realm
from backend.topics.tables import news_items

MAX_ARTICLES = 8_000
"""Most articles regrouped in one window, the newest; older articles keep their topics."""
MAX_REPRESENTATIVES = 4_000
"""Most topics of older articles that new articles can still join; the largest are chosen."""
BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class NewsArticle:
    """An article of a feed.

    ``simhash`` is a signed 64-bit integer, 0 for a text that is too short. ``quantities`` are the figures
    with a unit in its text, such as ``3.125 BTC``.
    """

    id: int
    feed_id: str
    url: str
    title: str
    text: str
    language: Language
    published_at: datetime
    image: str | None = None
    simhash: int = 0
    entity_ids: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    topic_id: int | None = field(default=None, compare=False)


def load_window(
    connection: Connection, since: datetime, until: datetime, realm: Realm = "live"
) -> list[NewsArticle]:
    """Load the newest articles of ``realm`` from ``since`` to ``until``, both included, ordered by time and
    id."""
    selected = (
        sa.select(news_items)
        .where(
            news_items.c.published_at >= since,
            news_items.c.published_at <= until,
            is_of_realm(realm),
            news_items.c.language.in_(LANGUAGES),
        )
        .order_by(news_items.c.published_at.desc(), news_items.c.id.desc())
        .limit(MAX_ARTICLES)
    )
    return [_article_from_row(row) for row in reversed(connection.execute(selected).all())]


def is_of_realm(realm: Realm) -> sa.ColumnElement[bool]:
    """Return the condition that tells the made-up articles of sample mode from those of real feeds."""
    is_sample = sa.and_(news_items.c.feed_id.like("sample.%"), news_items.c.url.like(SAMPLE_URLS))
    return is_sample if realm == "sample" else sa.not_(is_sample)


def load_representatives(
    connection: Connection, since: datetime, window_articles: Sequence[NewsArticle], realm: Realm = "live"
) -> list[NewsArticle]:
    """For each topic with at least two articles, all older than ``window_articles``, load its newest article.

    In a window with more than :data:`MAX_ARTICLES` articles, each stands for its topic, so that a new article
    can still join a story of two days ago. Returns none for a smaller window.
    """
    if len(window_articles) < MAX_ARTICLES:
        return []
    is_older = sa.and_(
        news_items.c.published_at >= since,
        news_items.c.published_at < window_articles[0].published_at,
        is_of_realm(realm),
        news_items.c.topic_id.is_not(None),
        news_items.c.topic_id.not_in(
            {article.topic_id for article in window_articles if article.topic_id is not None}
        ),
    )
    chosen = (
        sa.select(sa.func.max(news_items.c.id))
        .where(is_older)
        .group_by(news_items.c.topic_id)
        .having(sa.func.count() > 1)
        .order_by(sa.func.count().desc(), news_items.c.topic_id.desc())
        .limit(MAX_REPRESENTATIVES)
    )
    ids = list(connection.execute(chosen).scalars())
    articles = []
    for at in range(0, len(ids), BATCH_SIZE):
        selected = sa.select(news_items).where(news_items.c.id.in_(ids[at : at + BATCH_SIZE]))
        articles += [_article_from_row(row) for row in connection.execute(selected)]
    return sorted(articles, key=lambda article: (article.published_at, article.id))


def load_topic_members(
    connection: Connection, topic_ids: Sequence[int], window_articles: Sequence[NewsArticle]
) -> list[NewsArticle]:
    """Load the articles of these topics that are not among ``window_articles``, the newest up to now."""
    window_ids = {article.id for article in window_articles}
    first, last = (
        min(article.published_at for article in window_articles),
        max(article.published_at for article in window_articles),
    )
    is_outside_window = sa.or_(news_items.c.published_at <= first, news_items.c.published_at > last)
    articles = []
    for at in range(0, len(topic_ids), BATCH_SIZE):
        part = news_items.c.topic_id.in_(topic_ids[at : at + BATCH_SIZE])
        selected = sa.select(news_items).where(part, is_outside_window).order_by(news_items.c.id)
        articles += [
            _article_from_row(row) for row in connection.execute(selected) if row.id not in window_ids
        ]
    return articles


def _article_from_row(row: Row[Any]) -> NewsArticle:
    return NewsArticle(
        id=row.id,
        feed_id=row.feed_id,
        url=row.url,
        title=row.title,
        text=row.text,
        language=cast(Language, row.language),
        published_at=row.published_at,
        image=row.image,
        simhash=row.simhash,
        entity_ids=tuple(orjson.loads(row.entities)),
        quantities=tuple(orjson.loads(row.figures)),
        links=load_links(row.links),
        topic_id=row.topic_id,
    )
