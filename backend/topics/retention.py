"""Deletes articles that neither an open topic nor a feed still needs.

If a feed still lists a deleted article, the next poll stores it again; without a publication date it would
even look new. An article is therefore kept if its feed listed it less than a day before the feed's last full
response. Articles of feeds that are no longer polled are deleted by age alone.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import Database
from backend.topics.feeds.article_store import SEEN_UPDATE_INTERVAL
from backend.topics.model import NEWS_WINDOW
from backend.topics.tables import feeds, news_items

BATCH_SIZE = 500
"""Articles deleted in one transaction."""
MAX_BATCHES = 20
"""Transactions of one call; the next call deletes the rest."""
_NEVER = datetime(1, 1, 1, tzinfo=UTC)


def delete_unneeded_articles(
    database: Database, polled_feed_ids: Collection[str], *, max_age: timedelta, now: datetime
) -> int:
    """Delete articles that are no longer needed; returns their number.

    Only articles older than both ``max_age`` and the news window are deleted. ``polled_feed_ids`` holds the
    ids of the enabled feeds. Articles of a topic with any article inside the grouping window stay, because
    the topic is built from all of its articles.
    """
    published_before = now - max(max_age, NEWS_WINDOW)
    deleted = batches = 0
    for feed_id, seen_before in _find_seen_before(database, polled_feed_ids, published_before, now).items():
        while batches < MAX_BATCHES:
            with database.write() as connection:
                ids = _find_unneeded(connection, feed_id, published_before, seen_before, now)
                connection.execute(sa.delete(news_items).where(news_items.c.id.in_(ids)))
            deleted += len(ids)
            batches += bool(ids)
            if len(ids) < BATCH_SIZE:
                break
    return deleted


def _find_seen_before(
    database: Database, polled_feed_ids: Collection[str], published_before: datetime, now: datetime
) -> dict[str, datetime]:
    """Map each feed with old articles to a time: articles last seen before it are no longer in the feed."""
    with database.read() as connection:
        selected = (
            sa.select(news_items.c.feed_id).where(news_items.c.published_at < published_before).distinct()
        )
        feed_ids = sorted(connection.execute(selected).scalars())
        read_at = {row.id: row.read_at for row in connection.execute(sa.select(feeds.c.id, feeds.c.read_at))}
    return {
        feed_id: (read_at.get(feed_id) or _NEVER + SEEN_UPDATE_INTERVAL) - SEEN_UPDATE_INTERVAL
        if feed_id in polled_feed_ids
        else now
        for feed_id in feed_ids
    }


def _find_unneeded(
    connection: Connection, feed_id: str, published_before: datetime, seen_before: datetime, now: datetime
) -> list[int]:
    open_topics = (
        sa.select(news_items.c.topic_id)
        .where(news_items.c.published_at >= now - NEWS_WINDOW, news_items.c.topic_id.is_not(None))
        .distinct()
    )
    selected = (
        sa.select(news_items.c.id)
        .where(
            news_items.c.feed_id == feed_id,
            news_items.c.published_at < published_before,
            sa.func.coalesce(news_items.c.seen_at, news_items.c.fetched_at) < seen_before,
            sa.or_(news_items.c.topic_id.is_(None), news_items.c.topic_id.not_in(open_topics)),
        )
        .order_by(news_items.c.published_at)
        .limit(BATCH_SIZE)
    )
    return list(connection.execute(selected).scalars())
