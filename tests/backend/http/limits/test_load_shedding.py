"""Tests that requests over the limits are refused at once, and no others."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from backend.auth import gate
from backend.auth.key_cache import KeyCache
from backend.http.limits.body_limits import LimitedBody
from backend.http.limits.load_shedding import LoadShedder, RefusalPacer
from backend.http.middleware import RequestLimits, ServiceMiddleware
from backend.http.uvicorn_protocol import OVER_CONNECTION_LIMIT
from backend.runtime.metrics import SHED
from backend.store.database import Database
from tests.support.http.asgi import Answer, Headers
from tests.support.http.asgi import send as ask

Application = Callable[[Any, Any, Any], Awaitable[None]]


class Nothing:
    def find(self, path: str, query: bytes) -> None:
        return None


async def respond_ok(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})


def build_middleware(database: Database, app: Application, **bounds: Any) -> ServiceMiddleware:
    return ServiceMiddleware(
        app,
        authenticate=partial(gate.authenticate, source=KeyCache(database)),
        ready=Nothing(),
        mode="live",
        bounds=RequestLimits(**{"body": 1000, **bounds}),
    )


def build_full_shedder() -> LoadShedder:
    load = LoadShedder(2)
    load.enter()
    load.enter()
    return load


def count_shed(reason: str) -> float:
    return float(SHED.labels(reason)._value.get())


def test_rejects_requests_above_the_concurrency_limit_with_503(sqlite_database: Database) -> None:
    load, before = build_full_shedder(), count_shed("requests")
    app = build_middleware(sqlite_database, respond_ok, load=load)
    answer = ask(app, "/x")
    assert (answer.status, answer.json()["code"]) == (503, "overloaded")
    assert 1 <= int(answer.headers["retry-after"]) <= 3
    assert count_shed("requests") == before + 1
    load.leave()
    assert ask(app, "/x").status == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_health_and_metrics_requests_are_served_under_overload(sqlite_database: Database, path: str) -> None:
    load = build_full_shedder()
    assert ask(build_middleware(sqlite_database, respond_ok, load=load), path).status == 200
    assert load.requests == 2


def test_overload_errors_use_the_error_format_of_their_route_group(sqlite_database: Database) -> None:
    app = build_middleware(sqlite_database, respond_ok, load=build_full_shedder())
    assert set(ask(app, "/topics").json()) == {"code", "message", "data"}
    assert set(ask(app, "/oauth/token").json()) == {"error", "error_description"}


def test_503_closes_the_connection_when_too_many_connections_are_open(sqlite_database: Database) -> None:
    async def over_limit(scope: Any, receive: Any, send: Any) -> None:
        scope["state"][OVER_CONNECTION_LIMIT] = True
        await app(scope, receive, send)

    app = build_middleware(sqlite_database, respond_ok)
    answer = ask(over_limit, "/x")
    assert (answer.status, answer.headers["connection"]) == (503, "close")
    assert ask(over_limit, "/healthz").status == 200


def test_failed_requests_are_removed_from_the_active_count(sqlite_database: Database) -> None:
    load, active_counts = LoadShedder(10), list[int]()

    async def raise_error(scope: Any, receive: Any, send: Any) -> None:
        active_counts.append(load.requests)
        raise RuntimeError

    assert ask(build_middleware(sqlite_database, raise_error, load=load), "/x").status == 500
    assert (active_counts, load.requests, load.body_bytes) == ([1], 0, 0)


class Timed:
    """An application that works until it is let go."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.go_on.wait()
        await respond_ok(scope, receive, send)


def test_timed_out_request_gets_an_error_and_counts_as_active_until_it_finishes(
    sqlite_database: Database,
) -> None:
    load, sent = LoadShedder(10), list[Any]()

    async def run() -> int:
        working = Timed()
        app = build_middleware(sqlite_database, working, load=load, seconds=0.01)
        result = asyncio.Event()

        async def record_message(message: Any) -> None:
            sent.append(message)
            if message["type"] == "http.response.body":
                result.set()

        async def receive() -> Any:
            raise AssertionError("nobody reads")

        scope = {"type": "http", "method": "GET", "path": "/topics", "query_string": b"", "headers": []}
        request = asyncio.create_task(app(scope, receive, record_message))
        await result.wait()
        still = load.requests
        working.go_on.set()
        await request
        return still

    assert asyncio.run(run()) == 1
    assert load.requests == 0
    start, body = sent  # and what the application said after all is dropped
    assert start["status"] == 503
    assert dict(start["headers"])[b"retry-after"]
    assert b"longer than 0.01 seconds" in body["body"]
    assert b'"data":null' in body["body"]


async def read_body_then_respond(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await respond_ok(scope, receive, send)


def post(app: ServiceMiddleware, *pieces: bytes, headers: Headers = ()) -> Answer:
    return ask(app, "/x", method="POST", body=pieces, headers=headers)


def test_body_bytes_are_released_when_the_request_finishes(sqlite_database: Database) -> None:
    load = LoadShedder(10, max_body_bytes=100)
    app = build_middleware(sqlite_database, read_body_then_respond, load=load)
    for _ in range(3):
        assert post(app, b"x" * 50, b"x" * 50).status == 200
    assert (load.body_bytes, load.requests) == (0, 0)


def build_receive(*messages: Any) -> Callable[[], Awaitable[Any]]:
    """Gives these, then nothing, for ever."""
    left = list(messages)

    async def receive() -> Any:
        if not left:
            await asyncio.Event().wait()
        return left.pop(0)

    return receive


PART = {"type": "http.request", "body": b"x" * 60, "more_body": True}


def read_failure_status(*messages: Any, load: LoadShedder, limit: int = 1000) -> int | None:
    """The status with which reading a body ends; null when it ends well."""
    from starlette.exceptions import HTTPException

    async def read() -> None:
        body = LimitedBody(build_receive(*messages), load, limit=limit, on_part=list, first_part_seconds=0.01)
        while (await body()).get("more_body"):
            pass

    load.enter()
    try:
        asyncio.run(read())
    except HTTPException as error:
        return error.status_code
    return None


def test_stalled_request_body_fails_with_408() -> None:
    load = LoadShedder(10)
    assert read_failure_status(PART, load=load) == 408
    assert load.requests == 1


def test_total_size_of_bodies_is_limited_in_addition_to_each_body() -> None:
    last = {**PART, "more_body": False}
    assert read_failure_status(PART, last, load=LoadShedder(10, max_body_bytes=100)) == 503
    assert read_failure_status(PART, last, load=LoadShedder(10), limit=100) == 413
    assert read_failure_status(PART, last, load=LoadShedder(10)) is None


def test_request_that_is_still_uploading_its_body_does_not_use_a_request_slot() -> None:
    load, seen = LoadShedder(1), list[bool]()

    async def receive() -> Any:
        seen.append(load.check(over_connection_limit=False) is None)
        return {**PART, "more_body": False}

    load.enter()
    asyncio.run(read_once(LimitedBody(receive, load, limit=1000, on_part=list)))
    assert seen == [True]
    assert load.check(over_connection_limit=False) is not None


async def read_once(body: LimitedBody) -> None:
    await body()


def test_rejections_above_the_rate_per_second_are_delayed() -> None:
    pace = RefusalPacer(max_per_second=3)
    assert [pace.next_delay_seconds(10.0 + i / 10) > 0 for i in range(5)] == [False, False, False, True, True]
    assert pace.next_delay_seconds(11.0) == 0
