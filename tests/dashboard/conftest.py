"""The real service under the dashboard: the sample market in its calm week, served on loopback."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
import uvicorn

from backend import migrations
from backend.app import create_app
from backend.db import Database
from backend.markets import setup
from backend.markets.refresh import Refresher
from backend.settings import Settings
from dashboard.client import api

CALM = datetime(2026, 11, 18, 10, 7, 42, tzinfo=UTC)
"""In the sample market's calm week: no view fails."""
STOPPED = 20.0
"""Seconds that the service may take to end."""


@dataclass(frozen=True)
class Backend:
    url: str
    key: str


@pytest.fixture(scope="session")
def served_market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    settings = Settings(home=tmp_path_factory.mktemp("home"), log_level="error")
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    refresher = Refresher(database, setup.prepare(settings, database))
    for seconds in (0, 15):
        refresher.tick(CALM + timedelta(seconds=seconds))
    database.dispose()
    app = create_app(settings, now=lambda: CALM + timedelta(seconds=20))
    key = settings.local_key_file.read_text().strip()
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(128)  # who calls before the server is up waits in the queue
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield Backend(f"http://127.0.0.1:{listening.getsockname()[1]}", key)
    finally:
        server.should_exit = True
        thread.join(STOPPED)


@pytest.fixture
def dashboard_backend(served_market: Backend, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """The service's address and key in the environment, where the dashboard looks for them."""
    monkeypatch.setenv("CHAINPROOF_BASE_URL", served_market.url)
    monkeypatch.setenv("CHAINPROOF_API_KEY", served_market.key)
    return served_market


@pytest.fixture(autouse=True)
def _own_client() -> Iterator[None]:
    """No answer of one test serves another."""
    yield
    api.forget()
