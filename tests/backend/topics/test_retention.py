"""Unneeded articles are deleted; articles still listed by a feed or used by an open topic stay."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.store.database import Database
from backend.topics import retention
from backend.topics.tables import feeds, news_items
from tests.support.providers.feeds import NOW, Round, build_date_element, feed, item, rss
from tests.support.providers.provider_server import ProviderServer

DAY = timedelta(days=1)
KEEP = 30 * DAY
LATER = NOW + 40 * DAY


def put(
    database: Database, name: str, *, age: timedelta, seen: timedelta | None = None, **fields: Any
) -> None:
    """An article so old at ``LATER``, last seen in its feed so long before."""
    row = {
        **dict.fromkeys(("guid_key", "url_key", "url", "title"), name),
        "feed_id": "a",
        "text": "",
        "language": "en",
        "simhash": 0,
        "entities": "[]",
        "figures": "[]",
        "published_at": LATER - age,
        "fetched_at": LATER - age,
        "seen_at": None if seen is None else LATER - seen,
        **fields,
    }
    with database.write() as connection:
        connection.execute(sa.insert(news_items).values(row))


def read(database: Database, at: datetime) -> None:
    """The feed's last whole answer."""
    with database.write() as connection:
        row = {"id": "a", "url": "https://a.example/", "due_at": at, "failures": 0, "read_at": at}
        connection.execute(sa.insert(feeds).values(row))


def list_stored_urls(database: Database) -> set[str]:
    with database.read() as connection:
        return set(connection.execute(sa.select(news_items.c.url)).scalars())


def delete_unneeded_articles(database: Database, *feed_ids: str, keep: timedelta = KEEP) -> int:
    return retention.delete_unneeded_articles(database, feed_ids, max_age=keep, now=LATER)


def test_old_articles_are_deleted_and_recent_ones_stay(database: Database) -> None:
    read(database, LATER)
    put(database, "old", age=31 * DAY)
    put(database, "young", age=29 * DAY)
    assert delete_unneeded_articles(database, "a") == 1
    assert list_stored_urls(database) == {"young"}
    assert delete_unneeded_articles(database, "a") == 0


def test_articles_stay_while_their_feed_lists_them_or_has_not_responded_since(
    sqlite_database: Database,
) -> None:
    read(sqlite_database, LATER - 10 * DAY)
    put(sqlite_database, "held", age=39 * DAY, seen=11 * DAY - timedelta(hours=1))
    put(sqlite_database, "dropped", age=39 * DAY, seen=12 * DAY)
    assert delete_unneeded_articles(sqlite_database, "a") == 1
    assert list_stored_urls(sqlite_database) == {"held"}
    assert delete_unneeded_articles(sqlite_database) == 1  # the feed is asked no more


def test_an_open_topic_keeps_all_its_articles(sqlite_database: Database) -> None:
    put(sqlite_database, "start", age=39 * DAY, topic_id=7)
    put(sqlite_database, "latest", age=DAY, topic_id=7)
    put(sqlite_database, "closed", age=39 * DAY, topic_id=8)
    assert delete_unneeded_articles(sqlite_database) == 1
    assert list_stored_urls(sqlite_database) == {"start", "latest"}


def test_articles_in_the_grouping_window_stay_with_any_setting(sqlite_database: Database) -> None:
    put(sqlite_database, "inside", age=2 * DAY)
    assert delete_unneeded_articles(sqlite_database, keep=DAY) == 0


def test_one_call_deletes_at_most_its_limit(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH_SIZE", 2)
    monkeypatch.setattr(retention, "MAX_BATCHES", 2)
    for number in range(7):
        put(sqlite_database, str(number), age=(31 + number) * DAY)
    assert [delete_unneeded_articles(sqlite_database) for _ in range(3)] == [4, 3, 0]


def test_an_article_without_a_date_does_not_come_back_as_new(
    sqlite_database: Database, tmp_path: Path
) -> None:
    with ProviderServer() as server:
        asking = Round(server, sqlite_database, tmp_path, feed(server))
        asking.serve(rss([item(1), item(2, more=build_date_element("Mon, 18 May 2026 09:00:00 GMT"))]))
        now = NOW
        while now < LATER:  # a feed that adds something every other day and drops nothing
            asking.ask(now)
            now += 2 * DAY
        assert retention.delete_unneeded_articles(sqlite_database, ["a"], max_age=KEEP, now=LATER) == 0
        asking.serve(rss([item(3)]))
        for days in (1, 3):
            asking.ask(LATER + days * DAY)
        assert (
            retention.delete_unneeded_articles(sqlite_database, ["a"], max_age=KEEP, now=LATER + 3 * DAY) == 2
        )
        with sqlite_database.read() as connection:
            urls = connection.execute(sa.select(news_items.c.url)).scalars().all()
    assert urls == ["https://news.example/3"]
