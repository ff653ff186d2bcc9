"""Builds and stores scored runs, and runs the application over them."""

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
from backend.timelines.validation.run_preparation import prepare_runs
from tests.support.apps.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.http.asgi import Answer, send

NOW = datetime(2026, 3, 4, tzinfo=UTC)


def build_run_json(run_id: str = "a", minute: int = 0, **more: Any) -> dict[str, Any]:
    """Build a run as a program sends it, started at ``minute``."""
    fields = {
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
    return {**fields, **more}


def build_run(run_id: str = "a", **more: Any) -> Run:
    """Build a run object without validation."""
    fields = {
        "run_id": run_id,
        "timestamp": "2026-03-01T10:00:00Z",
        "case_id": "a case",
        "success": True,
        "total_score": 1.0,
        "raw_score": 1.0,
        "max_score": 1.0,
        "normalized_score": 1.0,
    }
    return Run(**{**fields, **more})


def store_runs(database: Database, profile: str, *runs: Run) -> store.Added:
    """Store runs in the realm ``own`` under an empty profile."""
    checked = prepare_runs(runs, profile=profile)
    assert not checked.errors
    return store.add(database, "own", checked.runs, {profile: Profile()})


@dataclass
class TimelinesApp:
    """The application and its keys by scope."""

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
        """List the run ids of one profile's timeline, in order."""
        return [entry["run_id"] for entry in self.json(path)["entries"]]

    def post(self, profile: str, body: Any, *, key: str = "ingest", raw: bytes | None = None) -> Answer:
        request_body = orjson.dumps(body) if raw is None else raw
        headers = {"CP-X-API-KEY": self.keys[key], "Content-Type": "application/json"}
        path = f"/v1/timelines/{profile}/entries"
        return send(self.running.app, path, method="POST", headers=headers, body=[request_body])

    def add(self, profile: str, *runs: dict[str, Any]) -> None:
        answer = self.post(profile, list(runs))
        assert answer.json() == {"added": len(runs), "known": 0}, answer.body

    def configure(self, **profiles: Profile) -> None:
        store.upsert_profiles(self.database, profiles, now=NOW)


@contextlib.contextmanager
def run_timelines_app(home: Path, database_url: str | None = None, **settings: Any) -> Iterator[TimelinesApp]:
    """Run the application with the profiles ``one`` and ``two``."""
    enable_only(home, ())
    running = run_app(settings_in(home, database_url=database_url, **settings), Clock())
    scopes_by_key: dict[str, tuple[Scope, ...]] = {"read": ("read",), "ingest": ("ingest",)}
    keys = {
        name: create_key(running.database, name=name, scopes=scopes, now=NOW).key
        for name, scopes in scopes_by_key.items()
    }
    running.inner.state.credentials.reload()
    service = TimelinesApp(running, keys)
    profile = Profile("an agent", "m-1", "a vendor", "a cloud")
    service.configure(one=profile, two=Profile("an agent", "m-2", "a vendor"))
    yield service
    running.close()
