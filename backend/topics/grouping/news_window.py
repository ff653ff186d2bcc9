"""Loads the news items of a time window for grouping."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import LANGUAGES, Language
from backend.topics.feeds.entry_links import Link, load_links
from backend.topics.tables import news_items

MAX_ITEMS = 8_000
"""Newest items of a window that are regrouped; older items keep their topics."""
MAX_REPRESENTATIVES = 4_000
"""Topics of the older items of a window that new items can still join, the largest first."""
BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class NewsArticle:
    """An article of a feed.

    ``simhash`` is a signed 64-bit integer, 0 for a text that is too short.
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
    entities: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    topic_id: int | None = field(default=None, compare=False)


def load_window(connection: Connection, since: datetime, until: datetime) -> list[NewsArticle]:
    """Load the newest items published from ``since`` to ``until``, both included, ordered by time and id."""
    selected = (
        sa.select(news_items)
        .where(
            news_items.c.published_at >= since,
            news_items.c.published_at <= until,
            news_items.c.language.in_(LANGUAGES),
        )
        .order_by(news_items.c.published_at.desc(), news_items.c.id.desc())
        .limit(MAX_ITEMS)
    )
    return [_parse_member(row) for row in reversed(connection.execute(selected).all())]


def load_representatives(
    connection: Connection, since: datetime, newest: Sequence[NewsArticle]
) -> list[NewsArticle]:
    """Load the newest article of each topic with several articles that are older than ``newest``.

    In a window with more than :data:`MAX_ITEMS` items they stand for their topics, so that an update finds a
    story of two days ago. Returns none for a smaller window."""
    if len(newest) < MAX_ITEMS:
        return []
    is_older = sa.and_(
        news_items.c.published_at >= since,
        news_items.c.published_at < newest[0].published_at,
        news_items.c.topic_id.is_not(None),
        news_items.c.topic_id.not_in({member.topic_id for member in newest if member.topic_id is not None}),
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
    members = []
    for at in range(0, len(ids), BATCH_SIZE):
        selected = sa.select(news_items).where(news_items.c.id.in_(ids[at : at + BATCH_SIZE]))
        members += [_parse_member(row) for row in connection.execute(selected)]
    return sorted(members, key=lambda member: (member.published_at, member.id))


def load_topic_members(
    connection: Connection, topic_ids: Sequence[int], loaded: Sequence[NewsArticle]
) -> list[NewsArticle]:
    """Load the items of these topics except ``loaded``, which holds the newest items up to now."""
    loaded_ids = {member.id for member in loaded}
    first, last = min(member.published_at for member in loaded), max(member.published_at for member in loaded)
    is_outside_window = sa.or_(news_items.c.published_at <= first, news_items.c.published_at > last)
    members = []
    for at in range(0, len(topic_ids), BATCH_SIZE):
        part = news_items.c.topic_id.in_(topic_ids[at : at + BATCH_SIZE])
        selected = sa.select(news_items).where(part, is_outside_window).order_by(news_items.c.id)
        members += [_parse_member(row) for row in connection.execute(selected) if row.id not in loaded_ids]
    return members


def _parse_member(row: Row[Any]) -> NewsArticle:
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
        entities=tuple(orjson.loads(row.entities)),
        figures=tuple(orjson.loads(row.figures)),
        links=load_links(row.links),
        topic_id=row.topic_id,
    )
