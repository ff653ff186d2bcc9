"""Topics are stored and loaded completely, merged, and counted in the same transaction."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from backend.store.database import Database, change_counters
from backend.topics.model import Category, Media, Term, TopicText
from backend.topics.queries.list_filters import TopicFilter
from backend.topics.queries.pagination import Pages
from backend.topics.store import topic_store
from backend.topics.tables import topic_media, topics
from tests.backend.topics.conftest import Make


def read_change_counter(database: Database) -> int:
    query = sa.select(change_counters.c.n).where(change_counters.c.topic == topic_store.CHANGE_COUNTER)
    with database.read() as connection:
        return connection.execute(query).scalar_one_or_none() or 0


def count_topics(database: Database, language: str = "en") -> int:
    found = Pages(database, ("own", "sample")).read(
        TopicFilter(language),
        page=1,
        page_size=1,
    )
    return found.total


def test_a_topic_is_loaded_as_it_was_stored(database: Database, make: Make, now: datetime) -> None:
    topic = make(
        external_id="a",
        realm="live",
        category=Category.BREAKING,
        published_at=now - timedelta(microseconds=1),
        cover_img="https://a.example/x.png",
        tweet_score=1.5,
        coverage=0.25,
        entities=("bitcoin", "sec"),
        event="halving-2024",
        texts={
            "zh": TopicText(
                "标题", "副", "摘要", (("一", "二"), ("三",)), (Term("减半", "四年"),), "publisher"
            ),
            "en": TopicText("Title", origin="model"),
        },
        media=(
            Media("primary_source", "https://s.example/1", "T", "S", now, "Site", "en"),
            Media("tweet", "https://x.example/1", summary="Post", score=2.0),
        ),
    )
    with database.write() as connection:
        (number,) = topic_store.store_topics(connection, [topic], now=now)
    loaded = topic_store.load_topic(database, number)
    assert loaded is not None
    assert [item.id is not None for item in loaded.media] == [True, True]
    assert replace(loaded, media=tuple(replace(item, id=None) for item in loaded.media)) == replace(
        topic, id=number
    )
    assert list(loaded.texts) == ["zh", "en"]
    assert topic_store.load_topic(database, number + 1) is None


def test_only_storing_increments_the_change_counter(database: Database, make: Make, now: datetime) -> None:
    with database.write() as connection:
        assert topic_store.store_topics(connection, [], now=now) == []
    assert read_change_counter(database) == 0
    with database.write() as connection:
        topic_store.store_topics(connection, [make() for _ in range(3)], now=now)
    assert read_change_counter(database) == 1


def test_a_transaction_that_fails_leaves_no_trace(database: Database, make: Make, now: datetime) -> None:
    with pytest.raises(ValueError, match="no topic 77"), database.write() as connection:
        topic_store.store_topics(connection, [make(), make(id=77)], now=now)
    assert (read_change_counter(database), count_topics(database)) == (0, 0)


def test_a_topic_needs_a_text(database: Database, make: Make, now: datetime) -> None:
    with pytest.raises(ValueError, match="needs a text"), database.write() as connection:
        topic_store.store_topics(connection, [make(texts={})], now=now)


def test_replace_deletes_the_texts_that_are_not_given(database: Database, make: Make, now: datetime) -> None:
    texts = {"en": TopicText("A"), "ja": TopicText("い")}
    with database.write() as connection:
        (number,) = topic_store.store_topics(connection, [make(texts=texts)], now=now)
        topic_store.store_topics(connection, [make("B", id=number)], now=now)
    assert (count_topics(database), count_topics(database, "ja")) == (1, 1)
    with database.write() as connection:
        topic_store.store_topics(connection, [make("C", id=number)], now=now, replace=True)
    assert (count_topics(database), count_topics(database, "ja")) == (1, 0)
    loaded = topic_store.load_topic(database, number)
    assert loaded is not None
    assert loaded.texts == {"en": TopicText("C")}


def test_external_ids_belong_to_their_realm(database: Database, make: Make, now: datetime) -> None:
    with database.write() as connection:
        ids = topic_store.store_topics(
            connection,
            [make(external_id="a", realm=realm) for realm in ("own", "live", "sample", "own")],
            now=now,
        )
    assert len(set(ids)) == 3
    assert ids[0] == ids[3]


def test_a_merged_id_redirects_to_the_other_topic(database: Database, make: Make, now: datetime) -> None:
    def post(name: str, score: float) -> Media:
        return Media("tweet", f"https://x.example/{name}", score=score)

    with database.write() as connection:
        first, second, third = topic_store.store_topics(
            connection,
            [
                make("One", external_id="1", media=(post("a", 1), post("b", 2))),
                make("Two", external_id="2", media=(post("b", 5), post("c", 3))),
                make("Three", external_id="3"),
            ],
            now=now,
        )
        topic_store.merge_topic(connection, first, second, now=now)
        topic_store.merge_topic(connection, second, third, now=now)
    for number in (first, second, third):
        loaded = topic_store.load_topic(database, number)
        assert loaded is not None
        assert (loaded.id, loaded.texts["en"].title) == (third, "Three")
        assert sorted(item.url[-1] for item in loaded.media) == ["a", "b", "c"]
    assert count_topics(database) == 1
    with database.read() as connection:
        score = sa.select(topics.c.media_score).where(topics.c.id == third)
        assert connection.execute(score).scalar_one() == 9
    with database.write() as connection:
        assert topic_store.store_topics(connection, [make("Anew", external_id="1")], now=now) == [third]
        with pytest.raises(ValueError, match="itself"):
            topic_store.merge_topic(connection, third, third, now=now)
        with pytest.raises(ValueError, match="does not exist or is merged"):
            topic_store.merge_topic(connection, third, first, now=now)
    loaded = topic_store.load_topic(database, first)
    assert loaded is not None
    assert (loaded.texts["en"].title, count_topics(database)) == ("Anew", 1)


def test_updates_of_merged_topics_are_applied_in_order(database: Database, make: Make, now: datetime) -> None:
    with database.write() as connection:
        first, second = topic_store.store_topics(
            connection, [make(external_id="1"), make(external_id="2")], now=now
        )
        topic_store.merge_topic(connection, first, second, now=now)
        updates = [make("First", external_id="1"), make("Last", external_id="2", category=Category.BREAKING)]
        assert topic_store.store_topics(connection, updates, now=now) == [second, second]
    assert count_topics(database) == 1


def test_media_can_be_removed(database: Database, make: Make, now: datetime) -> None:
    items = [Media("tweet", f"https://x.example/{n}", score=n) for n in (1.0, 2.0)]
    with database.write() as connection:
        (number,) = topic_store.store_topics(connection, [make()], now=now)
        ids = topic_store.add_media(connection, number, [*items, items[0]], now=now)
        assert ids[0] == ids[2] != ids[1]
        topic_store.remove_media(connection, number, "tweet", ["https://x.example/1.0"], now=now)
    with database.read() as connection:
        assert connection.execute(sa.select(topic_media.c.id)).scalars().all() == [ids[1]]
        assert connection.execute(sa.select(topics.c.media_score)).scalar_one() == 2
