"""Provides a server of another host, and fetches that may reach it."""

from collections.abc import Iterator
from typing import Any

import pytest

from backend.upstream import Fetched, guarded_fetch
from tests.support.providers.provider_server import ProviderServer

IMAGES = ("image/png", "image/jpeg")


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


def fetch(server: ProviderServer, path: str = "/images/x.png", **options: Any) -> Fetched:
    allowed: dict[str, Any] = {"accept": IMAGES, "allow": (f"127.0.0.1:{server.port}",), **options}
    return guarded_fetch(server.url + path, **allowed)
