"""A store that is full, locked or only to be read: nothing is half stored, and reading goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.apps.article_app import WRONG, Articles, article_app

MANY = {"articles": [{**WRONG, "id": "x" * 500, "content": "Zorbkoin " * 100}] * 20}


@pytest.fixture
def articles(tmp_path: Path) -> Iterator[Articles]:
    with article_app(tmp_path) as running:
        yield running


def limit(articles: Articles, *statements: str) -> None:
    """Have every connection from now on begin with these."""
    engine = articles.running.database.engine

    def apply(connection: sa.engine.interfaces.DBAPIConnection, _record: object) -> None:
        for statement in statements:
            connection.cursor().execute(statement)
        connection.commit()

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
    limit(articles, f"PRAGMA max_page_count={pages(articles) + 8}")
    is_refused_for_now(articles)
    articles.scan(WRONG)  # what still has room is stored
    assert len(articles.stored()) == 10
    with articles.running.database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"


def test_a_read_only_store_is_reported(articles: Articles) -> None:
    articles.scan(WRONG)
    limit(articles, "PRAGMA query_only=1")
    is_refused_for_now(articles)


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_a_read_only_postgresql_store_is_reported(tmp_path: Path, database_url: str) -> None:
    with article_app(tmp_path, database_url=database_url) as articles:
        articles.scan(WRONG)
        limit(articles, "SET default_transaction_read_only = on")
        is_refused_for_now(articles)


def test_an_internal_database_error_is_not_reported_as_temporary(
    articles: Articles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_given: object, **_named: object) -> None:
        raise sa.exc.InternalError("SELECT 1", {}, Exception("cache lookup failed"))

    monkeypatch.setattr("backend.articles.violation_store.store", broken)
    answer = articles.post("/articles/scan", MANY)
    assert (answer.status, answer.json()["code"]) == (500, "internal_error")


def test_a_locked_store_is_reported(articles: Articles, tmp_path: Path) -> None:
    articles.scan(WRONG)
    limit(articles, "PRAGMA busy_timeout=0")
    other = sa.create_engine(articles.running.database.url)
    with other.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        is_refused_for_now(articles)
        connection.rollback()
    other.dispose()
    assert articles.post("/articles/scan", MANY).status == 200
