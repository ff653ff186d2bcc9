"""Which topics' posts are searched next, and how far each search has come."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import Entity
from backend.store.database import Database, upsert
from backend.topics.model import Topic
from backend.topics.posts.model import Page
from backend.topics.posts.search_query import query_of
from backend.topics.queries.ranking import RANKING_WINDOW
from backend.topics.store import topic_rows
from backend.topics.tables import post_searches, topics

REALMS = ("own", "live")
FRESH = timedelta(hours=6)
EVERY_FRESH, EVERY = timedelta(minutes=30), timedelta(hours=2)
"""How often the posts of a topic are searched, a fresh one's and another's."""
REFUSED = timedelta(hours=6)
"""How long a query rests that X takes for malformed."""
EARLY = timedelta(seconds=15)
"""A search counts as due so much before, since ticks of the clock come a little late."""
BEFORE = timedelta(hours=3)
"""How long before its first article a topic's first posts may have been written."""
MOST_PAGES = 5
"""Pages of one search: of a story with more posts the older ones are left."""
FORGET_AFTER = timedelta(days=8)


@dataclass(frozen=True, slots=True)
class Search:
    """The search for a topic's posts. ``query`` is None where nothing tells them from others."""

    topic: Topic
    query: str | None
    since_id: str | None = None
    newest_id: str | None = None
    next_token: str | None = None
    pages: int = 0

    @property
    def topic_id(self) -> int:
        if self.topic.id is None:
            raise LookupError("a topic that is searched for is stored")
        return self.topic.id

    @property
    def start(self) -> datetime:
        return self.topic.published_at - BEFORE

    def after(self, page: Page) -> "Search":
        """The search when ``page`` is read: with its next page, or with all read up to the newest post."""
        newest = max(filter(None, (self.newest_id, page.newest_id)), key=int, default=None)
        if page.next_token is not None and self.pages + 1 < MOST_PAGES:
            return replace(self, newest_id=newest, next_token=page.next_token, pages=self.pages + 1)
        return replace(self, since_id=newest or self.since_id, newest_id=None, next_token=None, pages=0)

    def afresh(self) -> "Search":
        return Search(self.topic, self.query)


def due(database: Database, entities: Mapping[str, Entity], *, now: datetime, many: int) -> list[Search]:
    """The ``many`` searches that are due of topics of the ranking's window, the most important topics first.

    Topics that the service wrote itself are not searched for, nor those whose sender counted the posts.
    """
    look = (
        sa.select(topics.c.id, post_searches)
        .join_from(topics, post_searches, post_searches.c.topic_id == topics.c.id, isouter=True)
        .where(
            topics.c.realm.in_(REALMS),
            topics.c.published_at > now - RANKING_WINDOW,
            topics.c.published_at <= now,
            topics.c.merged_into.is_(None),
            topics.c.event.is_(None),
            topics.c.tweet_score == 0,
            sa.or_(post_searches.c.due_at.is_(None), post_searches.c.due_at <= now + EARLY),
        )
        .order_by(topics.c.category, topics.c.coverage.desc(), topics.c.published_at.desc(), topics.c.id)
        .limit(many)
    )
    with database.read() as connection:
        stored = {row.id: row for row in connection.execute(look)}
        found = topic_rows.read_topics(connection, list(stored))
    return [_search(topic, query_of(topic, entities), stored[topic.id or 0]) for topic in found]


def _search(topic: Topic, query: str | None, row: Row[Any]) -> Search:
    """From where it stood; from the beginning where the query is another one, as after more articles."""
    if row.topic_id is None or row.query != (query or ""):
        return Search(topic, query)
    return Search(topic, query, row.since_id, row.newest_id, row.next_token, row.pages)


def note(connection: Connection, search: Search, now: datetime, *, wait: timedelta | None = None) -> None:
    """Store how far a search has come; the next page is due at once, the next round after ``wait`` or as the
    topic's age has it."""
    fresh = now - search.topic.published_at < FRESH
    rest = timedelta() if search.next_token is not None else EVERY_FRESH if fresh else EVERY
    row = {
        "topic_id": search.topic_id,
        "query": search.query or "",
        "since_id": search.since_id,
        "newest_id": search.newest_id,
        "next_token": search.next_token,
        "pages": search.pages,
        "asked_at": now,
        "due_at": now + (rest if wait is None else wait),
    }
    upsert(connection, post_searches, [row])


def forget(connection: Connection, now: datetime) -> None:
    """Delete searches of topics that left the window long ago."""
    old = post_searches.c.due_at < now - FORGET_AFTER
    connection.execute(sa.delete(post_searches).where(old))
