"""Tests that a change in one process is visible in another one after it polls for changes.

The change watcher's thread polls once a second; here the test calls it.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from backend.articles.rules import active_rules
from backend.auth import service as auth_service
from backend.timelines import store as timeline_store
from backend.timelines.model import Profile
from tests.support.apps.article_app import PACK, write_pack
from tests.support.apps.market_app import Clock, Running, build_worker, enable_only, run_app, settings_in
from tests.support.http.asgi import Answer, send
from tests.support.runs.timeline_app import NOW, build_run_json
from tests.support.store import databases
from tests.support.store.databases import Store
from tests.support.test_session import shipped_data_cache


@dataclass
class Pair:
    """The process that makes a change, and the other one."""

    writer: Running
    reader: Running
    key: str
    home: Path

    def post(self, path: str, body: Any) -> Any:
        headers = {"CP-X-API-KEY": self.key, "Content-Type": "application/json"}
        answer = send(self.writer.app, path, method="POST", headers=headers, body=[orjson.dumps(body)])
        assert answer.status in (200, 201), answer.body
        return answer.json()

    def scan_at_reader(self, text: str) -> Answer:
        body = {"articles": [{"content": text, "language": "en"}], "persist": False}
        headers = {"CP-X-API-KEY": self.key, "Content-Type": "application/json"}
        return send(
            self.reader.app, "/articles/scan", method="POST", headers=headers, body=[orjson.dumps(body)]
        )

    def status_at_reader(self, path: str, key: str) -> int:
        return self.reader.get(path, key=key).status


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    kind: Store = request.param
    home = tmp_path_factory.mktemp("home")
    enable_only(home, ("bitcoin",))
    write_pack(home, PACK)
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(databases.create_database(kind, home))
        stack.enter_context(shipped_data_cache.cache_rule_sets())
        settings = settings_in(home, database_url=url, scan_processes=0)
        clock = Clock()
        writer, reader = run_app(settings, clock), run_app(settings, clock)
        for running in (writer, reader):
            stack.callback(running.close)
            stack.callback(running.inner.state.articles.close)
        created = auth_service.create_key(
            writer.database, name="both", scopes=("read", "write", "ingest"), now=datetime.now(UTC)
        )
        for running in (writer, reader):
            running.poll_changes()
        yield Pair(writer, reader, created.key, home)


def test_a_new_key_is_accepted_and_a_revoked_one_is_not(pair: Pair) -> None:
    created = auth_service.create_key(pair.writer.database, name="k", scopes=["read"], now=datetime.now(UTC))
    pair.reader.poll_changes()
    assert pair.status_at_reader("/rankings", created.key) == 200
    auth_service.revoke_key(pair.writer.database, created.info.id, now=datetime.now(UTC))
    pair.reader.poll_changes()
    assert pair.status_at_reader("/rankings", created.key) == 401


def test_refreshed_figures_replace_the_old_ones(pair: Pair) -> None:
    build_worker(pair.writer).tick()
    pair.reader.poll_changes()
    before = pair.reader.get("/prices", key=pair.key)
    build_worker(pair.writer).tick(minutes=5)
    pair.reader.poll_changes()
    pair.writer.poll_changes()
    after = pair.reader.get("/prices", key=pair.key)
    assert after.body != before.body
    assert after.headers["etag"] == pair.writer.get("/prices", key=pair.key).headers["etag"]
    stale = pair.reader.get("/prices", key=pair.key, if_none_match=before.headers["etag"])
    assert stale.status == 200


def test_a_topic_appears_in_cached_lists_and_in_its_detail(pair: Pair) -> None:
    pair.reader.clock.at = max(pair.reader.clock.at, NOW)
    published_at = (pair.reader.clock() - timedelta(hours=1)).isoformat()
    topic = {"external_id": "t", "category": 2, "published_at": published_at, "url": "https://a.example/"}
    first = {**topic, "texts": {"en": {"title": "First words"}}}
    lists = ("/topics", "/ranking_topics", "/topics?find=second")
    for path in lists:  # so that responses are cached
        assert pair.reader.get(path, key=pair.key).status == 200
    number = pair.post("/topics", first)["data"][0]["id"]
    pair.reader.poll_changes()
    for path in lists[:2]:
        titles = [topic["title"] for topic in pair.reader.get(path, key=pair.key).json()["data"]]
        assert "First words" in titles, path

    pair.post("/topics", {**first, "texts": {"en": {"title": "Second words"}}})
    pair.reader.poll_changes()
    for path in lists:
        titles = [topic["title"] for topic in pair.reader.get(path, key=pair.key).json()["data"]]
        assert "Second words" in titles, path
    assert pair.reader.get(f"/topics/{number}", key=pair.key).json()["data"]["title"] == "Second words"


def test_a_profile_and_its_runs_are_visible_at_once(pair: Pair) -> None:
    assert pair.status_at_reader("/v1/timelines/mine", pair.key) == 404
    timeline_store.upsert_profiles(pair.writer.database, {"mine": Profile("p", "m")}, now=NOW)
    assert pair.reader.get("/v1/timelines/mine", key=pair.key).json()["entries"] == []
    for run in ("a", "b"):
        pair.post("/v1/timelines/mine/entries", [build_run_json(run)])
        entries = pair.reader.get("/v1/timelines/mine", key=pair.key).json()["entries"]
        assert entries[-1]["run_id"] == run
    listed = pair.reader.get("/v1/timelines", key=pair.key).json()["profiles"]["mine"]["entries"]
    assert [entry["run_id"] for entry in listed] == ["a", "b"]


def _list_rules(scanned: Answer) -> set[str]:
    return {found["rule_id"] for found in scanned.json()[0]["violations"]}


def test_reloaded_rules_apply_in_every_process_with_one_version(pair: Pair) -> None:
    before = pair.scan_at_reader("The Zorbkoin rose")
    assert _list_rules(before)
    write_pack(pair.home, PACK.replace("Zorbkoin", "Zorbquoin"))
    active_rules.announce(pair.writer.database)
    pair.writer.poll_changes()
    pair.reader.poll_changes()
    after = pair.scan_at_reader("The Zorbkoin rose")
    # What no rule lists any more may still be found as a slip of a listed name.
    assert _list_rules(before).isdisjoint(_list_rules(after))
    rules = pair.reader.get("/articles/rules", key=pair.key).json()
    assert rules["version"] == after.headers["x-rules-version"] != before.headers["x-rules-version"]
    assert pair.writer.get("/articles/rules", key=pair.key).json() == rules


def test_stored_violations_are_visible_in_the_other_process_at_once(pair: Pair) -> None:
    article = {"id": "seen-everywhere", "content": "A Zorb Token fell", "language": "en"}
    pair.post("/articles/scan", {"articles": [article], "persist": True})
    path = "/articles/violations?article_id=seen-everywhere"
    assert pair.reader.get(path, key=pair.key).json()["data"]
