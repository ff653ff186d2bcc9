"""Tests fresh, repeated and concurrent migrations on SQLite and PostgreSQL."""

import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from backend import migrations
from backend.migrations.declared_tables import is_declared
from backend.store.database import Database, ExactDecimal, UtcTime, metadata
from tests.support.store.schema_changes import is_current
from tests.support.test_session.thread_isolation import in_this_thread
from tests.support.waiting import LIMIT_SECONDS


def read_versions(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars())


def test_a_migrated_store_equals_the_declared_tables(database: Database) -> None:
    with database.read() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": compare_types, "include_name": is_compared}
        )
        assert compare_metadata(context, metadata) == []


def is_compared(name: str | None, kind: str, _parents: object) -> bool:
    """Exclude the full-text index, which revisions create for each database."""
    return kind != "table" or is_declared(name)


def compare_types(
    context: object, column: object, declared: object, found: object, declared_type: object
) -> bool | None:
    """Accept each database's own types for decimals and instants; Alembic compares the rest."""
    if isinstance(found, ExactDecimal):
        return not isinstance(declared_type, sa.Numeric | sa.Text)
    if isinstance(found, UtcTime):
        return not isinstance(declared_type, sa.DateTime | sa.String)
    return None


def test_a_fresh_store_is_upgraded_to_the_newest_revision(empty_database_url: str) -> None:
    database = Database(empty_database_url)
    assert not is_current(database)
    migrations.upgrade(empty_database_url)
    assert is_current(database)
    assert set(metadata.tables) <= set(sa.inspect(database.engine).get_table_names())
    database.dispose()


def test_migrating_twice_changes_nothing(database: Database) -> None:
    before = read_versions(database)
    with database.write() as connection:
        connection.execute(sa.text("INSERT INTO change_counters (topic, n) VALUES ('kept', 7)"))
    migrations.upgrade(database.url)
    assert read_versions(database) == before
    with database.read() as connection:
        assert connection.execute(sa.text("SELECT n FROM change_counters")).scalar_one() == 7


def test_coverage_moves_from_the_tweet_score_to_its_own_column_and_back(empty_database_url: str) -> None:
    config = migrations.build_alembic_config()
    config.attributes["url"] = empty_database_url
    command.upgrade(config, "0005")
    database = Database(empty_database_url)
    at = datetime(2026, 5, 18, tzinfo=UTC)
    scored = {"live": 2.5, "own": 7.0}
    with database.write() as connection:
        for number, (realm, score) in enumerate(scored.items()):
            connection.execute(sa.insert(topics_before), topic_row(number, realm, score, at))
            connection.execute(sa.insert(texts_before), text_row(number, realm, score + 1, at))

    def read_scores(column: str) -> list[tuple[float, float]]:
        query = (
            f"SELECT t.{column}, x.score FROM topics t JOIN topic_texts x ON x.topic_id = t.id ORDER BY t.id"
        )
        with database.read() as connection:
            return [tuple(row) for row in connection.execute(sa.text(query))]

    command.upgrade(config, "0006")
    assert (read_scores("coverage"), read_scores("tweet_score")) == (
        [(2.5, 1.0), (0.0, 8.0)],
        [(0.0, 1.0), (7.0, 8.0)],
    )
    command.downgrade(config, "0005")
    assert read_scores("tweet_score") == [(2.5, 3.5), (7.0, 8.0)]
    database.dispose()


topics_before = sa.table(
    "topics",
    *(sa.column(name) for name in ("id", "realm", "category", "language", "url", "entities")),
    *(sa.column(name, sa.Float) for name in ("tweet_score", "media_score")),
    *(sa.column(name, UtcTime) for name in ("published_at", "updated_at")),
)
texts_before = sa.table(
    "topic_texts",
    *(sa.column(name) for name in ("topic_id", "language", "realm", "category", "score", "origin")),
    *(sa.column(name) for name in ("title", "subtitle", "summary", "bullets", "terms")),
    sa.column("published_at", UtcTime),
)


def topic_row(number: int, realm: str, score: float, at: datetime) -> dict[str, Any]:
    words = {"url": "https://a.example/", "entities": "[]", "language": "en"}
    scores = {"tweet_score": score, "media_score": 1.0, "category": 2}
    return {"id": number, "realm": realm, "published_at": at, "updated_at": at, **words, **scores}


def text_row(number: int, realm: str, score: float, at: datetime) -> dict[str, Any]:
    words = dict.fromkeys(("title", "subtitle", "summary", "bullets", "terms", "origin"), "[]")
    place = {"language": "en", "realm": realm, "category": 2, "published_at": at}
    return {"topic_id": number, "score": score, **place, **words}


def test_concurrent_migrations_wait_for_each_other(empty_database_url: str) -> None:
    program = f"from backend import migrations; input(); migrations.upgrade({empty_database_url!r})"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    for process in running:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    errors = [process.communicate(timeout=LIMIT_SECONDS)[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], errors
    database = Database(empty_database_url)
    assert is_current(database)
    assert len(read_versions(database)) == 1
    database.dispose()


def test_a_revision_that_fails_leaves_the_store_as_it_was(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest, *_ = ScriptDirectory.from_config(migrations.build_alembic_config()).walk_revisions()
    original = sa.engine.Connection.execute
    created = 0

    def fail_at_third_table(
        self: sa.engine.Connection, statement: Any, *arguments: Any, **options: Any
    ) -> Any:
        nonlocal created
        created += "CREATE TABLE" in str(statement)
        if created == 3:
            raise RuntimeError("power failure")
        return original(self, statement, *arguments, **options)

    monkeypatch.setattr(sa.engine.Connection, "execute", in_this_thread(fail_at_third_table, original))
    with pytest.raises(RuntimeError, match="power"):
        migrations.upgrade(empty_database_url)
    monkeypatch.undo()
    database = Database(empty_database_url)
    assert sa.inspect(database.engine).get_table_names() == []
    migrations.upgrade(empty_database_url)
    assert read_versions(database) == [newest.revision]
    database.dispose()


def test_the_revision_file_with_the_highest_number_is_the_head() -> None:
    heads = ScriptDirectory.from_config(migrations.build_alembic_config()).get_heads()
    assert heads == [migrations.find_newest_revision()]


def test_an_up_to_date_store_is_not_written(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("a migration ran")

    monkeypatch.setattr(command, "upgrade", fail)
    migrations.upgrade(database.url)
