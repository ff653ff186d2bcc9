"""Properties of pages and counts for arbitrary topics, updates and filters."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.entities.model import Language
from backend.store.database import Database, metadata
from backend.topics.model import Category, Media, Realm, Topic, TopicText
from backend.topics.queries.list_filters import TopicFilter
from backend.topics.queries.pagination import Pages
from backend.topics.store import topic_store
from backend.topics.tables import COUNTED, block_count, topic_blocks, topic_texts, topics
from tests.support.store import databases
from tests.support.test_session.property_tests import examples

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
VISIBLE: tuple[Realm, ...] = ("own", "sample")
LANGUAGES: tuple[Language, ...] = ("en", "ja", "zh")
instants = st.integers(-6, 6).map(lambda steps: NOW + timedelta(hours=7 * steps)) | st.sampled_from([NOW])
categories = st.sampled_from(Category)


@st.composite
def draw_topic(draw: st.DrawFn) -> Topic:
    languages = draw(st.sets(st.sampled_from(LANGUAGES), min_size=1))
    return Topic(
        category=draw(categories),
        published_at=draw(instants),
        url="https://news.example/1",
        texts={language: TopicText("A title") for language in sorted(languages)},
        external_id=draw(st.none() | st.integers(0, 12).map(str)),
        realm=draw(st.sampled_from(["own", "own", "sample", "live"])),
        tweet_score=draw(st.integers(0, 9)),
        coverage=draw(st.integers(0, 3)),
        media=tuple(
            Media("tweet", f"https://x.example/{n}", score=float(n)) for n in draw(st.sets(st.integers(1, 4)))
        ),
    )


a_put = st.tuples(st.lists(draw_topic(), min_size=1, max_size=30), st.booleans())
wishes = st.builds(
    TopicFilter,
    language=st.sampled_from(LANGUAGES),
    category=st.none() | categories,
    before=st.none() | instants,
    after=st.none() | instants,
)


@pytest.fixture(params=["sqlite", "postgres"], scope="module")
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with databases.create_database(request.param, tmp_path_factory.mktemp("laws")) as url:
        database = Database(url)
        yield database
        database.dispose()


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_store, "BATCH_SIZE", 7)


NOTHING = {block_count(*kind): 0 for kind in COUNTED}
BLOCKS: list[dict[str, object]] = [
    {"language": "en", "first_at": datetime.min.replace(tzinfo=UTC), "first_id": 0, **NOTHING},
    {"language": "en", "first_at": NOW, "first_id": 4, **NOTHING},
]
"""As the version before this one may have divided the topics of a language."""


def fill(database: Database, puts: list[tuple[list[Topic], bool]]) -> None:
    with database.write() as connection:
        for table in reversed(metadata.sorted_tables):
            if table.name.startswith("topic"):
                connection.execute(sa.delete(table))
        connection.execute(sa.insert(topic_blocks), BLOCKS)
    for given_topics, replace in puts:
        with database.write() as connection:
            topic_store.store_topics(connection, given_topics, now=NOW, replace=replace)
    with database.write() as connection:
        ids = list(connection.execute(sa.select(topics.c.id).order_by(topics.c.id)).scalars())
        for number in ids[1:8:4]:
            topic_store.merge_topic(connection, number, ids[0], now=NOW)


def stored_texts(database: Database) -> list[Any]:
    with database.read() as connection:
        return list(connection.execute(sa.select(topic_texts)))


def sort_by_hand(texts: list[Any], topic_filter: TopicFilter) -> list[int]:
    chosen = [
        text
        for text in texts
        if text.language == topic_filter.language
        and text.realm in VISIBLE
        and (topic_filter.category is None or text.category == topic_filter.category)
        and (topic_filter.before is None or text.published_at < topic_filter.before)
        and (topic_filter.after is None or text.published_at >= topic_filter.after)
    ]
    chosen.sort(key=lambda text: (text.published_at, text.topic_id), reverse=True)
    return [text.topic_id for text in chosen]


@settings(
    max_examples=examples(15),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(a_put, max_size=4), st.lists(wishes, min_size=1, max_size=6), st.integers(1, 9))
def test_pages_list_every_matching_topic_once_and_in_order(
    shared: Database, puts: list[tuple[list[Topic], bool]], filters: list[TopicFilter], page_size: int
) -> None:
    fill(shared, puts)
    texts, pages = stored_texts(shared), Pages(shared, VISIBLE)
    for topic_filter in filters:
        expected = sort_by_hand(texts, topic_filter)
        read_ids: list[int] = []
        for page in range(1, len(expected) // page_size + 3):
            found = pages.read(topic_filter, page=page, page_size=page_size)
            assert found.total == len(expected)
            read_ids += [row.topic_id for row in found.rows]
        assert read_ids == expected
    assert read_blocks(shared) == count_by_hand(texts)
    assert_texts_repeat_their_topics(shared, texts)


def assert_texts_repeat_their_topics(database: Database, texts: list[Any]) -> None:
    with database.read() as connection:
        stored = {row.id: row for row in connection.execute(sa.select(topics))}
    for text in texts:
        topic = stored[text.topic_id]
        assert topic.merged_into is None
        assert (text.realm, text.category, text.published_at) == (
            topic.realm,
            topic.category,
            topic.published_at,
        )
        assert text.score == pytest.approx(topic.tweet_score + topic.media_score)
        assert text.coverage == topic.coverage


def read_blocks(database: Database) -> Counter[tuple[str, bool, str]]:
    """Texts by language, whether they lie in its first block, and what they count as."""
    with database.read() as connection:
        rows = list(connection.execute(sa.select(topic_blocks)))
    return +Counter(
        {(row.language, row.first_at.year == 1, name): row._mapping[name] for row in rows for name in NOTHING}
    )


def count_by_hand(texts: list[Any]) -> Counter[tuple[str, bool, str]]:
    return Counter(
        (
            text.language,
            text.language != "en" or (text.published_at, text.topic_id) < (NOW, 4),
            block_count(text.realm, text.category),
        )
        for text in texts
    )


def test_concurrent_writers_keep_the_counts_correct(database: Database) -> None:
    def write(writer: int) -> None:
        for number in range(3):
            given_topics = [
                Topic(
                    category=Category((writer + at) % 3),
                    published_at=NOW - timedelta(minutes=at * number),
                    url="https://news.example/1",
                    texts={"en": TopicText("A title"), "ja": TopicText("見出し")},
                    external_id=f"{at % 5}" if at % 2 else None,
                )
                for at in range(8)
            ]
            with database.write() as connection:
                topic_store.store_topics(connection, given_topics, now=NOW)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    stored = Counter(
        (text.language, True, block_count(text.realm, text.category)) for text in stored_texts(database)
    )
    assert read_blocks(database) == stored
