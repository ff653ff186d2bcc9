"""A store that is full, locked or only to be read: nothing is half stored, and reading goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.article_app import WRONG, Articles, article_app

MANY = {"articles": [{**WRONG, "id": "x" * 500, "content": "Zorbkoin " * 100}] * 20}


@pytest.fixture
def articles(tmp_path: Path) -> Iterator[Articles]:
    with article_app(tmp_path) as running:
        yield running


def limit(articles: Articles, *pragmas: str) -> None:
    """Let every connection from now on have these settings."""
    engine = articles.running.database.engine

    def apply(connection: sa.engine.interfaces.DBAPIConnection, _record: object) -> None:
        for pragma in pragmas:
            connection.cursor().execute(f"PRAGMA {pragma}")

    sa.event.listen(engine, "connect", apply)
    engine.dispose()


def pages(articles: Articles) -> int:
    with articles.running.database.read() as connection:
        return int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())


def is_refused_for_now(articles: Articles) -> None:
    before = articles.stored()
    answer = articles.post("/articles/scan", MANY)
    assert answer.status == 503
    assert answer.json()["code"] == "dependency_unavailable"
    assert int(answer.headers["retry-after"]) > 0
    assert articles.stored() == before
    summary = articles.json("/articles/violations/summary")
    assert summary["total"] == len(before)
    assert articles.post("/articles/scan", {**MANY, "persist": False}).status == 200
    assert articles.post("/articles/apply", MANY).status == 200
    assert len(articles.json("/articles/violations")["data"]) == len(before)
    assert articles.get("/prices").status == 200


def test_a_full_disk_stores_nothing_of_a_scan_and_reading_goes_on(articles: Articles) -> None:
    articles.scan(WRONG)
    limit(articles, f"max_page_count={pages(articles) + 8}")
    is_refused_for_now(articles)
    articles.scan(WRONG)  # what still has room is stored
    assert len(articles.stored()) == 10
    with articles.running.database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"


def test_a_store_that_may_only_be_read_is_told_so(articles: Articles) -> None:
    articles.scan(WRONG)
    limit(articles, "query_only=1")
    is_refused_for_now(articles)


def test_a_store_that_another_process_locks_is_told_so(articles: Articles, tmp_path: Path) -> None:
    articles.scan(WRONG)
    limit(articles, "busy_timeout=0")
    other = sa.create_engine(articles.running.database.url)
    with other.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        is_refused_for_now(articles)
        connection.rollback()
    other.dispose()
    assert articles.post("/articles/scan", MANY).status == 200
