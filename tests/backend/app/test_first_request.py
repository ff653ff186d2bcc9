"""Tests what is built before the first request."""

import pytest
from fastapi import routing

from backend.app import build_routes
from tests.support.apps.market_app import Running
from tests.support.http.asgi import send


def test_first_request_builds_no_routes(monkeypatch: pytest.MonkeyPatch, running: Running) -> None:
    built: list[str] = []
    build = routing.get_dependant

    def record_build(*, path: str, **more: object) -> object:
        built.append(path)
        return build(path=path, **more)

    monkeypatch.setattr(routing, "get_dependant", record_build)
    build_routes(running.inner)
    assert "/topics" in built
    built.clear()
    assert send(running.app, "/topics", headers={"CP-X-API-KEY": running.key}).status == 200
    assert built == []
