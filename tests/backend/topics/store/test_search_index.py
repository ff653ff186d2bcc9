"""Topics are found and counted by words and entities, on SQLite and PostgreSQL."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from backend.store.database import Database
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.queries.list_filters import TopicFilter
from backend.topics.queries.pagination import Pages
from backend.topics.store import topic_store
from backend.topics.tables import topic_texts
from tests.backend.topics.conftest import Make

REALMS = ("own", "sample")


def put(database: Database, now: datetime, *topics: Topic) -> list[int]:
    with database.write() as connection:
        return topic_store.store_topics(connection, topics, now=now)


def find_topic_ids(
    database: Database, find: str = "", *entities: str, language: Any = "en", **more: Any
) -> list[int]:
    page = Pages(database, REALMS).read(
        TopicFilter(language, find=find, entities=entities, **more), page=1, page_size=100
    )
    assert page.total == len(page.rows)
    return [row.topic_id for row in page.rows]


def test_every_word_must_occur_in_the_text_in_any_form(database: Database, make: Make, now: datetime) -> None:
    text = TopicText("Miners after the halving", "Weekly", "Fees fell.", (("Hash rate of 750 EH/s",),))
    (number,) = put(
        database,
        now,
        make(texts={"en": text}, url="https://www.coinpress.example/a"),
        make("Miners before"),
    )[:1]
    for words in ("halvings MINER", "ＦＥＥＳ", "weekly fell hash 750", "coinpress", "coinpress.example"):
        assert find_topic_ids(database, words) == [number], words
    assert find_topic_ids(database, "miners nowhere") == []
    assert len(find_topic_ids(database, "miners")) == 2


def test_japanese_and_chinese_words_match_within_a_sentence(
    database: Database, make: Make, now: datetime
) -> None:
    texts = {"ja": TopicText("米SEC、現物ETFを承認"), "zh": TopicText("比特币减半完成")}
    (number,) = put(database, now, make(texts=texts))
    for language, words in (("ja", "承認"), ("ja", "現物 sec"), ("zh", "减半"), ("zh", "减")):
        assert find_topic_ids(database, words, language=language) == [number], words
    assert find_topic_ids(database, "减半", language="ja") == []
    assert find_topic_ids(database, "、。！", language="ja") == []


def test_a_topic_is_found_by_any_of_the_entities_and_its_outlets(
    database: Database, make: Make, now: datetime
) -> None:
    media = (Media("article", "https://a.example/1", "T", site_name="The Daily Block"),)
    first, second = put(
        database,
        now,
        make(entities=("bitcoin-cash", "sec"), media=media),
        make(entities=("bitcoin",), published_at=now - timedelta(hours=1)),
    )
    assert find_topic_ids(database, "", "bitcoin") == [second]
    assert find_topic_ids(database, "", "bitcoin-cash") == [first]
    assert find_topic_ids(database, "", "bitcoin", "sec") == [first, second]
    assert find_topic_ids(database, "daily block", "sec") == [first]
    assert find_topic_ids(database, "daily block", "bitcoin") == []


def test_a_search_respects_the_other_filters_and_the_realms(
    database: Database, make: Make, now: datetime
) -> None:
    earlier, before = now - timedelta(hours=1), now - timedelta(days=2)
    news, important, old, _ = put(
        database,
        now,
        make("Halving one"),
        make("Halving two", category=Category.IMPORTANT, published_at=earlier),
        make("Halving three", published_at=before, realm="sample"),
        make("Halving four", realm="live"),
    )
    assert find_topic_ids(database, "halving") == [news, important, old]
    assert find_topic_ids(database, "halving", category=Category.IMPORTANT) == [important]
    assert find_topic_ids(database, "halving", after=earlier) == [news, important]
    assert find_topic_ids(database, "halving", before=earlier) == [old]


def test_far_pages_and_totals_of_a_search_are_right(database: Database, make: Make, now: datetime) -> None:
    ids = put(
        database, now, *(make(f"Halving {n}", published_at=now - timedelta(hours=n)) for n in range(25))
    )
    pages, topic_filter = Pages(database, REALMS), TopicFilter("en", find="halving")
    loaded_pages = [pages.read(topic_filter, page=page, page_size=10) for page in (3, 1, 4, 2)]
    assert [[row.topic_id for row in page.rows] for page in loaded_pages] == [
        ids[20:],
        ids[:10],
        [],
        ids[10:20],
    ]
    assert {page.total for page in loaded_pages} == {25}
    put(database, now, make("Halving again"))
    assert pages.read(topic_filter, page=1, page_size=1).total == 26


def test_changed_merged_and_deleted_texts_are_not_found(
    database: Database, make: Make, now: datetime
) -> None:
    topic = make(
        external_id="a", entities=("sec",), texts={"en": TopicText("Rumour"), "ja": TopicText("噂の真相")}
    )
    first, second = put(database, now, topic, make("Rumour two", external_id="b"))
    changed = replace(topic, entities=("bitcoin",), texts={"en": TopicText("Fact")})
    with database.write() as connection:
        topic_store.store_topics(connection, [changed], now=now, replace=True)
    assert (find_topic_ids(database, "rumour"), find_topic_ids(database, "", "sec")) == ([second], [])
    assert (find_topic_ids(database, "fact", "bitcoin"), find_topic_ids(database, "真相", language="ja")) == (
        [first],
        [],
    )
    with database.write() as connection:
        topic_store.merge_topic(connection, second, first, now=now)
    assert find_topic_ids(database, "rumour") == []


def test_topics_of_an_earlier_version_are_indexed_later(
    database: Database, make: Make, now: datetime
) -> None:
    ids = put(database, now, *(make(f"Halving {n}") for n in range(3)))
    with database.write() as connection:
        connection.execute(sa.update(topic_texts).values(indexed=None))
        connection.execute(sa.text("DELETE FROM topic_search"))
    assert find_topic_ids(database, "halving") == []
    assert topic_store.index_outdated(database, now=now, limit=2) == 2
    assert topic_store.index_outdated(database, now=now, limit=2) == 1
    assert topic_store.index_outdated(database, now=now, limit=2) == 0
    assert sorted(find_topic_ids(database, "halving")) == ids
