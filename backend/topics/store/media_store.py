"""Stores the media of topics and adds their scores to the topics.

Media are links to primary sources, articles and posts.
"""

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
BATCH_SIZE = 500
"""Maximum number of ids or URLs in one statement."""
UNIQUE_COLUMNS = ("topic_id", "kind", "url_key")
"""The columns that identify one item."""


def upsert_media(connection: Connection, items: Sequence[tuple[int, Media]], now: datetime) -> list[int]:
    """Insert media items of topics, or replace those of the same kind and URL. Returns the ids in order."""
    if not items:
        return []
    rows = {_build_identity(topic_id, item): _build_row(topic_id, item) for topic_id, item in items}
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    statement = insert(topic_media)
    replaced = [column.name for column in topic_media.columns if column.name not in ("id", *UNIQUE_COLUMNS)]
    statement = statement.on_conflict_do_update(
        index_elements=UNIQUE_COLUMNS, set_={name: statement.excluded[name] for name in replaced}
    )
    connection.execute(statement, [rows[identity] for identity in sorted(rows)])
    topic_ids = sorted({topic_id for topic_id, _ in items})
    ids: dict[tuple[Any, ...], int] = {}
    columns = [topic_media.c[name] for name in UNIQUE_COLUMNS]
    for batch in _split_batches(topic_ids):
        stored = sa.select(topic_media.c.id, *columns).where(topic_media.c.topic_id.in_(batch))
        ids |= {tuple(identity): number for number, *identity in connection.execute(stored)}
        _update_scores(connection, batch, now)
    return [ids[_build_identity(topic_id, item)] for topic_id, item in items]


def delete_media(
    connection: Connection, topic_id: int, kind: MediaKind, urls: Collection[str], now: datetime
) -> None:
    keys = sorted(hash_url(url) for url in urls)
    for batch in _split_batches(keys):
        delete = sa.delete(topic_media).where(
            topic_media.c.topic_id == topic_id, topic_media.c.kind == kind, topic_media.c.url_key.in_(batch)
        )
        connection.execute(delete)
    _update_scores(connection, [topic_id], now)


def move_media(connection: Connection, topic_id: int, target_topic_id: int, now: datetime) -> None:
    """Move the items of a topic to another; items that the target already has are deleted."""
    target_media = topic_media.alias()
    is_in_target = sa.exists().where(
        target_media.c.topic_id == target_topic_id,
        target_media.c.kind == topic_media.c.kind,
        target_media.c.url_key == topic_media.c.url_key,
    )
    of_topic = topic_media.c.topic_id == topic_id
    connection.execute(sa.delete(topic_media).where(of_topic, is_in_target))
    connection.execute(sa.update(topic_media).where(of_topic).values(topic_id=target_topic_id))
    _update_scores(connection, [topic_id, target_topic_id], now)


def hash_url(url: str) -> str:
    """Return a digest of fixed length, because a URL may exceed the size limit of index entries."""
    return hashlib.sha256(url.encode()).hexdigest()


def _update_scores(connection: Connection, topic_ids: Sequence[int], now: datetime) -> None:
    """Write the media score to the topics, and the total score of posts and media to their texts."""
    media_score = sa.select(sa.func.coalesce(sa.func.sum(topic_media.c.score), 0.0)).where(
        topic_media.c.topic_id == topics.c.id
    )
    update_topics = sa.update(topics).where(topics.c.id.in_(topic_ids))
    connection.execute(update_topics.values(media_score=media_score.scalar_subquery(), updated_at=now))
    total_score = sa.select(topics.c.tweet_score + topics.c.media_score).where(
        topics.c.id == topic_texts.c.topic_id
    )
    update_texts = sa.update(topic_texts).where(topic_texts.c.topic_id.in_(topic_ids))
    connection.execute(update_texts.values(score=total_score.scalar_subquery()))


def _build_identity(topic_id: int, item: Media) -> tuple[int, str, str]:
    return topic_id, item.kind, hash_url(item.url)


def _build_row(topic_id: int, item: Media) -> dict[str, Any]:
    return {
        "topic_id": topic_id,
        "kind": item.kind,
        "url_key": hash_url(item.url),
        "url": item.url,
        "title": item.title,
        "summary": item.summary,
        "site_name": item.site_name,
        "published_at": item.published_at,
        "language": item.language,
        "score": item.score,
    }


def _split_batches(items: Sequence[T]) -> list[Sequence[T]]:
    return [items[at : at + BATCH_SIZE] for at in range(0, len(items), BATCH_SIZE)]
