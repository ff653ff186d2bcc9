"""What a page costs, and that its topics and their number are of one state of the store."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from backend.db import Database
from backend.topics import store
from backend.topics.listing import Page, Wanted
from backend.topics.pages import Pages
from tests.backend.topics.conftest import Make

Add = Callable[[int], list[int]]
SIZE = 2


@pytest.fixture
def pages(database: Database) -> Pages:
    return Pages(database, ("own", "sample"))


@pytest.fixture
def add(database: Database, make: Make, now: datetime) -> Add:
    """Store so many topics, each an hour before now; gives their ids."""

    def added(number: int) -> list[int]:
        given = [make(published_at=now - timedelta(hours=1)) for _ in range(number)]
        with database.write() as connection:
            return store.put(connection, given, now=now)

    return added


@contextmanager
def watched(database: Database, see: Callable[[str], None]) -> Iterator[None]:
    """Has ``see`` called with every query after it was answered."""

    def seen(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if statement.startswith("SELECT"):
            see(statement)

    sa.event.listen(database.engine, "after_cursor_execute", seen)
    try:
        yield
    finally:
        sa.event.remove(database.engine, "after_cursor_execute", seen)


def told(page: Page) -> tuple[list[int], int]:
    return [row.topic_id for row in page.rows], page.total


def test_a_page_costs_one_query_once_the_counts_are_known(database: Database, pages: Pages, add: Add) -> None:
    ids = add(5)
    pages.read(Wanted("en"), page=1, page_size=SIZE)
    asked: list[str] = []
    with watched(database, asked.append):
        found = [told(pages.read(Wanted("en"), page=number, page_size=SIZE)) for number in (1, 3, 4)]
    assert found == [([ids[4], ids[3]], 5), ([ids[0]], 5), ([], 5)]
    assert len(asked) == 3


def test_a_page_between_instants_costs_one_query_more_for_each_new_one(
    database: Database, pages: Pages, add: Add, now: datetime
) -> None:
    add(3)
    wanted = Wanted("en", before=now, after=now - timedelta(hours=2))
    pages.read(Wanted("en"), page=1, page_size=SIZE)
    asked: list[str] = []
    with watched(database, asked.append):
        for _ in range(2):
            assert pages.read(wanted, page=1, page_size=SIZE).total == 3
    assert len(asked) == 3 + 1


def test_what_another_process_adds_or_takes_shows_at_once(
    database: Database, pages: Pages, add: Add, now: datetime
) -> None:
    assert told(pages.read(Wanted("en"), page=1, page_size=SIZE)) == ([], 0)
    first, second = add(2)
    assert told(pages.read(Wanted("en"), page=1, page_size=SIZE)) == ([second, first], 2)
    assert told(pages.read(Wanted("en"), page=2, page_size=SIZE)) == ([], 2)
    (third,) = add(1)
    assert told(pages.read(Wanted("en"), page=2, page_size=SIZE)) == ([first], 3)
    with database.write() as connection:
        store.merge(connection, first, third, now=now)
    assert told(pages.read(Wanted("en"), page=2, page_size=SIZE)) == ([], 2)


@pytest.mark.parametrize("at", [1, 2], ids=["after the first rank", "after the second"])
def test_topics_that_come_while_a_page_is_read_are_all_on_it_and_counted_or_none_is(
    database: Database, pages: Pages, add: Add, now: datetime, at: int
) -> None:
    before = add(3)
    wanted = Wanted("en", before=now, after=now - timedelta(hours=2))
    pages.read(Wanted("en"), page=1, page_size=9)
    asked: list[str] = []
    come: list[int] = []

    def see(statement: str) -> None:
        asked.append(statement)
        if len(asked) == at:
            come.extend(add(2))

    with watched(database, see):
        found = told(pages.read(wanted, page=1, page_size=9))
    newest_first = [*reversed(before)] if database.is_sqlite else [*reversed(before + come)]
    assert found == (newest_first, len(newest_first))
    assert told(pages.read(wanted, page=1, page_size=9)) == ([*reversed(before + come)], 5)


def test_pages_far_into_a_block_are_read_whole(pages: Pages, add: Add) -> None:
    ids = add(100)
    found = [pages.read(Wanted("en"), page=number, page_size=30) for number in range(1, 6)]
    assert [row.topic_id for page in found for row in page.rows] == ids[::-1]
