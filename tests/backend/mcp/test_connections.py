"""Tests what a tool's request carries to the service, and what becomes of the service's refusals."""

import asyncio
from typing import Any

import httpx
import pytest
from mcp.server.mcpserver.exceptions import ToolError
from starlette.requests import Request

from backend.mcp.connections import connect_in_process, connect_over_network
from backend.mcp.links import Links
from backend.mcp.service_client import Refusal, ServiceClient, WaitSlots
from backend.mcp.tool_result import Truncator

LINKS = Links("https://api.example", "https://desk.example")


class RecordingApp:
    """Answers every request with an empty object and keeps its scope."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope = scope
        headers = [(b"content-type", b"application/json"), (b"x-data-mode", b"live")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"{}"})


def build_client(answer: httpx.Response) -> ServiceClient:
    http = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: answer), base_url=LINKS.api)
    return ServiceClient(http, {}, LINKS, max_wait_seconds=1, wait_slots=WaitSlots(1))


def get_refusal(answer: httpx.Response) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        asyncio.run(build_client(answer).get("/prices"))
    return refusal.value


def test_a_request_has_the_address_and_the_credential_of_its_caller_and_nothing_else_of_it() -> None:
    app = RecordingApp()
    connect = connect_in_process(app, LINKS, request_timeout_seconds=60, wait_slots=WaitSlots(1))
    scope = {
        "type": "http",
        "client": ("203.0.113.7", 4711),
        "headers": [
            (b"authorization", b"Bearer a-token"),
            (b"x-forwarded-for", b"198.51.100.1"),
            (b"cookie", b"a=b"),
            (b"mcp-session-id", b"1"),
        ],
        "state": {"request_id": "abc"},
    }
    service = connect(Request(scope))
    asyncio.run(service.get("/prices", {"a": "x", "b": None}))
    sent = dict(app.scope["headers"])
    assert app.scope["client"] == ("203.0.113.7", 4711)
    assert app.scope["query_string"] == b"a=x"
    assert sent[b"authorization"] == b"Bearer a-token"
    assert sent[b"x-forwarded-for"] == b"198.51.100.1"
    assert sent[b"x-request-id"] == b"abc"
    assert not {b"cookie", b"mcp-session-id"} & sent.keys()
    assert service.data_mode == "live"


def test_a_call_never_waits_longer_than_a_request_may_take() -> None:
    def wait(limit: float) -> float:
        connect = connect_in_process(
            RecordingApp(), LINKS, request_timeout_seconds=limit, wait_slots=WaitSlots(1)
        )
        request = Request({"type": "http", "client": None, "headers": [], "state": {}})
        return connect(request).max_wait_seconds

    assert [wait(limit) for limit in (1, 20, 600)] == [0, 15, 45]


def test_only_so_many_calls_wait_at_the_same_time() -> None:
    slots = WaitSlots(1)
    with slots.take() as first, slots.take() as second:
        assert (first, second) == (True, False)
    with slots.take() as again:
        assert again


def test_a_refusal_is_the_sentence_of_the_service() -> None:
    expired = get_refusal(httpx.Response(401, json={"detail": "The token has expired."}))
    assert (str(expired), expired.retry_after) == ("The token has expired. (HTTP 401)", None)
    busy = get_refusal(httpx.Response(429, json={"detail": "Too many."}, headers={"Retry-After": "7"}))
    assert (str(busy), busy.retry_after) == ("Too many. Try again in 7 seconds. (HTTP 429)", 7)
    assert str(get_refusal(httpx.Response(404, json={"message": "No topic."}))) == "No topic. (HTTP 404)"
    assert str(get_refusal(httpx.Response(502, text="<html>"))) == "Bad Gateway (HTTP 502)"


def test_another_program_at_the_address_is_named() -> None:
    with pytest.raises(ToolError, match="CHAINPROOF_BASE_URL"):
        asyncio.run(build_client(httpx.Response(200, text="<html>")).get("/prices"))


def test_a_service_that_does_not_run_is_named_with_its_address() -> None:
    connect = connect_over_network(Links("http://127.0.0.1:9", "http://127.0.0.1:1"), lambda: None)
    with pytest.raises(ToolError, match=r"The service at http://127\.0\.0\.1:9 does not answer"):
        asyncio.run(connect(None).get("/prices"))


def test_what_is_cut_is_counted() -> None:
    cutter = Truncator()
    assert cutter.limit_list([1, 2, 3], 2, "rows") == [1, 2]
    assert cutter.limit_text("abcdef", 4, "text") == "abc…"
    assert cutter.limit_text("abcd", 4, "text") == "abcd"
    assert cutter.cut == ["1 of 3 rows", "text: 2 of 6 characters"]
