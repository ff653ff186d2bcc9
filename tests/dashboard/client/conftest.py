"""Fixtures: an API client with a fake service and a fake clock."""

from collections.abc import Callable

import httpx
import pytest

from dashboard.client.http import ApiClient
from tests.dashboard.client.service_double import KEY, Clock, Server


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
) -> ApiClient:
    """A client to which only the fake clock tells how long a request takes.

    A test of overdue responses sets its own patience.
    """
    transport = httpx.MockTransport(server)
    return ApiClient(
        "http://service.test",
        lambda: KEY,
        transport=transport,
        clock=clock,
        run_in_background=background.append,
    )
