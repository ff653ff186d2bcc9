"""Fixtures: an API client with a fake service and a fake clock."""

from collections.abc import Callable

import httpx
import pytest

from dashboard.client import http
from dashboard.client.http import ApiClient
from tests.dashboard.client.service_double import KEY, Clock, Server
from tests.support.waiting import LIMIT_SECONDS


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def background() -> list[Callable[[], None]]:
    """The background work of the client, which the test runs itself."""
    return []


@pytest.fixture
def client(
    server: Server,
    clock: Clock,
    background: list[Callable[[], None]],
    monkeypatch: pytest.MonkeyPatch,
) -> ApiClient:
    """A client that waits for the end of its requests, however busy the machine is.

    Only the fake clock tells it how long a request takes; a test of overdue responses sets its own patience.
    """
    for name in ("TIMEOUT_SECONDS", "PATIENCE_SECONDS", "SHORT_PATIENCE_SECONDS"):
        monkeypatch.setattr(http, name, LIMIT_SECONDS)
    transport = httpx.MockTransport(server)
    return ApiClient(
        "http://service.test",
        lambda: KEY,
        transport=transport,
        clock=clock,
        run_in_background=background.append,
    )
