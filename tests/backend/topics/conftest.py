"""Fixtures: topics to store, and the application with a store of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from backend.articles.engine import RuleSet
from backend.articles.rules.rules_loader import load_shipped
from backend.auth.principal import Scope
from backend.auth.service import create_key
from backend.store.database import Database, bump, metadata
from backend.topics.model import Category, Realm, Topic, TopicText
from backend.topics.service import STARTUP_PAGES, TopicService
from backend.topics.store import topic_rows, topic_store
from backend.topics.tables import topics
from tests.support.apps.market_app import CALM, Clock, Running, enable_only, run_app, settings_in
from tests.support.http.asgi import Answer, send
from tests.support.store import databases

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
Make = Callable[..., Topic]


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture(scope="session")
def rules() -> RuleSet:
    return load_shipped().rules


@pytest.fixture
def make() -> Make:
    """An English topic of one's own, published now."""

    def make_topic(title: str = "A title", **more: Any) -> Topic:
        defaults = {"category": Category.NORMAL, "published_at": NOW, "url": "https://news.example/1"}
        return Topic(**{**defaults, "texts": {"en": TopicText(title)}, **more})

    return make_topic


def stored_topics(database: Database, realm: Realm) -> list[Topic]:
    """The topics of ``realm`` that were merged into no other one."""
    query = sa.select(topics.c.id).where(topics.c.realm == realm, topics.c.merged_into.is_(None))
    with database.read() as connection:
        return topic_rows.read_topics(connection, connection.execute(query).scalars().all())


@dataclass
class Service:
    """The application, and keys for it by what they may do."""

    running: Running
    keys: dict[str, str]

    @property
    def database(self) -> Database:
        return self.running.database

    @property
    def clock(self) -> Clock:
        return self.running.clock

    def get(self, path: str, *, key: str = "read", **headers: str) -> Answer:
        return self.running.get(path, key=self.keys[key], **headers)

    def data(self, path: str) -> Any:
        answer = self.get(path)
        assert answer.status == 200, answer.body
        return answer.json()["data"]

    def post(self, path: str, body: Any, *, key: str = "ingest", raw: bytes | None = None) -> Answer:
        request_body = orjson.dumps(body) if raw is None else raw
        headers = {"CP-X-API-KEY": self.keys[key], "Content-Type": "application/json"}
        return send(self.running.app, path, method="POST", headers=headers, body=[request_body])

    def add(self, **more: Any) -> int:
        """Post one topic, told an hour ago unless ``published_at`` says otherwise; gives its id."""
        answer = self.post("/topics", self.topic(**more))
        assert answer.status == 201, answer.body
        number: int = answer.json()["data"][0]["id"]
        return number

    def topic(self, title: str = "A title", **more: Any) -> dict[str, Any]:
        result = self.clock() - timedelta(hours=1)
        defaults = {"category": 2, "published_at": result.isoformat(), "url": "https://news.example/1"}
        return {**defaults, "texts": {"en": {"title": title}}, **more}

    def ago(self, **duration: float) -> str:
        return (self.clock() - timedelta(**duration)).isoformat().replace("+00:00", "Z")

    def empty(self) -> None:
        """Forget all topics and whatever lists were asked for, and set the clock back."""
        self.clock.at = CALM
        with self.database.write() as connection:
            for table in reversed(metadata.sorted_tables):
                if table.name.startswith(("topic", "written_texts", "document")):
                    connection.execute(sa.delete(table))
            bump(connection, topic_store.CHANGE_COUNTER)
        served: TopicService = self.running.inner.state.topics
        served.prepared_pages.clear()
        served.prepared_pages._registered.clear()
        for key, recipe in STARTUP_PAGES.items():
            served.prepared_pages.register(key, partial(recipe, served))


@pytest.fixture(params=["sqlite", "postgres"], scope="module")
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The application that the tests of a module share."""
    home = tmp_path_factory.mktemp("topics")
    with databases.create_database(request.param, home) as url:
        enable_only(home, ())
        running = run_app(settings_in(home, database_url=url), Clock())
        now = datetime.now(UTC)
        scopes: tuple[Scope, ...] = ("read", "ingest", "write")
        keys = {name: create_key(running.database, name=name, scopes=(name,), now=now).key for name in scopes}
        terminal = create_key(running.database, name="terminal", terminal=True, now=now)
        running.inner.state.credentials.reload()
        yield Service(running, {**keys, "terminal": terminal.key})
        running.close()


@pytest.fixture
def service(served: Service) -> Service:
    """The application over a store without topics."""
    served.empty()
    return served
