"""The topics of one store: put, given media, merged, and read whole.

All writes are made in the caller's transaction, and with them what topics are found by and the documents
that tell the same (``search_index.py``, ``evidence.py``). The first thing that each does is to move the
change counter, whose row other writers then wait for: topics are written by one at a time, and readers know
by its number whether the totals that they keep still hold (see ``pages.py``).
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
from backend.topics.tables import topics

CHANGED = "topics"
"""The change counter's topic."""
BATCH = 500
"""Topics written in one statement."""


class Put(NamedTuple):
    """What came of topics that were put: their ids in order, and how many of them are new."""

    ids: list[int]
    added: int


def put(connection: Connection, given: Sequence[Topic], *, now: datetime, replace: bool = False) -> list[int]:
    """Store topics and their media; gives their ids, in order.

    A topic with an ``id``, or with an ``external_id`` that its realm knows, is brought up to date: its
    fields are replaced but for realm and name, its texts and media are added or replaced. With
    ``replace``, texts in languages that are not given are deleted. What is put for a merged topic goes to
    the one that it was merged into. Raises ``ValueError`` for an ``id`` that is not stored, and for a
    topic without a text. A new topic's own language is that of its first text.
    """
    return put_telling(connection, given, now=now, replace=replace).ids


def put_telling(
    connection: Connection, given: Sequence[Topic], *, now: datetime, replace: bool = False
) -> Put:
    """:func:`put`, telling more."""
    if not given:
        return Put([], 0)
    if not all(topic.texts for topic in given):
        raise ValueError("a topic needs a text in at least one language")
    bump(connection, CHANGED)
    ids: list[int] = []
    added = 0
    for batch in _batches(given):
        stored, new = _put_batch(connection, batch, now=now, replace=replace)
        ids += stored
        added += new
    return Put(ids, added)


def add_media(connection: Connection, topic_id: int, items: Sequence[Media], *, now: datetime) -> list[int]:
    """Add media to a topic, in place of those of their kind with their address; gives the ids, in order."""
    bump(connection, CHANGED)
    ids = media_store.add(connection, [(topic_id, item) for item in items], now)
    tell(connection, [topic_id], now=now)
    return ids


def remove_media(
    connection: Connection, topic_id: int, kind: MediaKind, urls: Collection[str], *, now: datetime
) -> None:
    """Take the media of ``kind`` with these addresses from a topic."""
    bump(connection, CHANGED)
    media_store.remove(connection, topic_id, kind, urls, now)
    tell(connection, [topic_id], now=now)
    evidence_documents.forget_media(connection, urls)


def merge(connection: Connection, topic_id: int, into: int, *, now: datetime) -> None:
    """Let ``into`` answer for a topic, whose media it gets and whose texts are listed no more."""
    if topic_id == into:
        raise ValueError("a topic cannot be merged into itself")
    bump(connection, CHANGED)
    target = connection.execute(sa.select(topics.c.merged_into).where(topics.c.id == into)).first()
    if target is None or target[0] is not None:
        raise ValueError(f"no topic {into} stands by itself")
    text_store.delete(connection, topic_id)
    generation_records.forget(connection, topic_id)
    media_store.move(connection, topic_id, into, now)
    merged = sa.or_(topics.c.id == topic_id, topics.c.merged_into == topic_id)
    connection.execute(sa.update(topics).where(merged).values(merged_into=into, updated_at=now))
    evidence_documents.forget_topic(connection, topic_id)
    tell(connection, [into], now=now)


def tell(connection: Connection, ids: Sequence[int], *, now: datetime) -> None:
    """Let stored topics be found, and cited, as they stand now."""
    stored = topic_rows.read_topics(connection, list(dict.fromkeys(ids)))
    search_index.write(connection, stored)
    evidence_documents.keep(connection, stored, now)


def tell_lacking(database: Database, *, now: datetime, most: int) -> int:
    """:func:`tell` up to ``most`` topics that an earlier version stored, or cut into other terms; gives how
    many there were."""
    done = 0
    while done < most:
        with database.read() as connection:
            lack = bool(search_index.lacking(connection, many=1))
        if not lack:
            return done
        with database.write() as connection:
            bump(connection, CHANGED)
            ids = search_index.lacking(connection, many=min(BATCH, most - done))
            tell(connection, ids, now=now)
        done += len(ids)
    return done


