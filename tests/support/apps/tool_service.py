"""Serves the sample market, a topic, runs and jobs over HTTP for tests of ``/mcp``."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from backend.auth.principal import Scope
from backend.auth.service import create_key
from backend.extraction.tasks import extraction_jobs
from backend.sources.tasks import build_source_jobs
from backend.timelines import store as timeline_store
from backend.timelines.model import Profile, Run
from backend.timelines.validation.run_preparation import prepare_runs
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.store import topic_store
from tests.support.apps.market_app import FEW, Running, sample_app, settings_in
from tests.support.apps.research_app import Research
from tests.support.http.uvicorn_thread import serve_app

PROFILES = ("desk/a", "desk b")
DASHBOARD = "http://127.0.0.1:8501"


@dataclass(frozen=True)
class ToolService:
    """A listening service. ``key`` has the scopes read and write."""

    url: str
    key: str
    running: Running
    jobs: Research

    def create_key(self, *scopes: Scope) -> str:
        key = create_key(self.running.database, name="t", scopes=scopes, now=datetime.now(UTC)).key
        self.running.inner.state.watcher.poll()
        return key

    def client(self, mode: Any = "auto", *, key: str | None = None) -> Client:
        """Build a client of the protocol; ``legacy`` is the handshake of the versions up to 2025-11-25."""
        http = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {key or self.key}"}, trust_env=False, timeout=30
        )
        return Client(streamable_http_client(f"{self.url}/mcp", http_client=http), mode=mode)


@contextmanager
def tool_service(home: Path) -> Iterator[ToolService]:
    with sample_app(home, FEW) as running, serve_app(running.app) as url:
        _add_topics(running)
        _add_runs(running)
        rules, settings = running.inner.state.articles.rules, settings_in(home)
        types = {
            kind.kind: kind
            for kind in (
                build_source_jobs(settings, running.database, rules),
                extraction_jobs(settings, rules),
            )
        }
        key = create_key(running.database, name="agent", scopes=("read", "write"), now=datetime.now(UTC)).key
        running.poll_changes()
        yield ToolService(url, key, running, Research(url, key, running.key, running.database, types))


def _add_topics(running: Running) -> None:
    media = (
        Media("primary_source", "https://s.example/1", "Filing"),
        Media("article", "https://a.example/1", "News", published_at=running.clock()),
        Media("tweet", "https://x.example/1", score=1.0),
    )
    topics = [
        Topic(
            Category.IMPORTANT,
            running.clock(),
            f"https://a.example/{number}",
            {"en": TopicText(f"Bitcoin miners report number {number}", summary="Much of it. " * 100)},
            media=media,
        )
        for number in (1, 2)
    ]
    with running.database.write() as connection:
        topic_store.store_topics(connection, topics, now=running.clock())


def _add_runs(running: Running) -> None:
    profiles = {name: Profile(provider="an agent", model="m") for name in PROFILES}
    timeline_store.upsert_profiles(running.database, profiles, now=running.clock())
    for score, name in enumerate(PROFILES):
        runs = [
            _build_run(f"{name} {case}", f"case {case}", (score + case % 2) / 2 - score * (case % 3) / 10)
            for case in range(8)
        ]
        prepared = prepare_runs(runs, profile=name).runs
        timeline_store.add(running.database, "own", prepared, profiles)


def _build_run(run_id: str, case_id: str, score: float) -> Run:
    return Run(
        run_id=run_id,
        timestamp="2026-03-01T00:00:00Z",
        case_id=case_id,
        success=score > 0,
        total_score=score,
        raw_score=score,
        max_score=1.0,
        normalized_score=score,
    )
