"""Scored runs to store, and the application over a store of them."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from backend.auth.principal import Scope
from backend.auth.service import create_key
from backend.store.database import Database
from backend.timelines import store
from backend.timelines.model import Profile, Run
from backend.timelines.service import TimelineService
from backend.timelines.validation.run_validation import check
from tests.support.asgi import Answer, send
from tests.support.market_app import Clock, Running, enable_only, run_app, settings_in

NOW = datetime(2026, 3, 4, tzinfo=UTC)


def sent_run(run_id: str = "a", minute: int = 0, **more: Any) -> dict[str, Any]:
    """A run as a program sends it, that began at a minute of an hour."""
    given = {
        "run_id": run_id,
        "timestamp": f"2026-03-01T10:{minute:02}:00Z",
        "case_id": "a case",
        "success": True,
        "total_score": 8.5,
        "raw_score": 9,
        "max_score": 10,
        "normalized_score": 0.85,
        "deductions": [{"name": "slow", "points": 1, "description": "took long"}],
        "bonuses": [{"name": "short", "points": 0.5}],
    }
    return {**given, **more}


def made_run(run_id: str = "a", **more: Any) -> Run:
    """The same by the constructor, which judges nothing."""
    given = {
        "run_id": run_id,
        "timestamp": "2026-03-01T10:00:00Z",
        "case_id": "a case",
        "success": True,
        "total_score": 1.0,
        "raw_score": 1.0,
        "max_score": 1.0,
        "normalized_score": 1.0,
    }
    return Run(**{**given, **more})


def put(database: Database, profile: str, *runs: Run) -> store.Added:
    """Store runs of one's own with a profile that says nothing."""
    right = check(runs, profile=profile)
    assert not right.refusals
    return store.add(database, "own", right.prepared, {profile: Profile()})


@dataclass
class Served:
    """The application, and keys for it by what they may do."""

    running: Running
    keys: dict[str, str]

    @property
    def database(self) -> Database:
        return self.running.database

    @property
    def timelines(self) -> TimelineService:
        service: TimelineService = self.running.inner.state.timelines
        return service

    def get(self, path: str, *, key: str = "read", **headers: str) -> Answer:
        return self.running.get(path, key=self.keys[key], **headers)

    def json(self, path: str) -> Any:
        answer = self.get(path)
        assert answer.status == 200, answer.body
        return answer.json()

    def ids(self, path: str) -> list[str]:
        """The run ids of one profile's timeline, in order."""
        return [entry["run_id"] for entry in self.json(path)["entries"]]

    def post(self, profile: str, body: Any, *, key: str = "ingest", raw: bytes | None = None) -> Answer:
        sent = orjson.dumps(body) if raw is None else raw
        headers = {"CP-X-API-KEY": self.keys[key], "Content-Type": "application/json"}
        path = f"/v1/timelines/{profile}/entries"
        return send(self.running.app, path, method="POST", headers=headers, body=[sent])

    def add(self, profile: str, *runs: dict[str, Any]) -> None:
        answer = self.post(profile, list(runs))
        assert answer.json() == {"added": len(runs), "known": 0}, answer.body

    def configure(self, **profiles: Profile) -> None:
        store.upsert_profiles(self.database, profiles, now=NOW)


@contextlib.contextmanager
def served(home: Path, database_url: str | None = None, **settings: Any) -> Iterator[Served]:
    """The application over the profiles ``one`` and ``two``."""
    enable_only(home, ())
    running = run_app(settings_in(home, database_url=database_url, **settings), Clock())
    wanted: dict[str, tuple[Scope, ...]] = {"read": ("read",), "ingest": ("ingest",)}
    keys = {
        name: create_key(running.database, name=name, scopes=scopes, now=NOW).key
        for name, scopes in wanted.items()
    }
    running.inner.state.credentials.reload()
    service = Served(running, keys)
    made_with = Profile("an agent", "m-1", "a vendor", "a cloud")
    service.configure(one=made_with, two=Profile("an agent", "m-2", "a vendor"))
    yield service
    running.close()
