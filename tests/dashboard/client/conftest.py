"""A client over a service that is none."""

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
def behind() -> list[Callable[[], None]]:
    """What the client wants done behind, for the test to do."""
    return []


@pytest.fixture
def client(server: Server, clock: Clock, behind: list[Callable[[], None]]) -> ApiClient:
    transport = httpx.MockTransport(server)
    return ApiClient(
        "http://service.test", lambda: KEY, transport=transport, clock=clock, behind=behind.append
    )
