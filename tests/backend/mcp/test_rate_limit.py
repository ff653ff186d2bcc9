"""Tests that calls of tools count against the rate limit of their key."""

from pathlib import Path

import httpx

from backend.auth.service import create_key
from tests.support.apps.market_app import FEW, sample_app
from tests.support.http.uvicorn_thread import serve_app
from tests.support.waiting import LIMIT_SECONDS

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "list_rankings", "arguments": {"limit": 1}},
}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}


def test_a_tool_call_and_the_request_that_it_makes_count_against_the_limit_of_the_key(tmp_path: Path) -> None:
    with sample_app(tmp_path, FEW, rate_limit="3/day") as running, serve_app(running.app) as url:
        busy, quiet = (
            create_key(running.database, name=name, scopes=("read",), now=running.clock()).key
            for name in ("busy", "quiet")
        )
        running.poll_changes()

        def call(key: str) -> httpx.Response:
            headers = {**HEADERS, "CP-X-API-KEY": key}
            return httpx.post(
                f"{url}/mcp", json=CALL, headers=headers, timeout=LIMIT_SECONDS, trust_env=False
            )

        first, second, third, other = call(busy), call(busy), call(busy), call(quiet)
    assert "price_usd" in first.text
    assert '"isError":true' in second.text
    assert "The limit of 3 requests per day for this key is reached. " in second.text
    assert second.text.count("Try again") == 1
    assert third.status_code == 429
    assert int(third.headers["Retry-After"]) > 0
    assert "price_usd" in other.text
