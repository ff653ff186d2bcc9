"""Forgetting articles that nothing needs any more: no open topic, and no feed that still holds them.

An article that a feed still holds would come again with the next answer, and one without a date of its own
would come as new. So it stays as long as its feed showed it within a day of the last whole answer; of feeds
that are asked no more it goes by its age alone.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import Database
from backend.topics.feeds.article_store import SEEN_EVERY
from backend.topics.grouping.clustering import WINDOW
from backend.topics.tables import feeds, news_items

BATCH = 500
"""Articles in one transaction."""
MOST_BATCHES = 20
"""Transactions of one call: the rest is left to the next."""
_NEVER = datetime(1, 1, 1, tzinfo=UTC)


def forget(database: Database, asked: Collection[str], *, keep: timedelta, now: datetime) -> int:
    """Delete articles published longer than ``keep`` ago that are no longer needed; gives how many.

    ``asked`` are the ids of the feeds that are asked. What stands in a topic with an article inside the
    grouping's window stays: the topic is written from all of its articles.
    """
    old = now - max(keep, WINDOW)
    gone = batches = 0
    for feed_id, shown_until in _limits(database, asked, old, now).items():
        while batches < MOST_BATCHES:
            with database.write() as connection:
                found = _unneeded(connection, feed_id, old, shown_until, now)
                connection.execute(sa.delete(news_items).where(news_items.c.id.in_(found)))
            gone += len(found)
            batches += bool(found)
            if len(found) < BATCH:
                break
    return gone


def _limits(database: Database, asked: Collection[str], old: datetime, now: datetime) -> dict[str, datetime]:
    """Of each feed with old articles, before when one must have been seen last for the feed to have dropped
    it."""
    with database.read() as connection:
        of_feeds = sa.select(news_items.c.feed_id).where(news_items.c.published_at < old).distinct()
        held = sorted(connection.execute(of_feeds).scalars())
        read_at = {row.id: row.read_at for row in connection.execute(sa.select(feeds.c.id, feeds.c.read_at))}
    return {
        feed_id: (read_at.get(feed_id) or _NEVER + SEEN_EVERY) - SEEN_EVERY if feed_id in asked else now
        for feed_id in held
    }


def _unneeded(
    connection: Connection, feed_id: str, old: datetime, shown_until: datetime, now: datetime
) -> list[int]:
    open_topics = (
        sa.select(news_items.c.topic_id)
        .where(news_items.c.published_at >= now - WINDOW, news_items.c.topic_id.is_not(None))
        .distinct()
    )
    look = (
        sa.select(news_items.c.id)
        .where(
            news_items.c.feed_id == feed_id,
            news_items.c.published_at < old,
            sa.func.coalesce(news_items.c.seen_at, news_items.c.fetched_at) < shown_until,
            sa.or_(news_items.c.topic_id.is_(None), news_items.c.topic_id.not_in(open_topics)),
        )
        .order_by(news_items.c.published_at)
        .limit(BATCH)
    )
    return list(connection.execute(look).scalars())
