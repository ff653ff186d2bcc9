"""Repeated regrouping of news items into stored topics."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.engine import RuleSet
from backend.store.database import Database, change_counters
from backend.topics.generated_texts import generated_text_store
from backend.topics.grouping import news_window
from backend.topics.grouping.regrouping import RegroupResult, regroup
from backend.topics.model import Media, Topic, TopicText
from backend.topics.store import generation_records, topic_store
from backend.topics.store.generation_records import Record
from backend.topics.tables import news_items, topics

Add = Callable[..., int]
DERIBIT = "Coinbase to buy options venue Deribit for $2.9 billion"
THEFT = "Northwind Exchange drained of $90M in wallet hack"


@pytest.fixture
def add(database: Database, noon: datetime) -> Add:
    """Store an article; gives its id."""

    def add_item(title: str, *, hours: float = 0, **more: Any) -> int:
        url = more.pop("url", f"https://outlet.example/{title}-{hours}")
        row = {
            "feed_id": "feed",
            "guid_key": hashlib.sha256(url.encode()).hexdigest(),
            "url_key": hashlib.sha256(url.encode()).hexdigest(),
            "url": url,
            "title": title,
            "text": "",
            "image": None,
            "language": "en",
            "published_at": noon + timedelta(hours=hours),
            "fetched_at": noon + timedelta(hours=hours),
            "simhash": 0,
            "entities": "[]",
            "figures": "[]",
            "topic_id": None,
            **more,
        }
        with database.write() as connection:
            return connection.execute(
                sa.insert(news_items).values(row).returning(news_items.c.id)
            ).scalar_one()

    return add_item


def load_topic_ids(database: Database, *items: int) -> list[int]:
    with database.read() as connection:
        query = sa.select(news_items.c.id, news_items.c.topic_id).where(news_items.c.id.in_(items))
        found = {row.id: row.topic_id for row in connection.execute(query)}
    return [found[item] for item in items]


def read(database: Database, topic_id: int) -> Topic:
    found = topic_store.load_topic(database, topic_id)
    assert found is not None
    return found


def read_change_counter(database: Database) -> int:
    with database.read() as connection:
        query = sa.select(change_counters.c.n).where(change_counters.c.topic == topic_store.CHANGE_COUNTER)
        return connection.execute(query).scalar_one_or_none() or 0


def test_articles_of_one_event_become_one_topic_in_all_their_languages(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    purchase_items = [
        add(DERIBIT),
        add("Coinbase以29亿美元收购Deribit", language="zh", hours=1),
        add("コインベース、デリビットを29億ドルで買収へ", language="ja", hours=2),
    ]
    theft_item = add(THEFT, hours=1)
    assert regroup(database, rules, now=noon + timedelta(hours=3)) == RegroupResult(4, 2, added=2)
    (topic_id,) = set(load_topic_ids(database, *purchase_items))
    assert load_topic_ids(database, theft_item) != [topic_id]
    stored = read(database, topic_id)
    assert set(stored.texts) == {"en", "zh", "ja"}
    assert stored.texts["en"].title == DERIBIT
    assert len(stored.media) == 3


def test_regrouping_without_changes_writes_nothing(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    add(DERIBIT, text="The deal closes this year. It is the largest of its kind so far, says the buyer.")
    add("Deribit bought by Coinbase for $2.9 billion", hours=1)
    add(THEFT, hours=1)
    now = noon + timedelta(hours=2)
    regroup(database, rules, now=now)
    before = read_change_counter(database)
    assert regroup(database, rules, now=now) == RegroupResult(3, 2)
    assert read_change_counter(database) == before


def test_a_new_article_joins_the_topic_which_keeps_its_id(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    first = add(DERIBIT)
    regroup(database, rules, now=noon)
    second = add("Coinbase buys Deribit, an options venue, for $2.9 billion", hours=1)
    result = regroup(database, rules, now=noon + timedelta(hours=1))
    assert result == RegroupResult(2, 1, changed=1)
    assert len(set(load_topic_ids(database, first, second))) == 1
    assert len(read(database, load_topic_ids(database, first)[0]).media) == 2


def test_topics_about_one_event_are_merged_and_the_old_id_redirects(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    items = [
        add(DERIBIT),
        add("Coinbase to buy Deribit for $2.9 billion", hours=1),
        add(DERIBIT + " today", hours=2),
    ]
    with database.write() as connection:  # as an earlier grouping with fewer words might have left them
        blank = {
            "category": 2,
            "published_at": noon,
            "updated_at": noon,
            "url": "https://x.example",
            "entities": "[]",
        }
        blank |= {"realm": "live", "language": "en", "tweet_score": 0.0, "media_score": 0.0, "coverage": 0.0}
        topic_ids = [
            connection.execute(sa.insert(topics).values(blank).returning(topics.c.id)).scalar_one()
            for _ in range(2)
        ]
        for item, topic_id in zip(items, (topic_ids[0], topic_ids[1], topic_ids[1]), strict=True):
            connection.execute(sa.update(news_items).where(news_items.c.id == item).values(topic_id=topic_id))
    assert regroup(database, rules, now=noon + timedelta(hours=3)).merged == 1
    assert load_topic_ids(database, *items) == [topic_ids[1]] * 3
    assert read(database, topic_ids[0]).id == topic_ids[1]
    assert regroup(database, rules, now=noon + timedelta(hours=3)) == RegroupResult(3, 1)


def test_a_split_topic_gets_a_new_id_and_takes_its_media(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    remaining_items = [add(DERIBIT), add("Coinbase to buy Deribit for $2.9 billion", hours=1)]
    stray = add(
        "Coinbase to buy options venue Deribit, report says", hours=1, url="https://outlet.example/stray"
    )
    regroup(database, rules, now=noon + timedelta(hours=2))
    (topic_id,) = set(load_topic_ids(database, *remaining_items, stray))
    with database.write() as connection:  # the outlet corrects what it wrote
        changed = sa.update(news_items).where(news_items.c.id == stray).values(title=THEFT)
        connection.execute(changed)
    assert regroup(database, rules, now=noon + timedelta(hours=2)) == RegroupResult(3, 2, added=1, changed=1)
    assert load_topic_ids(database, *remaining_items) == [topic_id] * 2
    (new,) = load_topic_ids(database, stray)
    assert new != topic_id
    assert "https://outlet.example/stray" not in {item.url for item in read(database, topic_id).media}
    assert {item.url for item in read(database, new).media} == {"https://outlet.example/stray"}


def test_a_continuing_topic_keeps_articles_outside_the_window(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    old = add(DERIBIT)
    regroup(database, rules, now=noon)
    late = add(DERIBIT + " after review", hours=50)
    regroup(database, rules, now=noon + timedelta(hours=60))
    regroup(database, rules, now=noon + timedelta(hours=80))
    (topic_id,) = set(load_topic_ids(database, old, late))
    stored = read(database, topic_id)
    assert stored.published_at == noon
    assert len(stored.media) == 2


def test_future_and_old_articles_are_not_grouped(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    items = [add(DERIBIT, hours=-80), add(DERIBIT + " soon", hours=5)]
    assert regroup(database, rules, now=noon) == RegroupResult(0, 0)
    assert load_topic_ids(database, *items) == [None, None]


def test_decaying_coverage_is_written_after_a_change_of_five_percent(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    item = add(DERIBIT)
    regroup(database, rules, now=noon)
    (topic_id,) = load_topic_ids(database, item)
    assert regroup(database, rules, now=noon + timedelta(minutes=20)).changed == 0
    assert regroup(database, rules, now=noon + timedelta(hours=12)).changed == 1
    assert read(database, topic_id).coverage == pytest.approx(0.125)


def test_media_sent_by_a_client_stay(database: Database, rules: RuleSet, add: Add, noon: datetime) -> None:
    first = add(DERIBIT)
    regroup(database, rules, now=noon)
    (topic_id,) = load_topic_ids(database, first)
    with database.write() as connection:
        topic_store.add_media(
            connection, topic_id, [Media("tweet", "https://x.com/a/1", score=2.0)], now=noon
        )
    add(DERIBIT + " today", hours=1)
    regroup(database, rules, now=noon + timedelta(hours=1))
    assert sorted(item.kind for item in read(database, topic_id).media) == ["article", "article", "tweet"]


class Raced(Database):
    """Somebody else comes first, each time that this one is about to write."""

    def __init__(self, other: Database, meddle: Callable[[Database], object], times: int) -> None:
        super().__init__(other.url)
        self._other, self._meddle, self.left = other, meddle, times

    @contextmanager
    def write(self) -> Iterator[Connection]:
        if self.left:
            self.left -= 1
            self._meddle(self._other)
        with super().write() as connection:
            yield connection


def test_concurrent_regrouping_creates_no_topic_twice(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    items = [add(DERIBIT), add(THEFT)]
    raced = Raced(database, lambda other: regroup(other, rules, now=noon), times=1)
    assert regroup(raced, rules, now=noon) == RegroupResult(2, 2)
    raced.dispose()
    with database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(topics)).scalar_one() == 2
    assert len(set(load_topic_ids(database, *items))) == 2


def test_repeated_concurrent_regrouping_raises(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    add(DERIBIT)
    add(THEFT)

    def meddle(other: Database) -> None:
        with other.write() as connection:
            connection.execute(
                sa.update(news_items).values(topic_id=sa.func.coalesce(news_items.c.topic_id, 0) + 1)
            )

    raced = Raced(database, meddle, times=99)
    with pytest.raises(RuntimeError, match="keep regrouping"):
        regroup(raced, rules, now=noon)
    raced.dispose()


def test_a_translation_is_no_change_and_is_removed_with_its_original(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    item = add(DERIBIT)
    regroup(database, rules, now=noon)
    (number,) = load_topic_ids(database, item)
    topic = read(database, number)
    result = TopicText("CoinbaseがDeribitを29億ドルで買収", origin="model")
    record = Record(
        topic_id=number,
        language="ja",
        kind="translation",
        outcome="written",
        model="small-1",
        asked_by="x",
        inputs=generation_records.hash_text(topic.texts["en"]),
        from_language="en",
        as_of=noon,
        made_at=noon,
    )
    assert generated_text_store.store_text(database, record, result)
    assert regroup(database, rules, now=noon).changed == 0
    add(f"{DERIBIT} in cash and stock", url="https://second.example/")
    regroup(database, rules, now=noon)
    assert set(read(database, number).texts) == {"en", "ja"}
    with database.write() as connection:
        changed = sa.update(news_items).where(news_items.c.id == item).values(title="Coinbase buys Deribit")
        connection.execute(changed)
    regroup(database, rules, now=noon)
    assert set(read(database, number).texts) == {"en"}


def test_in_a_busy_window_an_update_joins_the_story_of_an_older_topic(
    database: Database, rules: RuleSet, add: Add, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = [add(DERIBIT), add("Deribit bought by Coinbase for $2.9 billion", hours=1)]
    regroup(database, rules, now=noon + timedelta(hours=2))
    monkeypatch.setattr(news_window, "MAX_ARTICLES", 2)
    update = add("Coinbase deal for Deribit worth $2.9 billion gets approval", hours=30)
    add(THEFT, hours=31)
    regroup(database, rules, now=noon + timedelta(hours=32))
    first, second, third = load_topic_ids(database, *story, update)
    assert first == second == third
    assert len(read(database, first).media) == 3


def test_articles_that_report_no_single_event_belong_to_no_topic(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    report = add(DERIBIT)
    opinion = add(f"Opinion: {DERIBIT}", hours=0.5)
    result = regroup(database, rules, now=noon + timedelta(hours=1))
    assert (result.topics, result.set_aside) == (1, 1)
    assert load_topic_ids(database, opinion) == [None]
    assert len(read(database, load_topic_ids(database, report)[0]).media) == 1


def test_an_article_whose_title_becomes_a_round_up_leaves_its_topic(
    database: Database, rules: RuleSet, add: Add, noon: datetime
) -> None:
    report, other = add(DERIBIT), add("Deribit bought by Coinbase for $2.9 billion", hours=0.5)
    regroup(database, rules, now=noon + timedelta(hours=1))
    (topic_id,) = set(load_topic_ids(database, report, other))
    with database.write() as connection:
        changed = sa.update(news_items).where(news_items.c.id == other)
        connection.execute(changed.values(title="Weekly recap: Coinbase buys Deribit, and more"))
    regroup(database, rules, now=noon + timedelta(hours=1))
    assert load_topic_ids(database, report, other) == [topic_id, None]
    assert len(read(database, topic_id).media) == 1
