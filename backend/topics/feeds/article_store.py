"""Articles out of feeds, as they are stored: each once, whatever feeds and answers it came in."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import bump
from backend.topics.feeds.entry_analysis import Draft, as_json
from backend.topics.feeds.near_duplicates import Print, Prints
from backend.topics.model import NEWS_WINDOW
from backend.topics.tables import news_items

CHANGED = "news"
"""The change counter that moves with every article that comes or changes."""
STORE_LOCK = 0x43_50_4E_49  # "CPNI": any number that nothing else locks on
SEEN_UPDATE_INTERVAL = timedelta(days=1)
"""How often it is noted at the most that a feed still holds an article."""
_BATCH = 400
_CHANGEABLE = (
    "url",
    "url_key",
    "title",
    "text",
    "image",
    "language",
    "published_at",
    "simhash",
    "entities",
    "figures",
)


@dataclass(frozen=True, slots=True)
class Stored:
    added: int = 0
    changed: int = 0
    known: int = 0
    duplicates: int = 0
    """Articles that another feed brought, or that repeat the text of another."""


def store(
    connection: Connection,
    feed_id: str,
    drafts: Sequence[Draft],
    *,
    official: Collection[str] = (),
    now: datetime,
) -> Stored:
    """Bring the articles of a feed in. ``official`` are the ids of official feeds.

    The same articles again change nothing; another title, text, picture or date changes the article.
    """
    if connection.dialect.name != "sqlite":  # there BEGIN IMMEDIATE is the lock
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(STORE_LOCK)))
    by_guid, by_url = _known(connection, feed_id, drafts)
    changed = known = duplicates = 0
    fresh: list[Draft] = []
    held: list[int] = []
    for draft in drafts:
        row = by_guid.get(draft.guid_key) or by_url.get(draft.url_key)
        if row is None:
            fresh.append(draft)
            continue
        if now - (row.seen_at or row.fetched_at) >= SEEN_UPDATE_INTERVAL:
            held.append(row.id)
        if row.feed_id != feed_id:
            duplicates += 1
        elif _update(connection, row, draft, by_url):
            changed += 1
        else:
            known += 1
    _see(connection, held, now)
    prints = _prints_near(connection, fresh, official) if fresh else Prints()
    rows = []
    for draft in fresh:
        one = _print(draft, feed_id in official)
        if prints.repeats(one):
            duplicates += 1
            continue
        prints.add(one)
        rows.append({"feed_id": feed_id, "guid_key": draft.guid_key, "fetched_at": now, **_columns(draft)})
    if rows:
        connection.execute(sa.insert(news_items), rows)
    if rows or changed:
        bump(connection, CHANGED)
    return Stored(len(rows), changed, known, duplicates)


def assign(connection: Connection, topics: Mapping[int, int | None]) -> None:
    """Say to which topic articles belong, by their ids."""
    if topics:
        statement = sa.update(news_items).where(news_items.c.id == sa.bindparam("of"))
        given = [{"of": item, "topic": topic} for item, topic in topics.items()]
        connection.execute(statement.values(topic_id=sa.bindparam("topic")), given)


def _known(
    connection: Connection, feed_id: str, drafts: Sequence[Draft]
) -> tuple[dict[str, sa.Row[Any]], dict[str, sa.Row[Any]]]:
    """What is stored of the drafts already: of this feed by guid, of all by address."""
    by_guid: dict[str, sa.Row[Any]] = {}
    by_url: dict[str, sa.Row[Any]] = {}
    for at in range(0, len(drafts), _BATCH):
        batch = drafts[at : at + _BATCH]
        guids, urls = [draft.guid_key for draft in batch], [draft.url_key for draft in batch]
        mine = sa.and_(news_items.c.feed_id == feed_id, news_items.c.guid_key.in_(guids))
        for row in connection.execute(sa.select(news_items).where(mine)):
            by_guid[row.guid_key] = row
        asked = sa.select(news_items).where(news_items.c.url_key.in_(urls)).order_by(news_items.c.id.desc())
        for row in connection.execute(asked):
            by_url[row.url_key] = row
    return by_guid, by_url


def _see(connection: Connection, held: Sequence[int], now: datetime) -> None:
    """Note that a feed still holds these articles: nothing of what is told of them changes."""
    for at in range(0, len(held), _BATCH):
        part = news_items.c.id.in_(held[at : at + _BATCH])
        connection.execute(sa.update(news_items).where(part).values(seen_at=now))


def _columns(draft: Draft) -> dict[str, Any]:
    values = {name: getattr(draft, name) for name in _CHANGEABLE}
    return {**values, "entities": as_json(draft.entities), "figures": as_json(draft.figures)}


def _update(
    connection: Connection, row: sa.Row[Any], draft: Draft, by_url: Mapping[str, sa.Row[Any]]
) -> bool:
    """Whether something of the article is new, which is then stored. What came without a date of its own
    keeps the first one, so that nothing grows younger by being asked for."""
    new = _columns(draft)
    if not draft.dated:
        new["published_at"] = row.published_at
    elsewhere = by_url.get(draft.url_key)
    if elsewhere is not None and elsewhere.id != row.id:
        new["url"], new["url_key"] = row.url, row.url_key
    differing = {name: value for name, value in new.items() if getattr(row, name) != value}
    if differing:
        connection.execute(sa.update(news_items).where(news_items.c.id == row.id).values(**differing))
    return bool(differing)


def _prints_near(connection: Connection, fresh: Sequence[Draft], official: Collection[str]) -> Prints:
    """The prints of all articles within the window of one of the drafts."""
    spans: list[tuple[datetime, datetime]] = []
    for moment in sorted(draft.published_at for draft in fresh):
        if spans and moment - NEWS_WINDOW <= spans[-1][1]:
            spans[-1] = (spans[-1][0], moment + NEWS_WINDOW)
        else:
            spans.append((moment - NEWS_WINDOW, moment + NEWS_WINDOW))
    columns = [
        news_items.c[name]
        for name in ("feed_id", "simhash", "published_at", "language", "title", "entities", "figures")
    ]
    prints = Prints()
    for first, last in spans:
        asked = sa.select(*columns, sa.func.length(news_items.c.text).label("length")).where(
            news_items.c.published_at.between(first, last), news_items.c.simhash != 0
        )
        for row in connection.execute(asked):
            lists = (frozenset(json.loads(row.entities)), frozenset(json.loads(row.figures)))
            told = (row.simhash, row.published_at, row.language, row.title, row.length)
            prints.add(Print(*told, *lists, row.feed_id in official))
    return prints


def _print(draft: Draft, official: bool) -> Print:
    told = (draft.simhash, draft.published_at, draft.language, draft.title, len(draft.text))
    return Print(*told, frozenset(draft.entities), frozenset(draft.figures), official)
