"""Stores a text that a model wrote, unless the topic has changed meanwhile."""

from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import Database, bump
from backend.topics.model import Topic, TopicText
from backend.topics.store import generation_records, text_store, topic_rows
from backend.topics.store.generation_records import Record
from backend.topics.store.topic_store import CHANGE_COUNTER
from backend.topics.tables import topics


def store_text(database: Database, record: Record, text: TopicText | None) -> bool:
    """Store a record together with its translation, if any. Returns False and stores nothing if the topic has
    changed meanwhile; the next tick then decides again."""
    with database.write() as connection:
        if record.kind == "insight" or text is None:
            generation_records.store_record(connection, record)
            return True
        bump(connection, CHANGE_COUNTER)  # first statement: it locks out other writers of topics
        topic = _load_unchanged_topic(connection, record)
        if topic is None:
            return False
        generation_records.store_record(connection, record)
        _add_translation(connection, topic, record, text)
    return True


def _load_unchanged_topic(connection: Connection, record: Record) -> Topic | None:
    """Return the topic if it still lacks the language and its original text is the translated one."""
    matching_topics = topic_rows.read_topics(connection, [record.topic_id])
    if not matching_topics or record.from_language is None:
        return None
    existing = matching_topics[0].texts.get(record.language)
    source = matching_topics[0].texts.get(record.from_language)
    if (existing is not None and existing.origin != "model") or source is None or source.origin == "model":
        return None
    return matching_topics[0] if generation_records.hash_text(source) == record.inputs else None


def _add_translation(connection: Connection, topic: Topic, record: Record, text: TopicText) -> None:
    total_score = (topics.c.tweet_score + topics.c.media_score).label("score")
    score = connection.execute(sa.select(total_score).where(topics.c.id == record.topic_id)).scalar_one()
    only_translation = replace(topic, texts={record.language: text})
    text_store.write_texts(
        connection,
        [text_store.Entry(only_translation, record.topic_id, topic.realm, score, is_new=False)],
        replace=False,
    )
