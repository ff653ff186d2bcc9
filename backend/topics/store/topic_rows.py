"""Inserts, updates and loads topics with their texts and media."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import Language
from backend.topics.model import Category, Media, Term, Topic, TopicText
from backend.topics.store.text_store import Entry
from backend.topics.tables import topic_media, topic_texts, topics

BATCH_SIZE = 500
"""Topics read in one statement."""


def insert_topics(connection: Connection, new_topics: Sequence[Topic], now: datetime) -> list[int]:
    """Insert topics; returns their ids in order."""
    if not new_topics:
        return []
    rows = [
        {
            "external_id": topic.external_id,
            "realm": topic.realm,
            "language": next(iter(topic.texts)),
            "media_score": 0.0,
            **_build_columns(topic, now),
        }
        for topic in new_topics
    ]
    statement = sa.insert(topics).returning(topics.c.id, sort_by_parameter_order=True)
    return list(connection.execute(statement, rows).scalars())


def update_topics(connection: Connection, entries: Sequence[Entry], now: datetime) -> None:
    if entries:
        rows = [{"of_id": entry.id, **_build_columns(entry.topic, now)} for entry in entries]
        changed: dict[str, Any] = {name: sa.bindparam(name) for name in rows[0] if name != "of_id"}
        statement = sa.update(topics).where(topics.c.id == sa.bindparam("of_id")).values(changed)
        connection.execute(statement, rows)


def read_topics(connection: Connection, ids: Sequence[int]) -> list[Topic]:
    """Load the existing topics of ``ids`` in that order, each with its media and its texts (own language
    first)."""
    topics_by_id: dict[int, Topic] = {}
    for at in range(0, len(ids), BATCH_SIZE):
        part = ids[at : at + BATCH_SIZE]
        texts: dict[int, dict[Language, TopicText]] = {}
        media: dict[int, list[Media]] = {}
        own_first = sa.case((topics.c.language == topic_texts.c.language, 0), else_=1)
        query = (
            sa.select(topic_texts)
            .join(topics, topics.c.id == topic_texts.c.topic_id)
            .where(topic_texts.c.topic_id.in_(part))
            .order_by(topic_texts.c.topic_id, own_first, topic_texts.c.language)
        )
        for row in connection.execute(query):
            texts.setdefault(row.topic_id, {})[row.language] = _parse_text(row)
        query = sa.select(topic_media).where(topic_media.c.topic_id.in_(part)).order_by(topic_media.c.id)
        for row in connection.execute(query):
            media.setdefault(row.topic_id, []).append(parse_media(row))
        for row in connection.execute(sa.select(topics).where(topics.c.id.in_(part))):
            topics_by_id[row.id] = _parse_topic(row, texts.get(row.id, {}), media.get(row.id, ()))
    return [topics_by_id[number] for number in ids if number in topics_by_id]


def parse_media(row: Row[Any]) -> Media:
    return Media(
        kind=row.kind,
        url=row.url,
        title=row.title,
        summary=row.summary,
        published_at=row.published_at,
        site_name=row.site_name,
        language=row.language,
        score=row.score,
        id=row.id,
    )


def _build_columns(topic: Topic, now: datetime) -> dict[str, Any]:
    return {
        "category": int(topic.category),
        "published_at": topic.published_at,
        "updated_at": now,
        "url": topic.url,
        "cover_img": topic.cover_img,
        "tweet_score": topic.tweet_score,
        "coverage": topic.coverage,
        "entities": orjson.dumps(topic.entities).decode(),
        "event": topic.event,
    }


def _parse_topic(row: Row[Any], texts: dict[Language, TopicText], media: Sequence[Media]) -> Topic:
    return Topic(
        category=Category(row.category),
        published_at=row.published_at,
        url=row.url,
        texts=texts,
        external_id=row.external_id,
        realm=row.realm,
        cover_img=row.cover_img,
        tweet_score=row.tweet_score,
        coverage=row.coverage,
        entities=tuple(orjson.loads(row.entities)),
        event=row.event,
        media=tuple(media),
        id=row.id,
    )


def _parse_text(row: Row[Any]) -> TopicText:
    return TopicText(
        title=row.title,
        subtitle=row.subtitle,
        summary=row.summary,
        bullets=tuple(tuple(group) for group in orjson.loads(row.bullets)),
        terms=tuple(Term(term["term"], term["definition"]) for term in orjson.loads(row.terms)),
        origin=row.origin,
    )
