"""Tests the access log of prepared responses."""

import io
import logging
import sys
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from backend.auth import gate, service
from backend.auth.key_cache import KeyCache
from backend.http.middleware import RequestLimits, ServiceMiddleware
from backend.http.prepared_responses import Prepared
from backend.runtime import logs
from backend.store.database import Database
from tests.support.apps.market_app import CALM
from tests.support.http.asgi import send


class Ready:
    """Has a prepared response at one path."""

    def find(self, path: str, query: bytes) -> Prepared | None:
        return Prepared(b"{}") if path == "/ready" else None


async def respond(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """The JSON log at the level info."""
    stream, root = io.StringIO(), logging.getLogger()
    level = root.level
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(logs, "_json_handler", None)
    logs.configure("json", "info")
    yield stream
    root.setLevel(level)


class Service:
    def __init__(self, database: Database, share: float) -> None:
        created = service.create_key(database, name="test", scopes=["read"], now=CALM)
        keys = KeyCache(database)
        keys.reload()
        self.key, self.key_id = created.key, created.info.id
        self.app = ServiceMiddleware(
            respond,
            authenticate=lambda headers, terminal=False: gate.authenticate(headers, keys, terminal=terminal),
            ready=Ready(),
            mode="live",
            bounds=RequestLimits(1000),
            log_share=share,
        )

    def get(self, path: str, request_id: str) -> None:
        headers = {"CP-X-API-KEY": self.key, "X-Request-ID": request_id}
        assert send(self.app, path, headers=headers).status == 200


def read_lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in log.getvalue().splitlines()]


def test_prepared_response_is_logged_like_any_other_with_request_id_and_credential(
    sqlite_database: Database, log: io.StringIO
) -> None:
    caller = Service(sqlite_database, 1.0)
    caller.get("/ready", "prepared-1")
    caller.get("/other", "other-1")
    prepared, other = read_lines(log)
    assert prepared.keys() == other.keys()
    assert (prepared["request_id"], prepared["credential"]) == ("prepared-1", caller.key_id)
    assert (prepared["event"], prepared["route"], prepared["status"]) == ("request", "/ready", 200)
    assert other["request_id"] == "other-1"
    assert caller.key not in log.getvalue()


@pytest.mark.parametrize(("share", "logged"), [(0.0, 0), (0.1, 2), (0.25, 5), (1.0, 20)])
def test_a_share_of_prepared_responses_is_logged(
    sqlite_database: Database, log: io.StringIO, share: float, logged: int
) -> None:
    caller = Service(sqlite_database, share)
    for number in range(20):
        caller.get("/ready", f"r-{number}")
    assert len(read_lines(log)) == logged


def test_console_log_has_prepared_responses_too(
    sqlite_database: Database, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", log)
    logs.configure("console", "info")
    Service(sqlite_database, 1.0).get("/ready", "prepared-2")
    assert "prepared-2" in log.getvalue()