def read(database: Database, topic_id: int) -> Topic | None:
    """The topic with this id, or the one that it was merged into; of any realm."""
    with database.read() as connection:
        number = resolve(connection, topic_id)
        found = [] if number is None else topic_rows.read_topics(connection, [number])
    return found[0] if found else None


def resolve(connection: Connection, topic_id: int, realms: Collection[Realm] | None = None) -> int | None:
    """The id that answers for ``topic_id``; None where there is no such topic, of ``realms`` if given."""
    look = sa.select(sa.func.coalesce(topics.c.merged_into, topics.c.id)).where(topics.c.id == topic_id)
    if realms is not None:
        look = look.where(topics.c.realm.in_(sorted(realms)))
    return connection.execute(look).scalar_one_or_none()


def named(connection: Connection, realm: Realm, external_ids: Collection[str]) -> dict[str, int]:
    """The ids that answer for the topics of ``realm`` with these names, by name."""
    found: dict[str, int] = {}
    wanted = sorted(external_ids)
    stays = sa.func.coalesce(topics.c.merged_into, topics.c.id)
    for at in range(0, len(wanted), BATCH):
        mine = (topics.c.realm == realm, topics.c.external_id.in_(wanted[at : at + BATCH]))
        look = sa.select(topics.c.external_id, stays).where(*mine)
        found |= {str(row[0]): row[1] for row in connection.execute(look)}
    return found


def _batches(given: Sequence[Topic]) -> Iterator[list[Topic]]:
    """Runs of topics of which no two have one name: the later one is then an update of the earlier."""
    batch: list[Topic] = []
    names: set[object] = set()
    for topic in given:
        mine = {_name(topic)} - {None}
        if len(batch) == BATCH or mine & names:
            yield batch
            batch, names = [], set()
        batch.append(topic)
        names |= mine
    if batch:
        yield batch


def _name(topic: Topic) -> int | tuple[Realm, str] | None:
    """By what a stored topic is known to be this one."""
    if topic.id is not None:
        return topic.id
    return None if topic.external_id is None else (topic.realm, topic.external_id)


class _Known(NamedTuple):
    id: int
    realm: Realm
    media_score: float


def _known(connection: Connection, batch: Sequence[Topic]) -> list[_Known | None]:
    """What is stored of each topic of ``batch``, or of the one that it was merged into."""
    names = [_name(topic) for topic in batch]
    target = topics.alias()
    look = sa.select(
        topics.c.id, topics.c.realm, topics.c.external_id, target.c.id, target.c.realm, target.c.media_score
    ).join(target, target.c.id == sa.func.coalesce(topics.c.merged_into, topics.c.id))
    found: dict[object, _Known] = {}
    for column, asked in (
        (topics.c.id, [name for name in names if isinstance(name, int)]),
        (topics.c.external_id, [name[1] for name in names if isinstance(name, tuple)]),
    ):
        for row in connection.execute(look.where(column.in_(asked))) if asked else ():
            found[row[0]] = found[row[1], row[2]] = _Known(row[3], row[4], row[5])
    missing = [name for name in names if isinstance(name, int) and name not in found]
    if missing:
        raise ValueError(f"there is no topic {missing[0]}")
    return [None if name is None else found.get(name) for name in names]


def _put_batch(
    connection: Connection, batch: Sequence[Topic], *, now: datetime, replace: bool
) -> tuple[list[int], int]:
    """Gives the ids, and how many topics are new."""
    known = _known(connection, batch)
    targets = [one.id for one in known if one is not None]
    if len(set(targets)) < len(targets):  # of some that were merged into one, each updates it in turn
        parts = [_put_batch(connection, [topic], now=now, replace=replace) for topic in batch]
        return [ids[0] for ids, _ in parts], sum(added for _, added in parts)
    fresh = [topic for topic, one in zip(batch, known, strict=True) if one is None]
    made = iter(topic_rows.insert_topics(connection, fresh, now))
    entries = [
        Entry(topic, next(made), topic.realm, topic.tweet_score, is_new=True)
        if one is None
        else Entry(topic, one.id, one.realm, topic.tweet_score + one.media_score, is_new=False)
        for topic, one in zip(batch, known, strict=True)
    ]
    topic_rows.update_topics(connection, [entry for entry in entries if not entry.is_new], now)
    text_store.write(connection, entries, replace=replace)
    media_store.add(connection, [(entry.id, item) for entry in entries for item in entry.topic.media], now)
    tell(connection, [entry.id for entry in entries], now=now)
    return [entry.id for entry in entries], len(fresh)
