"""Two versions of the service on one store, as long as one takes the place of the other."""

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
from tests.support import read_once
from tests.support.asgi import send
from tests.support.market_app import Clock, enable_only, run_app, settings_in, worker_of
from tests.support.schema_changes import Schema, breaks, schema_of
from tests.support.timelines import sent_run
from tests.support.waiting import LIMIT_SECONDS

LAST_BEFORE_RELEASES = "0009"
"""Until here there was no version before that anybody ran, and revisions took away what they liked."""
NEWER = "9999"


def needed(connection: Connection) -> int:
    look = sa.select(change_counters.c.n).where(change_counters.c.topic == migrations.NEEDED)
    return connection.execute(look).scalar() or 0


def test_each_revision_leaves_the_version_before_it_at_work_or_says_that_it_does_not(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'steps.db'}")
    before: Schema = {}
    broke: dict[str, list[str]] = {}
    scripts = ScriptDirectory.from_config(migrations.configuration())
    for revision in sorted(script.revision for script in scripts.walk_revisions()):
        with database.write() as connection:
            migrations.upgrade_within(connection, revision)
            after, floor = schema_of(connection), needed(connection)
        found = list(breaks(before, after))
        if found and revision > LAST_BEFORE_RELEASES:
            assert floor > 0, f"{revision} must call contract(), or leave this as it was: {found}"
        assert floor < int(revision), "A version that does without what is taken away has been out before."
        broke[revision] = found
        before = after
    database.dispose()
    assert broke["0007"] == ["table insights is gone"], "the rule sees what is there to be seen"


@pytest.mark.parametrize(
    ("statement", "told"),
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
def test_what_a_step_would_break_is_found(statement: str, told: str | None) -> None:
    with sa.create_engine("sqlite://").connect() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT)")
        connection.exec_driver_sql("CREATE TABLE u (id INTEGER PRIMARY KEY)")
        before = schema_of(connection)
        connection.exec_driver_sql(statement)
        found = list(breaks(before, schema_of(connection)))
    assert (found == []) if told is None else (told in found[0])


def expand(database: Database) -> None:
    """The store as a later version leaves it: new columns in every table, a new table, a revision."""
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


def test_a_service_starts_and_works_on_a_schema_that_is_newer_than_its_own(
    newer: Database, tmp_path: Path
) -> None:
    enable_only(tmp_path, ("bitcoin",))
    settings = settings_in(tmp_path, database_url=newer.url, scan_processes=0)
    with read_once.rule_sets():
        running = run_app(settings, Clock())
        worker_of(running).tick()
        running.look()
        scopes = ["read", "write", "ingest"]
        key = auth_service.create_key(newer, name="all", scopes=scopes, now=datetime.now(UTC)).key
        running.look()

        def post(path: str, body: object) -> int:
            headers = {"CP-X-API-KEY": key, "Content-Type": "application/json"}
            return send(running.app, path, method="POST", headers=headers, body=[orjson.dumps(body)]).status

        told = running.clock().isoformat()
        topic = {
            "category": 2,
            "published_at": told,
            "url": "https://a.example/",
            "texts": {"en": {"title": "T"}},
        }
        assert post("/topics", topic) == 201
        assert post("/v1/timelines/a/entries", [sent_run()]) in (201, 404)
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
        assert migrations.revision_of(connection) == NEWER, "which is left as it is"


@pytest.mark.parametrize(("since", "goes_on"), [("0001", True), ("own", True), (NEWER, False)])
def test_a_store_from_which_something_was_taken_away_refuses_the_versions_that_need_it(
    newer: Database, since: str, goes_on: bool
) -> None:
    with newer.write() as connection:
        migrations.contract(connection, migrations.newest_revision() if since == "own" else since)
        migrations.contract(connection, "0001")  # an older word takes nothing back
    if goes_on:
        migrations.upgrade(newer.url)
        with newer.read() as connection:
            assert migrations.revision_of(connection) == NEWER
        return
    with pytest.raises(Unavailable, match=r"at schema 9999, .* before schema 9999 .* newer version"):
        migrations.upgrade(newer.url)
