"""Two processes on one store: what is changed at the one shows at the other with its next look.

Each look is what the change watcher's thread does once a second; here it is called.
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
from tests.support import databases, read_once
from tests.support.article_app import PACK, write_pack
from tests.support.asgi import Answer, send
from tests.support.databases import Store
from tests.support.market_app import Clock, Running, build_worker, enable_only, run_app, settings_in
from tests.support.timelines import NOW, build_run_json


@dataclass
class Pair:
    """The process at which something changes, and the other one."""

    here: Running
    there: Running
    key: str
    home: Path

    def post(self, path: str, body: Any) -> Any:
        headers = {"CP-X-API-KEY": self.key, "Content-Type": "application/json"}
        answer = send(self.here.app, path, method="POST", headers=headers, body=[orjson.dumps(body)])
        assert answer.status in (200, 201), answer.body
        return answer.json()

    def scan_there(self, text: str) -> Answer:
        body = {"articles": [{"content": text, "language": "en"}], "persist": False}
        headers = {"CP-X-API-KEY": self.key, "Content-Type": "application/json"}
        return send(
            self.there.app, "/articles/scan", method="POST", headers=headers, body=[orjson.dumps(body)]
        )

    def status_there(self, path: str, key: str) -> int:
        return self.there.get(path, key=key).status


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    kind: Store = request.param
    home = tmp_path_factory.mktemp("home")
    enable_only(home, ("bitcoin",))
    write_pack(home, PACK)
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(databases.create_database(kind, home))
        stack.enter_context(read_once.cache_rule_sets())
        settings = settings_in(home, database_url=url, scan_processes=0)
        clock = Clock()
        here, there = run_app(settings, clock), run_app(settings, clock)
        for running in (here, there):
            stack.callback(running.close)
            stack.callback(running.inner.state.articles.close)
        made = auth_service.create_key(
            here.database, name="both", scopes=("read", "write", "ingest"), now=datetime.now(UTC)
        )
        for running in (here, there):
            running.poll_changes()
        yield Pair(here, there, made.key, home)


def test_a_key_that_is_made_opens_and_one_that_is_revoked_does_not(pair: Pair) -> None:
    made = auth_service.create_key(pair.here.database, name="k", scopes=["read"], now=datetime.now(UTC))
    pair.there.poll_changes()
    assert pair.status_there("/rankings", made.key) == 200
    auth_service.revoke_key(pair.here.database, made.info.id, now=datetime.now(UTC))
    pair.there.poll_changes()
    assert pair.status_there("/rankings", made.key) == 401


def test_figures_that_a_worker_refreshed_take_the_place_of_the_former_ones(pair: Pair) -> None:
    build_worker(pair.here).tick()
    pair.there.poll_changes()
    before = pair.there.get("/prices", key=pair.key)
    build_worker(pair.here).tick(minutes=5)
    pair.there.poll_changes()
    pair.here.poll_changes()
    after = pair.there.get("/prices", key=pair.key)
    assert after.body != before.body
    assert after.headers["etag"] == pair.here.get("/prices", key=pair.key).headers["etag"]
    stale = pair.there.get("/prices", key=pair.key, if_none_match=before.headers["etag"])
    assert stale.status == 200


def test_a_topic_shows_in_a_list_that_stood_ready_and_in_its_detail(pair: Pair) -> None:
    pair.there.clock.at = max(pair.there.clock.at, NOW)
    told = (pair.there.clock() - timedelta(hours=1)).isoformat()
    topic = {"external_id": "t", "category": 2, "published_at": told, "url": "https://a.example/"}
    first = {**topic, "texts": {"en": {"title": "First words"}}}
    lists = ("/topics", "/ranking_topics", "/topics?find=second")
    for path in lists:  # so that answers stand ready
        assert pair.there.get(path, key=pair.key).status == 200
    number = pair.post("/topics", first)["data"][0]["id"]
    pair.there.poll_changes()
    for path in lists[:2]:
        titles = [each["title"] for each in pair.there.get(path, key=pair.key).json()["data"]]
        assert "First words" in titles, path

    pair.post("/topics", {**first, "texts": {"en": {"title": "Second words"}}})
    pair.there.poll_changes()
    for path in lists:
        titles = [each["title"] for each in pair.there.get(path, key=pair.key).json()["data"]]
        assert "Second words" in titles, path
    assert pair.there.get(f"/topics/{number}", key=pair.key).json()["data"]["title"] == "Second words"


def test_a_profile_and_its_runs_show_at_once(pair: Pair) -> None:
    assert pair.status_there("/v1/timelines/mine", pair.key) == 404
    timeline_store.upsert_profiles(pair.here.database, {"mine": Profile("p", "m")}, now=NOW)
    assert pair.there.get("/v1/timelines/mine", key=pair.key).json()["entries"] == []
    for run in ("a", "b"):
        pair.post("/v1/timelines/mine/entries", [build_run_json(run)])
        entries = pair.there.get("/v1/timelines/mine", key=pair.key).json()["entries"]
        assert entries[-1]["run_id"] == run
    listed = pair.there.get("/v1/timelines", key=pair.key).json()["profiles"]["mine"]["entries"]
    assert [entry["run_id"] for entry in listed] == ["a", "b"]


def test_rules_and_names_that_are_reloaded_judge_articles_everywhere_by_one_version(pair: Pair) -> None:
    before = pair.scan_there("The Zorbkoin rose")
    assert [found["rule_id"] for found in before.json()[0]["violations"]]
    write_pack(pair.home, PACK.replace("Zorbkoin", "Zorbquoin"))
    active_rules.announce(pair.here.database)
    pair.here.poll_changes()
    pair.there.poll_changes()
    after = pair.scan_there("The Zorbkoin rose")
    assert after.json()[0]["violations"] == []
    told = pair.there.get("/articles/rules", key=pair.key).json()
    assert told["version"] == after.headers["x-rules-version"] != before.headers["x-rules-version"]
    assert pair.here.get("/articles/rules", key=pair.key).json() == told


def test_violations_that_one_stores_are_read_at_the_other_at_once(pair: Pair) -> None:
    article = {"id": "seen-everywhere", "content": "A Zorb Token fell", "language": "en"}
    pair.post("/articles/scan", {"articles": [article], "persist": True})
    path = "/articles/violations?article_id=seen-everywhere"
    assert pair.there.get(path, key=pair.key).json()["data"]
