"""Loads the news items of a time window for grouping."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import LANGUAGES, Language
from backend.topics.tables import news_items

MAX_ITEMS = 8_000
"""Newest items of a window that are regrouped; older items keep their topics."""
BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class Member:
    """A news item. ``simhash`` is a signed 64-bit integer, 0 for a text that is too short."""

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
    topic_id: int | None = field(default=None, compare=False)


def load_window(connection: Connection, since: datetime, until: datetime) -> list[Member]:
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


def load_topic_members(
    connection: Connection, topic_ids: Sequence[int], loaded: Sequence[Member]
) -> list[Member]:
    """Load the items of these topics except ``loaded``, which holds the newest items up to now."""
    known = {one.id for one in loaded}
    first, last = min(one.published_at for one in loaded), max(one.published_at for one in loaded)
    apart = sa.or_(news_items.c.published_at <= first, news_items.c.published_at > last)
    found = []
    for at in range(0, len(topic_ids), BATCH_SIZE):
        part = news_items.c.topic_id.in_(topic_ids[at : at + BATCH_SIZE])
        selected = sa.select(news_items).where(part, apart).order_by(news_items.c.id)
        found += [_parse_member(row) for row in connection.execute(selected) if row.id not in known]
    return found


def _parse_member(row: Row[Any]) -> Member:
    return Member(
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
        topic_id=row.topic_id,
    )
