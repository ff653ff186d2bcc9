"""Pages of topics: the number of count queries, and a page and its total from one state of the store."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from backend.store.database import Database
from backend.topics.queries.list_filters import Page, TopicFilter
from backend.topics.queries.pagination import Pages
from backend.topics.store import topic_store
from tests.backend.topics.conftest import Make

Add = Callable[[int], list[int]]
SIZE = 2


@pytest.fixture
def pages(database: Database) -> Pages:
    return Pages(database, ("own", "sample"))


@pytest.fixture
def add(database: Database, make: Make, now: datetime) -> Add:
    """Store so many topics, each an hour before now; gives their ids."""

    def add_topics(number: int) -> list[int]:
        new_topics = [make(published_at=now - timedelta(hours=1)) for _ in range(number)]
        with database.write() as connection:
            return topic_store.store_topics(connection, new_topics, now=now)

    return add_topics


@contextmanager
def watch_queries(database: Database, see: Callable[[str], None]) -> Iterator[None]:
    """Call ``see`` with every query after it was answered."""

    def record_query(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if statement.startswith("SELECT"):
            see(statement)

    sa.event.listen(database.engine, "after_cursor_execute", record_query)
    try:
        yield
    finally:
        sa.event.remove(database.engine, "after_cursor_execute", record_query)


def summarize_page(page: Page) -> tuple[list[int], int]:
    return [row.topic_id for row in page.rows], page.total


def test_topics_are_counted_and_searched_once_for_a_filter_until_one_changes(
    database: Database, pages: Pages, add: Add, now: datetime
) -> None:
    ids = add(5)
    filters = [TopicFilter("en"), TopicFilter("en", before=now), TopicFilter("en", find="title")]
    statements: list[str] = []
    with watch_queries(database, statements.append):
        for topic_filter in filters:
            found = [
                summarize_page(pages.read(topic_filter, page=number, page_size=SIZE)) for number in (1, 3, 4)
            ]
            assert found == [([ids[4], ids[3]], 5), ([ids[0]], 5), ([], 5)]
    assert len([statement for statement in statements if "count(*)" in statement]) == 1
    assert len([statement for statement in statements if "topic_search" in statement]) == 1
    add(1)
    assert [pages.read(topic_filter, page=1, page_size=SIZE).total for topic_filter in filters] == [6, 6, 6]


def test_changes_of_another_process_are_visible_at_once(
    database: Database, pages: Pages, add: Add, now: datetime
) -> None:
    assert summarize_page(pages.read(TopicFilter("en"), page=1, page_size=SIZE)) == ([], 0)
    first, second = add(2)
    assert summarize_page(pages.read(TopicFilter("en"), page=1, page_size=SIZE)) == ([second, first], 2)
    assert summarize_page(pages.read(TopicFilter("en"), page=2, page_size=SIZE)) == ([], 2)
    (third,) = add(1)
    assert summarize_page(pages.read(TopicFilter("en"), page=2, page_size=SIZE)) == ([first], 3)
    with database.write() as connection:
        topic_store.merge_topic(connection, first, third, now=now)
    assert summarize_page(pages.read(TopicFilter("en"), page=2, page_size=SIZE)) == ([], 2)


def test_topics_stored_during_a_read_are_neither_listed_nor_counted(
    database: Database, pages: Pages, add: Add
) -> None:
    before = add(3)
    statements: list[str] = []
    added_ids: list[int] = []

    def see(statement: str) -> None:
        statements.append(statement)
        if len(statements) == 1:
            added_ids.extend(add(2))

    with watch_queries(database, see):
        found = summarize_page(pages.read(TopicFilter("en"), page=1, page_size=9))
    assert found == ([*reversed(before)], 3)
    assert summarize_page(pages.read(TopicFilter("en"), page=1, page_size=9)) == (
        [*reversed(before + added_ids)],
        5,
    )
