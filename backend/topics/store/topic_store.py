"""Stores topics with their media, merges them, and loads whole topics.

All writes run in the caller's transaction and also update the search index and the evidence documents
(``search_index.py``, ``evidence_documents.py``). Each write first moves the change counter and thereby locks
its row, so that only one writer changes topics at a time. Readers compare the counter to validate cached
totals (see ``queries/pagination.py``).
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import Database, bump
from backend.topics.model import Media, MediaKind, Realm, Topic
from backend.topics.store import (
    evidence_documents,
    generation_records,
    media_store,
    search_index,
    text_store,
    topic_rows,
)
from backend.topics.store.text_store import Entry
from backend.topics.tables import topic_media, topics

CHANGE_COUNTER = "topics"
"""The change counter of topics."""
BATCH_SIZE = 500
"""Topics written in one statement."""


class StoreResult(NamedTuple):
    """The ids of stored topics in order, and the number of new ones."""

    ids: list[int]
    added: int


def store_topics(
    connection: Connection, new_topics: Sequence[Topic], *, now: datetime, replace: bool = False
) -> list[int]:
    """Store topics and their media; returns their ids in order.

    A topic with an ``id``, or with an ``external_id`` that its realm knows, updates the stored topic: fields
    are replaced except realm and name, texts and media are added or replaced. With ``replace``, texts in
    other languages are deleted. An update of a merged topic goes to the topic that it was merged into. Raises
    ``ValueError`` for an unknown ``id`` and for a topic without a text. The language of a new topic is that
    of its first text.
    """
    return store_topics_counted(connection, new_topics, now=now, replace=replace).ids


def store_topics_counted(
    connection: Connection, new_topics: Sequence[Topic], *, now: datetime, replace: bool = False
) -> StoreResult:
    """Store topics like :func:`store_topics` and also return the number of new ones."""
    if not new_topics:
        return StoreResult([], 0)
    if not all(topic.texts for topic in new_topics):
        raise ValueError("a topic needs a text in at least one language")
    bump(connection, CHANGE_COUNTER)
    ids: list[int] = []
    added = 0
    for batch in _split_batches(new_topics):
        stored, new = _store_batch(connection, batch, now=now, replace=replace)
        ids += stored
        added += new
    return StoreResult(ids, added)


def add_media(connection: Connection, topic_id: int, items: Sequence[Media], *, now: datetime) -> list[int]:
    """Add media to a topic. An item replaces the stored one of the same kind and URL. Returns the ids in
    order."""
    bump(connection, CHANGE_COUNTER)
    ids = media_store.upsert_media(connection, [(topic_id, item) for item in items], now)
    index_topics(connection, [topic_id], now=now)
    return ids


def remove_media(
    connection: Connection, topic_id: int, kind: MediaKind, urls: Collection[str], *, now: datetime
) -> None:
    """Delete the media of ``kind`` with these URLs from a topic."""
    bump(connection, CHANGE_COUNTER)
    media_store.delete_media(connection, topic_id, kind, urls, now)
    index_topics(connection, [topic_id], now=now)
    evidence_documents.delete_media(connection, urls)


def merge_topic(connection: Connection, topic_id: int, into: int, *, now: datetime) -> None:
    """Merge a topic into ``into``: its id resolves to ``into``, its media move there, and its texts are
    deleted."""
    if topic_id == into:
        raise ValueError("a topic cannot be merged into itself")
    bump(connection, CHANGE_COUNTER)
    target = connection.execute(sa.select(topics.c.merged_into).where(topics.c.id == into)).first()
    if target is None or target[0] is not None:
        raise ValueError(f"topic {into} does not exist or is merged itself")
    text_store.delete_texts(connection, topic_id)
    generation_records.delete_records(connection, topic_id)
    media_store.move_media(connection, topic_id, into, now)
    merged = sa.or_(topics.c.id == topic_id, topics.c.merged_into == topic_id)
    connection.execute(sa.update(topics).where(merged).values(merged_into=into, updated_at=now))
    evidence_documents.delete_topic(connection, topic_id)
    index_topics(connection, [into], now=now)


def delete_topics(connection: Connection, ids: Collection[int]) -> None:
    """Delete topics with their texts and media, and the topics that were merged into them."""
    if not ids:
        return
    bump(connection, CHANGE_COUNTER)
    for topic_id in sorted(ids):
        text_store.delete_texts(connection, topic_id)
        generation_records.delete_records(connection, topic_id)
        evidence_documents.delete_topic(connection, topic_id)
        connection.execute(sa.delete(topic_media).where(topic_media.c.topic_id == topic_id))
        merged = sa.or_(topics.c.id == topic_id, topics.c.merged_into == topic_id)
        connection.execute(sa.delete(topics).where(merged))


def index_topics(connection: Connection, ids: Sequence[int], *, now: datetime) -> None:
    """Update the search index and the evidence documents of stored topics."""
    stored = topic_rows.read_topics(connection, list(dict.fromkeys(ids)))
    search_index.index_texts(connection, stored)
    evidence_documents.update_documents(connection, stored, now)


def index_outdated(database: Database, *, now: datetime, limit: int) -> int:
    """Index up to ``limit`` topics that another tokenizer version indexed; returns their number."""
    indexed_count = 0
    while indexed_count < limit:
        with database.read() as connection:
            lack = bool(search_index.find_outdated(connection, limit=1))
        if not lack:
            return indexed_count
        with database.write() as connection:
            bump(connection, CHANGE_COUNTER)
            ids = search_index.find_outdated(connection, limit=min(BATCH_SIZE, limit - indexed_count))
            index_topics(connection, ids, now=now)
        indexed_count += len(ids)
    return indexed_count


def load_topic(database: Database, topic_id: int) -> Topic | None:
    """Load the topic with this id, or the one that it was merged into, of any realm."""
    with database.read() as connection:
        number = resolve_id(connection, topic_id)
        matching_topics = [] if number is None else topic_rows.read_topics(connection, [number])
    return matching_topics[0] if matching_topics else None


def resolve_id(connection: Connection, topic_id: int, realms: Collection[Realm] | None = None) -> int | None:
    """Return the id after merges; None without such a topic (in ``realms``, if given)."""
    query = sa.select(sa.func.coalesce(topics.c.merged_into, topics.c.id)).where(topics.c.id == topic_id)
    if realms is not None:
        query = query.where(topics.c.realm.in_(sorted(realms)))
    return connection.execute(query).scalar_one_or_none()


def find_ids_by_name(connection: Connection, realm: Realm, external_ids: Collection[str]) -> dict[str, int]:
    """Return the ids, after merges, of the topics of ``realm`` with these external ids, by external id."""
    ids_by_name: dict[str, int] = {}
    sorted_ids = sorted(external_ids)
    current_id = sa.func.coalesce(topics.c.merged_into, topics.c.id)
    for at in range(0, len(sorted_ids), BATCH_SIZE):
        is_requested = (topics.c.realm == realm, topics.c.external_id.in_(sorted_ids[at : at + BATCH_SIZE]))
        query = sa.select(topics.c.external_id, current_id).where(*is_requested)
        ids_by_name |= {str(row[0]): row[1] for row in connection.execute(query)}
    return ids_by_name


def _split_batches(new_topics: Sequence[Topic]) -> Iterator[list[Topic]]:
    """Split topics into batches without repeated names: a repeated topic updates the earlier one."""
    batch: list[Topic] = []
    names: set[object] = set()
    for topic in new_topics:
        names_of_topic = {_build_identity(topic)} - {None}
        if len(batch) == BATCH_SIZE or names_of_topic & names:
            yield batch
            batch, names = [], set()
        batch.append(topic)
        names |= names_of_topic
    if batch:
        yield batch


def _build_identity(topic: Topic) -> int | tuple[Realm, str] | None:
    """Return the key that identifies a stored topic; None for a topic that is always new."""
    if topic.id is not None:
        return topic.id
    return None if topic.external_id is None else (topic.realm, topic.external_id)


class _Stored(NamedTuple):
    id: int
    realm: Realm
    media_score: float


def _find_stored(connection: Connection, batch: Sequence[Topic]) -> list[_Stored | None]:
    """Return the stored topic, after merges, for each topic of ``batch``."""
    names = [_build_identity(topic) for topic in batch]
    target = topics.alias()
    query = sa.select(
        topics.c.id, topics.c.realm, topics.c.external_id, target.c.id, target.c.realm, target.c.media_score
    ).join(target, target.c.id == sa.func.coalesce(topics.c.merged_into, topics.c.id))
    stored_by_name: dict[object, _Stored] = {}
    for column, requested in (
        (topics.c.id, [name for name in names if isinstance(name, int)]),
        (topics.c.external_id, [name[1] for name in names if isinstance(name, tuple)]),
    ):
        for row in connection.execute(query.where(column.in_(requested))) if requested else ():
            stored_by_name[row[0]] = stored_by_name[row[1], row[2]] = _Stored(row[3], row[4], row[5])
    missing = [name for name in names if isinstance(name, int) and name not in stored_by_name]
    if missing:
        raise ValueError(f"there is no topic {missing[0]}")
    return [None if name is None else stored_by_name.get(name) for name in names]


def _store_batch(
    connection: Connection, batch: Sequence[Topic], *, now: datetime, replace: bool
) -> tuple[list[int], int]:
    """Return the ids and the number of new topics."""
    stored_topics = _find_stored(connection, batch)
    targets = [stored.id for stored in stored_topics if stored is not None]
    if len(set(targets)) < len(targets):  # several were merged into one topic: each updates it in turn
        parts = [_store_batch(connection, [topic], now=now, replace=replace) for topic in batch]
        return [ids[0] for ids, _ in parts], sum(added for _, added in parts)
    new_topics = [topic for topic, stored in zip(batch, stored_topics, strict=True) if stored is None]
    new_ids = iter(topic_rows.insert_topics(connection, new_topics, now))
    entries = [
        Entry(topic, next(new_ids), topic.realm, topic.tweet_score, is_new=True)
        if stored is None
        else Entry(topic, stored.id, stored.realm, topic.tweet_score + stored.media_score, is_new=False)
        for topic, stored in zip(batch, stored_topics, strict=True)
    ]
    topic_rows.update_topics(connection, [entry for entry in entries if not entry.is_new], now)
    text_store.write_texts(connection, entries, replace=replace)
    media_store.upsert_media(
        connection, [(entry.id, item) for entry in entries for item in entry.topic.media], now
    )
    index_topics(connection, [entry.id for entry in entries], now=now)
    return [entry.id for entry in entries], len(new_topics)
