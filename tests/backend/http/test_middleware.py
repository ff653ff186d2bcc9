"""Tests the outermost middleware over a test application."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from backend.auth import gate, service
from backend.auth.key_cache import KeyCache
from backend.http.middleware import RequestLimits, ServiceMiddleware
from backend.http.prepared_responses import Prepared
from backend.http.request_ids import RequestIds
from backend.http.uvicorn_protocol import OVER_CONNECTION_LIMIT
from backend.runtime.metrics import REQUESTS
from backend.store.database import Database
from tests.support.apps.market_app import CALM
from tests.support.http.asgi import Answer, send

Application = Callable[[Any, Any, Any], Awaitable[None]]
READY = {("/ready", b""): Prepared(b'{"ready":true}')}


class Ready:
    def find(self, path: str, query: bytes) -> Prepared | None:
        return READY.get((path, query))


def build_middleware(database: Database, app: Application, *, body_limit: int = 1000) -> ServiceMiddleware:
    keys = KeyCache(database)
    keys.reload()
    authenticate = partial(gate.authenticate, source=keys)
    return ServiceMiddleware(
        app, authenticate=authenticate, ready=Ready(), mode="live", bounds=RequestLimits(body_limit)
    )


def build_application(status: int = 200, body: bytes = b"from the application") -> Application:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


async def raise_error(scope: Any, receive: Any, send: Any) -> None:
    raise RuntimeError("a cause that no client may see")


async def raise_error_halfway(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"half", "more_body": True})
    raise RuntimeError("too late to say anything")


async def respond_with_body_length(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the length of the body."""
    length, more = 0, True
    while more:
        message = await receive()
        length += len(message.get("body", b""))
        more = message.get("more_body", False)
    await build_application(body=str(length).encode())(scope, receive, send)


def key_with(database: Database, *scopes: str) -> str:
    return service.create_key(database, name="test", scopes=scopes, now=CALM).key


