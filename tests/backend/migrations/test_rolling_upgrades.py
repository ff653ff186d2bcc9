"""Tests that two versions of the service can use one store during a rolling upgrade."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from backend import migrations
from backend.articles.rules.active_rules import ActiveRules
from backend.auth import service as auth_service
from backend.errors import Unavailable
from backend.extraction.tasks import extraction_jobs
from backend.jobs import transitions
from backend.jobs.runner import Runner
from backend.migrations.declared_tables import is_declared
from backend.store.database import Database, change_counters
from tests.support.apps.market_app import Clock, build_worker, enable_only, run_app, settings_in
from tests.support.http.asgi import send
from tests.support.runs.timeline_app import build_run_json
from tests.support.store.schema_changes import Schema, find_breaking_changes, read_schema
from tests.support.test_session import shipped_data_cache
from tests.support.waiting import LIMIT_SECONDS

LAST_BEFORE_RELEASES = "0009"
"""Up to this revision no older version was in use, so revisions could remove anything."""
NEWER = "9999"


def read_oldest_supported(connection: Connection) -> int:
    query = sa.select(change_counters.c.n).where(
        change_counters.c.topic == migrations.OLDEST_SUPPORTED_COUNTER
    )
    return connection.execute(query).scalar() or 0


def test_each_revision_keeps_the_previous_version_working_or_raises_the_oldest_supported(
    tmp_path: Path,
) -> None:
    database = Database(f"sqlite:///{tmp_path / 'steps.db'}")
    before: Schema = {}
    breaking: dict[str, list[str]] = {}
    scripts = ScriptDirectory.from_config(migrations.build_alembic_config())
    for revision in sorted(script.revision for script in scripts.walk_revisions()):
        with database.write() as connection:
            migrations.upgrade_in_transaction(connection, revision)
            after, oldest = read_schema(connection), read_oldest_supported(connection)
        found = list(find_breaking_changes(before, after))
        if found and revision > LAST_BEFORE_RELEASES:
            assert oldest > 0, f"{revision} must call set_oldest_supported(), or keep this: {found}"
        assert oldest < int(revision), "An earlier release must already work without the removed parts."
        breaking[revision] = found
        before = after
    database.dispose()
    assert breaking["0007"] == ["table insights is gone"], "the comparison finds a known breaking change"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("DROP TABLE u", "table u is gone"),
        ("ALTER TABLE t DROP COLUMN b", "column t.b is gone"),
        ("ALTER TABLE t ADD COLUMN c TEXT NOT NULL DEFAULT 'x'", None),
        ("ALTER TABLE t ADD COLUMN c TEXT", None),
        ("CREATE TABLE v (id INTEGER PRIMARY KEY, c TEXT NOT NULL)", None),
        ("CREATE INDEX i ON t (b)", None),
        ("CREATE UNIQUE INDEX i ON t (b)", "unique"),
    ],
)
def test_breaking_changes_are_found(statement: str, expected: str | None) -> None:
    with sa.create_engine("sqlite://").connect() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT)")
        connection.exec_driver_sql("CREATE TABLE u (id INTEGER PRIMARY KEY)")
        before = read_schema(connection)
        connection.exec_driver_sql(statement)
        found = list(find_breaking_changes(before, read_schema(connection)))
    assert (found == []) if expected is None else (expected in found[0])


def expand(database: Database) -> None:
    """Change the store as a later version would: new columns, a new table, a higher revision."""
    with database.write() as connection:
        for name in sa.inspect(connection).get_table_names():
            if is_declared(name) and name != "alembic_version":
                connection.exec_driver_sql(f"ALTER TABLE {name} ADD COLUMN later_text TEXT")
                connection.exec_driver_sql(
                    f"ALTER TABLE {name} ADD COLUMN later_n INTEGER NOT NULL DEFAULT 0"
                )
        connection.exec_driver_sql("CREATE TABLE later (id INTEGER PRIMARY KEY)")
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{NEWER}'")


@pytest.fixture
def newer(database: Database) -> Database:
    expand(database)
    return database


def test_a_service_starts_and_works_on_a_newer_schema(newer: Database, tmp_path: Path) -> None:
    enable_only(tmp_path, ("bitcoin",))
    settings = settings_in(tmp_path, database_url=newer.url, scan_processes=0)
    with shipped_data_cache.cache_rule_sets():
        running = run_app(settings, Clock())
        build_worker(running).tick()
        running.poll_changes()
        scopes = ["read", "write", "ingest"]
        key = auth_service.create_key(newer, name="all", scopes=scopes, now=datetime.now(UTC)).key
        running.poll_changes()

        def post(path: str, body: object) -> int:
            headers = {"CP-X-API-KEY": key, "Content-Type": "application/json"}
            return send(running.app, path, method="POST", headers=headers, body=[orjson.dumps(body)]).status

        published_at = running.clock().isoformat()
        topic = {
            "category": 2,
            "published_at": published_at,
            "url": "https://a.example/",
            "texts": {"en": {"title": "T"}},
        }
        assert post("/topics", topic) == 201
        assert post("/v1/timelines/a/entries", [build_run_json()]) in (201, 404)
        assert post("/articles/scan", {"articles": [{"id": "1", "content": "bit coin and BitCoin"}]}) == 200
        assert post("/entities/extractions", {"text": "Bitcoin"}) == 202
        assert post("/sources", {"statement": "Bitcoin rose"}) == 202
        now = datetime.now(UTC)
        [job] = transitions.claim(newer, "extraction", limit=9, now=now)
        kind = extraction_jobs(settings, ActiveRules(settings))
        Runner(newer, [kind], timeout=timedelta(seconds=LIMIT_SECONDS), clock=lambda: now).run(
            "extraction", [job]
        )
        for path in ("/prices", "/rankings", "/topics", "/v1/timelines", "/articles/violations", "/entities"):
            assert running.get(path, key=key).status == 200, path
        done = running.get(f"/entities/extractions/{job}", key=key).json()["data"]
        assert done["status"] == "completed"
        running.inner.state.articles.close()
        running.close()
    with newer.read() as connection:
        assert migrations.find_revision(connection) == NEWER, "the newer schema stays as it is"


@pytest.mark.parametrize(("since", "starts"), [("0001", True), ("own", True), (NEWER, False)])
def test_versions_older_than_the_oldest_supported_refuse_to_start(
    newer: Database, since: str, starts: bool
) -> None:
    with newer.write() as connection:
        migrations.set_oldest_supported(
            connection, migrations.find_newest_revision() if since == "own" else since
        )
        migrations.set_oldest_supported(connection, "0001")  # a lower number changes nothing
    if starts:
        migrations.upgrade(newer.url)
        with newer.read() as connection:
            assert migrations.find_revision(connection) == NEWER
        return
    with pytest.raises(Unavailable, match=r"at schema 9999, .* before schema 9999 .* newer version"):
        migrations.upgrade(newer.url)
