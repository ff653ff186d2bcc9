"""Selects the topics whose posts are searched next, and stores the progress of each search."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import Entity
from backend.store.database import Database, upsert
from backend.topics.model import RANKING_WINDOW, Topic
from backend.topics.posts.model import POST_RETENTION, Page
from backend.topics.posts.search_query import build_query
from backend.topics.store import topic_rows
from backend.topics.tables import post_searches, topics

SEARCHED_REALMS = ("own", "live")
FRESH_AGE = timedelta(hours=6)
FRESH_SEARCH_INTERVAL, SEARCH_INTERVAL = timedelta(minutes=30), timedelta(hours=2)
"""Time between searches for a topic up to :data:`FRESH_AGE` old, and for an older one."""
INVALID_QUERY_WAIT = timedelta(hours=6)
"""Wait after X rejected a query as malformed."""
DUE_TOLERANCE = timedelta(seconds=15)
"""A search counts as due this much earlier, because scheduler ticks come a little late."""
POSTS_LEAD_TIME = timedelta(hours=3)
"""Posts count from this long before the topic's publication on."""
MAX_PAGES_PER_SEARCH = 5
"""Pages of one search. For a topic with more posts the older ones are not read."""


@dataclass(frozen=True, slots=True)
class Search:
    """The search for a topic's posts. ``query`` is None if nothing sets its posts apart."""

    topic: Topic
    query: str | None
    since_id: str | None = None
    newest_id: str | None = None
    next_token: str | None = None
    pages: int = 0

    @property
    def topic_id(self) -> int:
        if self.topic.id is None:
            raise LookupError("The topic of a search has no id: it must be stored first.")
        return self.topic.id

    @property
    def start_time(self) -> datetime:
        return self.topic.published_at - POSTS_LEAD_TIME

    def after_page(self, page: Page) -> "Search":
        """Return the search after ``page``: at the next page, or complete up to the newest post."""
        newest = max(filter(None, (self.newest_id, page.newest_id)), key=int, default=None)
        if page.next_token is not None and self.pages + 1 < MAX_PAGES_PER_SEARCH:
            return replace(self, newest_id=newest, next_token=page.next_token, pages=self.pages + 1)
        return replace(self, since_id=newest or self.since_id, newest_id=None, next_token=None, pages=0)

    def from_start(self) -> "Search":
        return Search(self.topic, self.query)


def list_due_searches(
    database: Database, entities: Mapping[str, Entity], *, now: datetime, limit: int
) -> list[Search]:
    """List up to ``limit`` due searches for topics inside the ranking window, the most important topics
    first.

    Reports of this service are excluded, and topics whose API client sent a post score.
    """
    query_rows = (
        sa.select(topics.c.id, post_searches)
        .join_from(topics, post_searches, post_searches.c.topic_id == topics.c.id, isouter=True)
        .where(
            topics.c.realm.in_(SEARCHED_REALMS),
            topics.c.published_at > now - RANKING_WINDOW,
            topics.c.published_at <= now,
            topics.c.merged_into.is_(None),
            topics.c.event.is_(None),
            topics.c.tweet_score == 0,
            sa.or_(post_searches.c.due_at.is_(None), post_searches.c.due_at <= now + DUE_TOLERANCE),
        )
        .order_by(topics.c.category, topics.c.coverage.desc(), topics.c.published_at.desc(), topics.c.id)
        .limit(limit)
    )
    with database.read() as connection:
        stored = {row.id: row for row in connection.execute(query_rows)}
        due_topics = topic_rows.read_topics(connection, list(stored))
    return [
        _resume_search(topic, build_query(topic, entities), stored[topic.id or 0]) for topic in due_topics
    ]


def _resume_search(topic: Topic, query: str | None, row: Row[Any]) -> Search:
    """Resume the stored search; start again if the query has changed, as after more articles."""
    if row.topic_id is None or row.query != (query or ""):
        return Search(topic, query)
    return Search(topic, query, row.since_id, row.newest_id, row.next_token, row.pages)


def store_search(
    connection: Connection, search: Search, now: datetime, *, wait: timedelta | None = None
) -> None:
    """Store the progress of a search. The next page is due at once. A complete search is due again after
    ``wait``, or else after an interval that depends on the topic's age."""
    is_fresh = now - search.topic.published_at < FRESH_AGE
    interval = (
        timedelta()
        if search.next_token is not None
        else FRESH_SEARCH_INTERVAL
        if is_fresh
        else SEARCH_INTERVAL
    )
    row = {
        "topic_id": search.topic_id,
        "query": search.query or "",
        "since_id": search.since_id,
        "newest_id": search.newest_id,
        "next_token": search.next_token,
        "pages": search.pages,
        "asked_at": now,
        "due_at": now + (interval if wait is None else wait),
    }
    upsert(connection, post_searches, [row])


def delete_old_searches(connection: Connection, now: datetime) -> None:
    """Delete searches of topics that left the ranking window long ago."""
    is_old = post_searches.c.due_at < now - POST_RETENTION
    connection.execute(sa.delete(post_searches).where(is_old))
