"""The real service under the dashboard: the sample market in its calm week, served on loopback."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn

from dashboard.client import api
from tests.support.market_app import Clock, run_app, settings_in, worker_of

STARTED = 20.0
"""Seconds that the service may take to listen."""


@dataclass(frozen=True)
class Backend:
    url: str
    key: str


@pytest.fixture(scope="session")
def served_market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    home: Path = tmp_path_factory.mktemp("home")
    clock = Clock()
    settings = settings_in(home)
    running = run_app(settings, clock)
    worker = worker_of(settings, running.database, clock)
    worker.tick()
    worker.tick(seconds=15)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(running.app, log_level="error", lifespan="off"))
    running.look()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield Backend(f"http://127.0.0.1:{listening.getsockname()[1]}", running.key)
    finally:
        server.should_exit = True
        thread.join(STARTED)
        running.close()


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
