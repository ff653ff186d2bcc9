"""Puts a text that a model worded into the store, unless the topic has changed meanwhile."""

from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import Database, bump
from backend.topics.model import Topic, TopicText
from backend.topics.store import generation_records, text_store, topic_rows
from backend.topics.store.generation_records import Record
from backend.topics.store.topic_store import CHANGE_COUNTER
from backend.topics.tables import topics


def place(database: Database, record: Record, text: TopicText | None) -> bool:
    """Store a record, and with it a translation. False where the topic is another by now: then nothing is
    stored, and what there is to word is looked at anew."""
    with database.write() as connection:
        if record.kind == "insight" or text is None:
            generation_records.store_record(connection, record)
            return True
        bump(connection, CHANGE_COUNTER)  # the first statement: other writers of topics wait for it
        topic = _current(connection, record)
        if topic is None:
            return False
        generation_records.store_record(connection, record)
        _add(connection, topic, record, text)
    return True


def _current(connection: Connection, record: Record) -> Topic | None:
    """The topic, if it still lacks the language and its original is the one that was translated."""
    found = topic_rows.read_topics(connection, [record.topic_id])
    if not found or record.from_language is None:
        return None
    own = found[0].texts.get(record.language)
    source = found[0].texts.get(record.from_language)
    if (own is not None and own.origin != "model") or source is None or source.origin == "model":
        return None
    return found[0] if generation_records.hash_text(source) == record.inputs else None


def _add(connection: Connection, topic: Topic, record: Record, text: TopicText) -> None:
    both = (topics.c.tweet_score + topics.c.media_score).label("score")
    score = connection.execute(sa.select(both).where(topics.c.id == record.topic_id)).scalar_one()
    alone = replace(topic, texts={record.language: text})
    text_store.write_texts(
        connection,
        [text_store.Entry(alone, record.topic_id, topic.realm, score, is_new=False)],
        replace=False,
    )