def get(app: ServiceMiddleware, path: str, **headers: str) -> Answer:
    return send(app, path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_prepared_response_is_sent_without_calling_the_application(sqlite_database: Database) -> None:
    key = key_with(sqlite_database, "read")
    app = build_middleware(sqlite_database, raise_error)
    answer = get(app, "/ready", cp_x_api_key=key)
    assert (answer.status, answer.body) == (200, b'{"ready":true}')
    assert answer.headers["x-data-mode"] == "live"


def test_prepared_response_closes_the_connection_when_too_many_are_open(
    sqlite_database: Database,
) -> None:
    key = key_with(sqlite_database, "read")
    app = build_middleware(sqlite_database, raise_error)

    async def serve_over_connection_limit(scope: Any, receive: Any, send: Any) -> None:
        scope["state"][OVER_CONNECTION_LIMIT] = True
        await app(scope, receive, send)

    answer = send(serve_over_connection_limit, "/ready", headers={"CP-X-API-KEY": key})
    assert (answer.status, answer.headers["connection"]) == (200, "close")
    assert "connection" not in send(app, "/ready", headers={"CP-X-API-KEY": key}).headers


@pytest.mark.parametrize("scopes", [(), ("write",), ("ingest", "admin")])
def test_request_without_a_read_key_skips_the_prepared_response(
    sqlite_database: Database, scopes: tuple[str, ...]
) -> None:
    headers = {"cp_x_api_key": key_with(sqlite_database, *scopes)} if scopes else {}
    app = build_middleware(sqlite_database, build_application(403, b"no"))
    assert (get(app, "/ready", **headers).status, get(app, "/ready", **headers).body) == (403, b"no")


def test_head_request_gets_the_headers_of_the_prepared_response(sqlite_database: Database) -> None:
    key = key_with(sqlite_database, "read")
    app = build_middleware(sqlite_database, raise_error)
    answer = send(app, "/ready", method="HEAD", headers={"CP-X-API-KEY": key})
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-length"] == str(len(READY["/ready", b""].body))


def test_application_receives_get_for_a_head_request_and_its_body_is_dropped(
    sqlite_database: Database,
) -> None:
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["method"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a part", "more_body": True})
        await send({"type": "http.response.body", "body": b" and the rest"})

    answer = send(build_middleware(sqlite_database, app), "/x", method="HEAD")
    assert (seen, answer.status, answer.body) == (["GET"], 200, b"")


@pytest.mark.parametrize(
    ("allow", "sent"),
    [(b"GET", b"GET, HEAD"), (b"POST,GET", b"POST,GET, HEAD"), (b"POST", b"POST"), (b"GET, HEAD",) * 2],
)
def test_allow_header_includes_head_wherever_it_includes_get(
    sqlite_database: Database, allow: bytes, sent: bytes
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 405, "headers": [(b"allow", allow)]})
        await send({"type": "http.response.body", "body": b""})

    answer = send(build_middleware(sqlite_database, app), "/x", method="PATCH")
    assert answer.headers["allow"].encode() == sent


def test_head_request_gets_the_headers_of_a_500_when_the_application_fails(
    sqlite_database: Database,
) -> None:
    answer = send(build_middleware(sqlite_database, raise_error), "/x", method="HEAD")
    assert (answer.status, answer.body) == (500, b"")
    assert int(answer.headers["content-length"]) > 0


def test_only_get_and_head_requests_use_prepared_responses(sqlite_database: Database) -> None:
    key = key_with(sqlite_database, "read")
    app = build_middleware(sqlite_database, build_application())
    for method in ("POST", "DELETE", "OPTIONS"):
        assert (
            send(app, "/ready", method=method, headers={"CP-X-API-KEY": key}).body == b"from the application"
        )


def test_options_of_the_whole_server_names_its_methods(sqlite_database: Database) -> None:
    answer = send(build_middleware(sqlite_database, raise_error), "*", method="OPTIONS")
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, POST"
    assert "x-request-id" in answer.headers
    assert "content-length" not in answer.headers


def test_application_error_returns_a_500_problem_without_the_cause(
    sqlite_database: Database,
) -> None:
    answer = get(build_middleware(sqlite_database, raise_error), "/x", x_request_id="of-the-test")
    assert answer.status == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"] == "of-the-test"
    problem = answer.json()
    assert "of-the-test" in problem["detail"]
    assert problem["code"] == "internal_error"
    assert b"cause" not in answer.body
    assert int(answer.headers["content-length"]) == len(answer.body)


def test_no_second_response_is_sent_after_a_partial_response(sqlite_database: Database) -> None:
    answer = get(build_middleware(sqlite_database, raise_error_halfway), "/x")
    assert (answer.status, answer.body) == (200, b"half")


@pytest.mark.parametrize("path", ["/oauth/token", "/topics/1"])
def test_500_errors_use_the_error_format_of_their_route_group(sqlite_database: Database, path: str) -> None:
    answer = get(build_middleware(sqlite_database, raise_error), path)
    assert answer.status == 500
    assert answer.headers["content-type"] == "application/json"


def test_body_within_the_limit_reaches_the_application_complete(sqlite_database: Database) -> None:
    app = build_middleware(sqlite_database, respond_with_body_length, body_limit=1000)
    answer = send(app, "/x", method="POST", body=[b"x" * 400, b"y" * 600])
    assert answer.body == b"1000"


def test_default_headers_do_not_duplicate_application_headers(sqlite_database: Database) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"x-content-type-options", b"nosniff"), (b"x-mine", b"1")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    answer = get(build_middleware(sqlite_database, app), "/x")
    names = [name for name, _ in answer.raw_headers]
    assert len(names) == len(set(names))
    assert {b"x-content-type-options", b"x-data-mode", b"x-mine", b"x-request-id"} <= set(names)


def test_non_http_scopes_pass_through_unchanged(sqlite_database: Database) -> None:
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    unused: Any = None
    asyncio.run(build_middleware(sqlite_database, app)({"type": "lifespan"}, unused, unused))
    assert seen == ["lifespan"]


@pytest.mark.parametrize("sent", [b"abc", b"a.b-c_d", b"0" * 128])
def test_valid_request_id_is_accepted(sent: bytes) -> None:
    assert RequestIds().assign(sent) == sent


@pytest.mark.parametrize("sent", [None, b"", b"0" * 129, b"a b", b"a\nb", b"a\n", b"\xff", b"a,b"])
def test_missing_or_invalid_request_id_is_replaced_by_a_generated_one(sent: bytes | None) -> None:
    ids = RequestIds()
    first, second = ids.assign(sent), ids.assign(sent)
    assert first != second
    assert sent not in (first, second)


def test_ids_of_two_processes_differ() -> None:
    assert RequestIds().assign(None) != RequestIds().assign(None)


def test_requests_metric_is_labelled_by_route_and_groups_unknown_paths(sqlite_database: Database) -> None:
    def count(route: str, status: str) -> float:
        return float(REQUESTS.labels("GET", route, status)._value.get())

    key = key_with(sqlite_database, "read")
    app = build_middleware(sqlite_database, build_application(404, b""))
    ready, none = count("/ready", "200"), count("(none)", "404")
    get(app, "/ready", cp_x_api_key=key)
    get(app, "/some-path-that-nobody-has")
    get(app, "/another")
    assert count("/ready", "200") == ready + 1
    assert count("(none)", "404") == none + 2
