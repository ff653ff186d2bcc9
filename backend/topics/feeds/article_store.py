"""Stores the articles of feeds, each once even if several feeds or responses contain it."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import bump
from backend.topics.canonical_urls import get_host
from backend.topics.feeds.entry_analysis import Draft, dump_json
from backend.topics.feeds.entry_links import dump_links
from backend.topics.feeds.near_duplicates import Fingerprint, FingerprintIndex
from backend.topics.model import NEWS_WINDOW
from backend.topics.tables import news_items

CHANGE_COUNTER = "news"
"""The change counter that every new or changed article increments."""
STORE_LOCK = 0x43_50_4E_49  # "CPNI": any number that no other lock uses
SEEN_UPDATE_INTERVAL = timedelta(days=1)
"""Minimum time between two updates of ``seen_at``, the last time that the feed listed an article."""
_BATCH_SIZE = 400
_COPIED_COLUMNS = (
    "url",
    "url_key",
    "title",
    "text",
    "image",
    "language",
    "published_at",
    "simhash",
)
"""Columns that have the name and the form of a field of a draft."""


@dataclass(frozen=True, slots=True)
class StoreCounts:
    added: int = 0
    changed: int = 0
    known: int = 0
    duplicates: int = 0
    """Articles that another feed delivered first, or that repeat another article of their outlet."""


def store_articles(
    connection: Connection,
    feed_id: str,
    drafts: Sequence[Draft],
    *,
    official: Collection[str] = (),
    now: datetime,
) -> StoreCounts:
    """Store the articles of a feed. ``official`` holds the ids of official feeds.

    Storing the same articles again changes nothing. A new title, text, image or date changes the article.
    """
    if connection.dialect.name != "sqlite":  # on SQLite BEGIN IMMEDIATE is the lock
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(STORE_LOCK)))
    by_guid, by_url = _load_known(connection, feed_id, drafts)
    changed = known_count = duplicates = 0
    new_drafts: list[Draft] = []
    still_listed: list[int] = []
    for draft in drafts:
        row = by_guid.get(draft.guid_key) or by_url.get(draft.url_key)
        if row is None:
            new_drafts.append(draft)
            continue
        if now - (row.seen_at or row.fetched_at) >= SEEN_UPDATE_INTERVAL:
            still_listed.append(row.id)
        if row.feed_id != feed_id:
            duplicates += 1
        elif _update(connection, row, draft, by_url):
            changed += 1
        else:
            known_count += 1
    _mark_seen(connection, still_listed, now)
    fingerprints = _load_fingerprints(connection, new_drafts, official) if new_drafts else FingerprintIndex()
    rows = []
    for draft in new_drafts:
        fingerprint = _build_fingerprint(draft, feed_id in official)
        if fingerprints.is_reposted(fingerprint):
            duplicates += 1
            continue
        fingerprints.add(fingerprint)
        rows.append({"feed_id": feed_id, "guid_key": draft.guid_key, "fetched_at": now, **_build_row(draft)})
    if rows:
        connection.execute(sa.insert(news_items), rows)
    if rows or changed:
        bump(connection, CHANGE_COUNTER)
    return StoreCounts(len(rows), changed, known_count, duplicates)


def assign_topics(connection: Connection, topics: Mapping[int, int | None]) -> None:
    """Store the topic of each article; ``topics`` maps article ids to topic ids."""
    if topics:
        statement = sa.update(news_items).where(news_items.c.id == sa.bindparam("of"))
        parameters = [{"of": item, "topic": topic} for item, topic in topics.items()]
        connection.execute(statement.values(topic_id=sa.bindparam("topic")), parameters)


def _load_known(
    connection: Connection, feed_id: str, drafts: Sequence[Draft]
) -> tuple[dict[str, sa.Row[Any]], dict[str, sa.Row[Any]]]:
    """Load the stored articles that match the drafts: of this feed by guid, of all feeds by URL."""
    by_guid: dict[str, sa.Row[Any]] = {}
    by_url: dict[str, sa.Row[Any]] = {}
    for at in range(0, len(drafts), _BATCH_SIZE):
        batch = drafts[at : at + _BATCH_SIZE]
        guids, urls = [draft.guid_key for draft in batch], [draft.url_key for draft in batch]
        same_guid = sa.and_(news_items.c.feed_id == feed_id, news_items.c.guid_key.in_(guids))
        for row in connection.execute(sa.select(news_items).where(same_guid)):
            by_guid[row.guid_key] = row
        selected = (
            sa.select(news_items).where(news_items.c.url_key.in_(urls)).order_by(news_items.c.id.desc())
        )
        for row in connection.execute(selected):
            by_url[row.url_key] = row
    return by_guid, by_url


def _mark_seen(connection: Connection, still_listed: Sequence[int], now: datetime) -> None:
    """Mark articles as still listed by their feed. Nothing else about them changes."""
    for at in range(0, len(still_listed), _BATCH_SIZE):
        part = news_items.c.id.in_(still_listed[at : at + _BATCH_SIZE])
        connection.execute(sa.update(news_items).where(part).values(seen_at=now))


def _build_row(draft: Draft) -> dict[str, Any]:
    values = {name: getattr(draft, name) for name in _COPIED_COLUMNS}
    lists = {"entities": dump_json(draft.entity_ids), "figures": dump_json(draft.quantities)}
    return {**values, **lists, "links": dump_links(draft.links)}


def _update(
    connection: Connection, row: sa.Row[Any], draft: Draft, by_url: Mapping[str, sa.Row[Any]]
) -> bool:
    """Store the changed columns of an article; returns True if there are any. An article without its own date
    keeps the first one, so that polling does not make it newer."""
    new = _build_row(draft)
    if not draft.dated:
        new["published_at"] = row.published_at
    elsewhere = by_url.get(draft.url_key)
    if elsewhere is not None and elsewhere.id != row.id:
        new["url"], new["url_key"] = row.url, row.url_key
    differing = {name: value for name, value in new.items() if getattr(row, name) != value}
    if differing:
        connection.execute(sa.update(news_items).where(news_items.c.id == row.id).values(**differing))
    return bool(differing)


def _load_fingerprints(
    connection: Connection, new_drafts: Sequence[Draft], official: Collection[str]
) -> FingerprintIndex:
    """Load the fingerprints of all articles within :data:`NEWS_WINDOW` of a draft."""
    spans: list[tuple[datetime, datetime]] = []
    for moment in sorted(draft.published_at for draft in new_drafts):
        if spans and moment - NEWS_WINDOW <= spans[-1][1]:
            spans[-1] = (spans[-1][0], moment + NEWS_WINDOW)
        else:
            spans.append((moment - NEWS_WINDOW, moment + NEWS_WINDOW))
    columns = [
        news_items.c[name]
        for name in ("feed_id", "url", "simhash", "published_at", "language", "title", "entities", "figures")
    ]
    fingerprints = FingerprintIndex()
    for first, last in spans:
        selected = sa.select(*columns, sa.func.length(news_items.c.text).label("length")).where(
            news_items.c.published_at.between(first, last), news_items.c.simhash != 0
        )
        for row in connection.execute(selected):
            lists = (frozenset(json.loads(row.entities)), frozenset(json.loads(row.figures)))
            values = (row.simhash, row.published_at, row.language, row.title, row.length)
            fingerprints.add(Fingerprint(*values, *lists, row.feed_id in official, get_host(row.url)))
    return fingerprints


def _build_fingerprint(draft: Draft, official: bool) -> Fingerprint:
    values = (draft.simhash, draft.published_at, draft.language, draft.title, len(draft.text))
    return Fingerprint(
        *values, frozenset(draft.entity_ids), frozenset(draft.quantities), official, get_host(draft.url)
    )
