"""Fixtures: a local X server, topics to find posts for, and fetch rounds."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from backend.entities.model import Entity
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.posts import x_rate_limits
from backend.topics.posts.fetching import FetchResult, fetch_posts
from backend.topics.posts.x_api import XApi
from backend.topics.posts.x_rate_limits import XState
from backend.topics.store import topic_store
from backend.upstream import UpstreamClient
from tests.support.providers.adapters import NO_WAIT
from tests.support.providers.x_server import TOKEN, XServer

NOW = datetime(2026, 5, 18, 12, 5, tzinfo=UTC)


def build_api(server: XServer, token: str = TOKEN) -> XApi:
    headers = {"Authorization": SecretStr(f"Bearer {token}")}
    return XApi(UpstreamClient(server.url, secret_headers=headers, retry=NO_WAIT), SecretStr(token))


@pytest.fixture
def server() -> Iterator[XServer]:
    with XServer() as running:
        running.x.reset = NOW + timedelta(minutes=10)
        yield running


@pytest.fixture(scope="session")
def entities() -> Any:
    """Two entities that a topic may be about, and a third one."""
    coinbase = Entity(id="coinbase", type="exchange", names={"en": "Coinbase", "ja": "コインベース"})
    sec = Entity(id="sec", type="regulator", names={"en": "SEC"}, official_x_accounts=("SECGov",))
    bitcoin = Entity(id="bitcoin", type="asset", names={"en": "Bitcoin"})
    return {entity.id: entity for entity in (coinbase, sec, bitcoin)}


@dataclass
class Rounds:
    """Runs fetch rounds as the worker does each minute."""

    server: XServer
    database: Database
    settings: Settings
    entities: dict[str, Entity]

    def store_topic(self, word: str = "story", **fields: Any) -> int:
        """Store a topic whose article URL contains ``word``; returns its id."""
        url = f"https://outlet.example/{word}"
        values: dict[str, Any] = {
            "category": Category.NORMAL,
            "published_at": NOW - timedelta(hours=1),
            "url": url,
            "texts": {"en": TopicText(f"Headline about the {word} of the day")},
            "realm": "live",
            "media": (Media("article", url),),
        }
        with self.database.write() as connection:
            (number,) = topic_store.store_topics(connection, [Topic(**{**values, **fields})], now=NOW)
        return number

    def fetch(self, now: datetime = NOW, *, is_first: bool = False, **settings: Any) -> FetchResult:
        chosen = self.settings.model_copy(update=settings)
        api = build_api(self.server)
        try:
            return fetch_posts(chosen, self.database, self.entities, api, now=now, is_first=is_first)
        finally:
            api.close()

    def topic(self, topic_id: int) -> Topic:
        found = topic_store.load_topic(self.database, topic_id)
        assert found is not None
        return found

    def posts(self, topic_id: int) -> list[Media]:
        return [item for item in self.topic(topic_id).media if item.kind == "tweet"]

    def total(self, topic_id: int) -> float:
        return sum(item.score for item in self.posts(topic_id))

    def state(self) -> XState:
        with self.database.read() as connection:
            return x_rate_limits.load(connection, self.settings)


def build_settings(server: XServer, home: Path) -> Settings:
    return Settings(
        mode="live",
        home=home,
        x_bearer_token=SecretStr(TOKEN),
        x_base_url=server.url,
        x_monthly_posts=1_000_000,
    )


@pytest.fixture
def rounds(server: XServer, sqlite_database: Database, tmp_path: Path, entities: Any) -> Rounds:
    return Rounds(server, sqlite_database, build_settings(server, tmp_path), entities)
