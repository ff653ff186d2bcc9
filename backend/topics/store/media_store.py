"""The media of topics, as they are stored; what they score goes into their topic's score."""

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection

from backend.topics.model import Media, MediaKind
from backend.topics.tables import topic_media, topic_texts, topics

T = TypeVar("T")
BATCH = 500
"""Topics in one statement."""
NAME = ("topic_id", "kind", "url_key")
"""What one item is known by."""


def add(connection: Connection, given: Sequence[tuple[int, Media]], now: datetime) -> list[int]:
    """Store items of topics, in place of those of their kind with their address; gives the ids, in order."""
    if not given:
        return []
    rows = {_name(topic_id, item): _row(topic_id, item) for topic_id, item in given}
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    statement = insert(topic_media)
    replaced = [column.name for column in topic_media.columns if column.name not in ("id", *NAME)]
    statement = statement.on_conflict_do_update(
        index_elements=NAME, set_={name: statement.excluded[name] for name in replaced}
    )
    connection.execute(statement, [rows[name] for name in sorted(rows)])
    touched = sorted({topic_id for topic_id, _ in given})
    ids: dict[tuple[Any, ...], int] = {}
    columns = [topic_media.c[name] for name in NAME]
    for part in _parts(touched):
        look = sa.select(topic_media.c.id, *columns).where(topic_media.c.topic_id.in_(part))
        ids |= {tuple(name): number for number, *name in connection.execute(look)}
        _score(connection, part, now)
    return [ids[_name(topic_id, item)] for topic_id, item in given]


def remove(
    connection: Connection, topic_id: int, kind: MediaKind, urls: Collection[str], now: datetime
) -> None:
    keys = sorted(url_key(url) for url in urls)
    for part in _parts(keys):
        gone = sa.delete(topic_media).where(
            topic_media.c.topic_id == topic_id, topic_media.c.kind == kind, topic_media.c.url_key.in_(part)
        )
        connection.execute(gone)
    _score(connection, [topic_id], now)


def move(connection: Connection, topic_id: int, into: int, now: datetime) -> None:
    """Give ``into`` the items of a topic; what it has already stays as it is."""
    its = topic_media.alias()
    known = sa.exists().where(
        its.c.topic_id == into, its.c.kind == topic_media.c.kind, its.c.url_key == topic_media.c.url_key
    )
    of_topic = topic_media.c.topic_id == topic_id
    connection.execute(sa.delete(topic_media).where(of_topic, known))
    connection.execute(sa.update(topic_media).where(of_topic).values(topic_id=into))
    _score(connection, [topic_id, into], now)


def url_key(url: str) -> str:
    """A digest of fixed length: an address may be longer than an index entry can be."""
    return hashlib.sha256(url.encode()).hexdigest()


def _score(connection: Connection, topic_ids: Sequence[int], now: datetime) -> None:
    """Add up what the items of topics score."""
    of_media = sa.select(sa.func.coalesce(sa.func.sum(topic_media.c.score), 0.0)).where(
        topic_media.c.topic_id == topics.c.id
    )
    scored = sa.update(topics).where(topics.c.id.in_(topic_ids))
    connection.execute(scored.values(media_score=of_media.scalar_subquery(), updated_at=now))
    both = sa.select(topics.c.tweet_score + topics.c.media_score).where(topics.c.id == topic_texts.c.topic_id)
    told = sa.update(topic_texts).where(topic_texts.c.topic_id.in_(topic_ids))
    connection.execute(told.values(score=both.scalar_subquery()))


def _name(topic_id: int, item: Media) -> tuple[int, str, str]:
    return topic_id, item.kind, url_key(item.url)


def _row(topic_id: int, item: Media) -> dict[str, Any]:
    return {
        "topic_id": topic_id,
        "kind": item.kind,
        "url_key": url_key(item.url),
        "url": item.url,
        "title": item.title,
        "summary": item.summary,
        "site_name": item.site_name,
        "published_at": item.published_at,
        "language": item.language,
        "score": item.score,
    }


def _parts(given: Sequence[T]) -> list[Sequence[T]]:
    return [given[at : at + BATCH] for at in range(0, len(given), BATCH)]
