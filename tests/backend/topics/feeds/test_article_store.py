"""One article in several feeds and versions."""

from dataclasses import replace
from datetime import UTC, datetime

import sqlalchemy as sa

from backend.store.database import Database
from backend.topics.feeds.article_store import StoreCounts, store_articles
from backend.topics.feeds.entry_analysis import Draft
from backend.topics.tables import news_items

NOW = datetime(2026, 5, 18, 12, tzinfo=UTC)
SHORT = Draft(
    guid_key="guid",
    url_key="url",
    url="https://harrow.example/vault",
    title="Harrow opens vault",
    text="Harrow opened a vault.",
    image=None,
    language="en",
    published_at=NOW,
    dated=True,
    simhash=0,
    entity_ids=(),
    quantities=(),
)
LONG = replace(SHORT, guid_key="other-guid", text="Harrow opened a vault on Monday and closed it on Tuesday.")


def store(database: Database, feed: str, draft: Draft, host: str = "harrow.example") -> StoreCounts:
    with database.write() as connection:
        return store_articles(connection, feed, [draft], host=host, now=NOW)


def load(database: Database) -> list[tuple[str, str]]:
    with database.read() as connection:
        rows = connection.execute(sa.select(news_items.c.feed_id, news_items.c.text))
        return [(row.feed_id, row.text) for row in rows]


def test_a_longer_text_from_another_feed_of_the_same_host_replaces_the_earlier_one(
    sqlite_database: Database,
) -> None:
    store(sqlite_database, "news", SHORT)
    assert store(sqlite_database, "markets", LONG).changed == 1
    assert load(sqlite_database) == [("markets", LONG.text)]


def test_two_feeds_never_replace_each_other_s_texts_in_turn(sqlite_database: Database) -> None:
    store(sqlite_database, "news", SHORT)
    store(sqlite_database, "markets", LONG)
    for _ in range(2):
        assert store(sqlite_database, "news", SHORT) == StoreCounts(duplicates=1)
        assert store(sqlite_database, "markets", LONG) == StoreCounts(known=1)
    assert load(sqlite_database) == [("markets", LONG.text)]


def test_the_owning_feed_replaces_its_text_even_by_a_shorter_one(sqlite_database: Database) -> None:
    store(sqlite_database, "news", LONG)
    assert store(sqlite_database, "news", replace(SHORT, guid_key=LONG.guid_key)).changed == 1
    assert load(sqlite_database) == [("news", SHORT.text)]


def test_a_feed_of_another_host_replaces_no_text(sqlite_database: Database) -> None:
    store(sqlite_database, "news", SHORT)
    assert store(sqlite_database, "aggregator", LONG, "links.example").duplicates == 1
    assert load(sqlite_database) == [("news", SHORT.text)]
