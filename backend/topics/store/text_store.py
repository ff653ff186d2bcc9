"""Writes and deletes the texts of topics."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import upsert
from backend.topics.model import Realm, Topic, TopicText
from backend.topics.store import topic_counts, valid_translations
from backend.topics.store.topic_counts import Place
from backend.topics.tables import topic_texts


@dataclass(frozen=True, slots=True)
class Entry:
    """A topic whose ``topics`` row is written. ``score`` is ``tweet_score`` plus ``media_score``."""

    topic: Topic
    id: int
    realm: Realm
    score: float
    is_new: bool


def write_texts(connection: Connection, entries: Sequence[Entry], *, replace: bool) -> None:
    """Write the texts of ``entries`` and copy the topic's sort columns to its other stored texts.

    With ``replace``, stored texts in languages that are not given are deleted. A translation stays while its
    source text is unchanged.
    """
    existing = [entry for entry in entries if not entry.is_new]
    before = _load_places(connection, [entry.id for entry in existing])
    texts_by_id = {entry.id: entry.topic.texts for entry in existing}
    translated = valid_translations.find_valid(connection, texts_by_id, replace=replace) if existing else {}
    kept_languages: dict[int, set[str]] = {}
    for place in before:
        if translated.get((place.topic_id, place.language), not replace):
            kept_languages.setdefault(place.topic_id, set()).add(place.language)
    after = {_build_place(entry, language) for entry in entries for language in entry.topic.texts}
    after |= {
        _build_place(entry, language) for entry in entries for language in kept_languages.get(entry.id, ())
    }
    staying = {(place.topic_id, place.language) for place in after}
    _delete(connection, [place for place in before if (place.topic_id, place.language) not in staying])
    _update_topic_columns(
        connection,
        [entry for entry in entries if kept_languages.get(entry.id, set()).difference(entry.topic.texts)],
    )
    upsert(connection, topic_texts, [row for entry in entries for row in _build_rows(entry)])
    topic_counts.apply_changes(connection, removed=set(before) - after, added=after - set(before))


def delete_texts(connection: Connection, topic_id: int) -> None:
    """Delete all texts of a topic."""
    removed_places = _load_places(connection, [topic_id])
    _delete(connection, removed_places)
    topic_counts.apply_changes(connection, removed=removed_places, added=())


def _build_place(entry: Entry, language: str) -> Place:
    return Place(entry.id, language, entry.realm, int(entry.topic.category), entry.topic.published_at)


def _load_places(connection: Connection, topic_ids: Collection[int]) -> list[Place]:
    if not topic_ids:
        return []
    columns = [topic_texts.c[name] for name in Place._fields]
    query = sa.select(*columns).where(topic_texts.c.topic_id.in_(topic_ids))
    return [Place(*row) for row in connection.execute(query)]


def _delete(connection: Connection, places: Sequence[Place]) -> None:
    if places:
        statement = sa.delete(topic_texts).where(
            topic_texts.c.topic_id == sa.bindparam("of_topic"),
            topic_texts.c.language == sa.bindparam("of_language"),
        )
        parameters = [{"of_topic": place.topic_id, "of_language": place.language} for place in places]
        connection.execute(statement, parameters)


def _update_topic_columns(connection: Connection, entries: Sequence[Entry]) -> None:
    """Copy the topic's current sort columns to all its stored texts."""
    if entries:
        statement = (
            sa.update(topic_texts)
            .where(topic_texts.c.topic_id == sa.bindparam("of_topic"))
            .values({name: sa.bindparam(name) for name in _TOPIC_COLUMNS})
        )
        connection.execute(
            statement, [{"of_topic": entry.id, **_build_topic_columns(entry)} for entry in entries]
        )


_TOPIC_COLUMNS = ("category", "published_at", "score", "coverage")


def _build_topic_columns(entry: Entry) -> dict[str, Any]:
    topic = entry.topic
    values = (int(topic.category), topic.published_at, entry.score, topic.coverage)
    return dict(zip(_TOPIC_COLUMNS, values, strict=True))


def _build_rows(entry: Entry) -> list[dict[str, Any]]:
    common = {"topic_id": entry.id, "realm": entry.realm, **_build_topic_columns(entry)}
    return [
        {**common, "language": language, **_build_columns(text)}
        for language, text in entry.topic.texts.items()
    ]


def _build_columns(text: TopicText) -> dict[str, Any]:
    terms = [{"term": term.term, "definition": term.definition} for term in text.terms]
    return {
        "title": text.title,
        "subtitle": text.subtitle,
        "summary": text.summary,
        "bullets": orjson.dumps(text.bullets).decode(),
        "terms": orjson.dumps(terms).decode(),
        "origin": text.origin,
    }
