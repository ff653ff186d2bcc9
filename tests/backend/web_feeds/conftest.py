"""Fixtures: the application over a store without topics, and a feed token."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from backend.auth.service import create_key, revoke_key
from backend.markets.tables import incidents
from backend.topics.model import Category, Topic, TopicText
from backend.topics.store import topic_store
from backend.topics.tables import topic_blocks, topic_media, topic_texts, topics
from tests.support.apps.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.http.asgi import Answer, send


@dataclass
class Feeds:
    """The application and a feed token."""

    running: Running
    token: str

    def get(self, path: str, *, token: str | None = None, **headers: str) -> Answer:
        """Request a feed with the token in its address."""
        address = f"{path}{'&' if '?' in path else '?'}token={self.token if token is None else token}"
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return send(self.running.app, address, headers=sent)

    def add_topic(self, title: str = "A title", *, language: Any = "en", **more: Any) -> int:
        """Store a topic, published an hour ago."""
        now = self.running.clock()
        fields = {"summary": "", "bullets": ()}
        text = TopicText(title, **{name: more.pop(name, value) for name, value in fields.items()})
        defaults = {
            "category": Category.NORMAL,
            "published_at": now - timedelta(hours=1),
            "url": "https://news.example/1",
        }
        topic = Topic(**{**defaults, "texts": {language: text}, **more})
        with self.running.database.write() as connection:
            (number,) = topic_store.store_topics(connection, [topic], now=now)
        return number

    def add_incident(self, asset_id: str, **more: Any) -> None:
        detail = orjson.dumps({"code": None, "text": "Two providers differ.", "values": {}}).decode()
        values = {
            "realm": self.running.market.market.sources.realm,
            "asset_id": asset_id,
            "kind": "conflict",
            "opened_at": self.running.clock() - timedelta(hours=2),
            "closed_at": None,
            "worst_pct": None,
            "detail": detail,
        }
        with self.running.database.write() as connection:
            connection.execute(sa.insert(incidents).values({**values, **more}))

    def create_token(self) -> tuple[str, str]:
        """Create another feed token; returns its id and text."""
        created = create_key(self.running.database, name="reader", feed=True, now=datetime.now(UTC))
        self.running.inner.state.credentials.reload()
        return created.info.id, created.key

    def revoke(self, key_id: str) -> None:
        revoke_key(self.running.database, key_id, datetime.now(UTC))
        self.running.inner.state.credentials.reload()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Feeds]:
    home: Path = tmp_path_factory.mktemp("feeds")
    enable_only(home, ("bitcoin", "ethereum"))
    running = run_app(settings_in(home), Clock())
    feeds = Feeds(running, "")
    _, feeds.token = feeds.create_token()
    yield feeds
    running.close()


@pytest.fixture
def feeds(shared: Feeds) -> Feeds:
    with shared.running.database.write() as connection:
        for table in (topic_media, topic_texts, topic_blocks, topics, incidents):
            connection.execute(sa.delete(table))
        connection.execute(sa.text("DELETE FROM topic_search"))
    with shared.running.database.write() as connection:
        topic_store.bump(connection, topic_store.CHANGE_COUNTER)
    return shared
