"""Tests what ``/mcp`` refuses before it reads a body, how it is discovered, and that nothing breaks it."""

import json
import re
import threading
from datetime import UTC, datetime
from typing import Any

import anyio
import httpx
import pytest

from backend.auth.oauth import token_format
from backend.auth.service import revoke_key
from backend.mcp.tools import research
from tests.support.apps.tool_service import ToolService
from tests.support.http.asgi import Answer, send
from tests.support.waiting import LIMIT_SECONDS

ISSUER = "http://127.0.0.1:8000"
METADATA = "/.well-known/oauth-protected-resource"
MODERN, LEGACY = "2026-07-28", "2025-06-18"
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def post(service: ToolService, body: bytes = b"{}", **headers: str) -> Answer:
    """Send a request to the application itself; ``origin="…"`` becomes a header."""
    defaults = {
        "CP-X-API-KEY": service.key,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    merged = {name: value for name, value in {**defaults, **sent}.items() if value}
    return send(service.running.app, "/mcp", method="POST", headers=merged, body=[body])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"CP_X_API_KEY": ""}, 401),
        ({"CP_X_API_KEY": "cp_livev1wrong"}, 401),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Encoding": "gzip"}, 415),
        ({"Content_Length": "99999999"}, 413),
    ],
)
def test_a_refused_request_is_not_read(service: ToolService, headers: dict[str, str], status: int) -> None:
    answer = post(service, **{"Content_Length": "2", **headers})
    assert answer.status == status
    assert answer.reads == 0
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_client_without_a_credential_learns_where_to_get_one(service: ToolService) -> None:
    challenge = post(service, CP_X_API_KEY="", Content_Length="2").headers["www-authenticate"]
    assert challenge.startswith("Bearer ")
    assert 'scope="read write"' in challenge
    [address] = re.findall(r'resource_metadata="([^"]+)"', challenge)
    assert address == f"{ISSUER}{METADATA}/mcp"
    for path in (METADATA, address.removeprefix(ISSUER)):
        metadata = send(service.running.app, path).json()
        assert metadata["resource"] == f"{ISSUER}/mcp"
        [issuer] = metadata["authorization_servers"]
        server = send(service.running.app, "/.well-known/oauth-authorization-server").json()
        assert issuer == server["issuer"]
        assert set(metadata["scopes_supported"]) <= set(server["scopes_supported"])


def test_a_token_that_has_expired_is_named_as_such(service: ToolService) -> None:
    token = token_format.generate("access")
    answer = post(service, CP_X_API_KEY="", Authorization=f"Bearer {token}", Content_Length="2")
    assert answer.status == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]
    assert token.encode() not in answer.body


def test_a_feed_token_and_a_key_without_the_scope_read_do_not_open_it(service: ToolService) -> None:
    assert post(service, CP_X_API_KEY=service.create_key("write")).status == 403


def test_a_revoked_key_ends_a_conversation(service: ToolService) -> None:
    key = service.create_key("read")
    body = json.dumps(LIST_TOOLS).encode()
    headers = {"Authorization": f"Bearer {key}", "MCP-Protocol-Version": LEGACY}
    headers["Accept"] = "application/json, text/event-stream"
    with httpx.Client(base_url=service.url, headers=headers, trust_env=False, timeout=30) as client:
        sent = {"content": body, "headers": {"Content-Type": "application/json"}}
        assert client.post("/mcp", **sent).status_code == 200
        revoke_key(service.running.database, key, datetime.now(UTC))
        service.running.inner.state.watcher.poll()
        assert client.post("/mcp", **sent).status_code == 401


def test_the_service_s_own_pages_may_call_it(service: ToolService) -> None:
    headers = {"CP-X-API-KEY": service.key, "Origin": ISSUER, "Content-Type": "application/json"}
    answer = httpx.post(f"{service.url}/mcp", headers=headers, content=b"{}", trust_env=False, timeout=30)
    assert answer.status_code == 400  # an empty object is no message


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_are_no_streams_and_sessions_to_open_or_end(service: ToolService, method: str) -> None:
    answer = send(service.running.app, "/mcp", method=method, headers={"CP-X-API-KEY": service.key})
    assert answer.status == 405
    assert answer.headers["allow"] == "POST"


def build_call(name: Any, arguments: Any, **more: Any) -> bytes:
    params = {"name": name, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params} | more).encode()


HOSTILE_BODIES = [
    b"",
    b"{",
    b"\xff",
    b"[]",
    b"null",
    b'{"jsonrpc": "2.0", "id": 1}',
    b"[" * 100_000,
    json.dumps([LIST_TOOLS, LIST_TOOLS]).encode(),
    json.dumps({**LIST_TOOLS, "id": "\ud800"}).encode(),
    json.dumps({**LIST_TOOLS, "id": None}).encode(),
    json.dumps({**LIST_TOOLS, "method": "tools/\ud800"}).encode(),
    b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b', "method": "tools/list"}',
    json.dumps({**LIST_TOOLS, "method": "subscriptions/listen"}).encode(),
    json.dumps({**LIST_TOOLS, "params": [1]}).encode(),
    build_call("explain_price", {"asset": "\ud800"}),
    build_call("correct_article", {"content": "\x00\ud800"}),
    build_call("\ud800", {}),
    build_call(None, None),
    build_call("get_prices", {"assets": ["a"] * 100_000}),
    build_call("read_topic", {"topic_id": 10**400}),
    build_call("read_topic", {"topic_id": 1e308}),
    build_call("list_rankings", {"limit": {"$ref": "#"}}),
]


@pytest.mark.parametrize("version", [MODERN, LEGACY, "1999-01-01"])
def test_no_message_breaks_the_service(service: ToolService, version: str) -> None:
    headers = {
        "CP-X-API-KEY": service.key,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": version,
    }
    with httpx.Client(base_url=service.url, headers=headers, trust_env=False, timeout=60) as client:
        for body in HOSTILE_BODIES:
            answer = client.post("/mcp", content=body)
            assert answer.status_code < 500, (body[:100], answer.text[:300])
            assert "Traceback" not in answer.text
            assert "site-packages" not in answer.text


def test_a_client_that_goes_away_ends_its_call(service: ToolService, monkeypatch: pytest.MonkeyPatch) -> None:
    waits, ended = threading.Event(), threading.Event()

    async def wait_forever(_seconds: float) -> None:
        waits.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    monkeypatch.setattr(research, "sleep", wait_forever)
    body = build_call("extract_entities", {"text": "Coinbase"})
    headers = {
        "CP-X-API-KEY": service.key,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": LEGACY,
    }
    with httpx.Client(base_url=service.url, headers=headers, trust_env=False, timeout=30) as client:
        with client.stream("POST", "/mcp", content=body) as answer:
            assert answer.status_code == 200
            assert waits.wait(LIMIT_SECONDS)
        assert ended.wait(LIMIT_SECONDS)
