"""Tests which responses a web page of another origin can read, over a test application."""

from functools import partial
from typing import Any

import pytest

from backend.auth import gate
from backend.auth.key_cache import KeyCache
from backend.http.limits.rate_limiter import RateLimiter
from backend.http.middleware import RequestLimits, ServiceMiddleware
from backend.http.prepared_responses import Prepared
from backend.store.database import Database
from tests.backend.http.test_middleware import build_application, key_with
from tests.support.http.asgi import Answer, send

ORIGIN = "https://desk.example"
PREPARED = Prepared(b'{"ready":true}')


class Ready:
    def find(self, path: str, query: bytes) -> Prepared | None:
        return PREPARED if path == "/prices" else None


def build_service(database: Database, app: Any, **limits: Any) -> ServiceMiddleware:
    keys = KeyCache(database)
    keys.reload()
    return ServiceMiddleware(
        app,
        authenticate=partial(gate.authenticate, source=keys),
        ready=Ready(),
        mode="live",
        bounds=RequestLimits(1000, **limits),
        origins=(ORIGIN,),
    )


def call(app: Any, path: str, *, origin: str | None = ORIGIN, method: str = "GET", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if origin is not None:
        sent["Origin"] = origin
    return send(app, path, method=method, headers=sent)


def preflight(app: Any, path: str, *, method: str = "GET", wanted: str = "", origin: str = ORIGIN) -> Answer:
    more = {"Access_Control_Request_Headers": wanted} if wanted else {}
    return call(app, path, origin=origin, method="OPTIONS", Access_Control_Request_Method=method, **more)


def is_readable(answer: Answer) -> bool:
    return answer.headers.get("access-control-allow-origin") == ORIGIN


async def refuse_call(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError("a preflight reached the application")


def test_a_page_can_read_prepared_responses_not_modified_errors_and_refusals(
    sqlite_database: Database,
) -> None:
    key = key_with(sqlite_database, "read")
    app = build_service(sqlite_database, build_application(401), limiter=RateLimiter(2, 3600))
    ready = call(app, "/prices", cp_x_api_key=key)
    unchanged = call(app, "/prices", cp_x_api_key=key, if_none_match=ready.headers["etag"])
    limited = call(app, "/prices", cp_x_api_key=key)
    refused = call(app, "/jobs")

    answers = (ready, unchanged, limited, refused)
    assert [answer.status for answer in answers] == [200, 304, 429, 401]
    assert all(is_readable(answer) for answer in answers)
    assert all("Retry-After" in answer.headers["access-control-expose-headers"] for answer in answers)
    assert not any("access-control-allow-credentials" in answer.headers for answer in answers)


def test_responses_vary_by_origin_also_without_one_and_keep_their_etag(sqlite_database: Database) -> None:
    key = key_with(sqlite_database, "read")
    app = build_service(sqlite_database, build_application())
    origins = (None, ORIGIN, "https://elsewhere.example", "null")
    answers = [call(app, "/prices", origin=origin, cp_x_api_key=key) for origin in origins]
    assert len({answer.headers["etag"] for answer in answers}) == 1
    assert [is_readable(answer) for answer in answers] == [False, True, False, False]
    for answer in answers:
        assert answer.headers["vary"] == "Accept-Encoding, Authorization, CP-X-API-KEY, Origin"
    assert dict(PREPARED.plain_headers)[b"vary"].endswith(b"CP-X-API-KEY"), "the shared response is unchanged"


def test_a_preflight_is_answered_without_a_key_and_without_the_application(sqlite_database: Database) -> None:
    app = build_service(sqlite_database, refuse_call, limiter=RateLimiter(1, 3600))
    wanted = "authorization,content-type,cp-x-api-key,idempotency-key,if-none-match,last-event-id"
    for path in ("/sources", "/mcp", "/oauth/token", "/.well-known/oauth-authorization-server"):
        answer = preflight(
            app, path, method="POST", wanted=f"{wanted},mcp-session-id,mcp-protocol-version,prefer"
        )
        assert (answer.status, is_readable(answer)) == (200, True)
        assert "POST" in answer.headers["access-control-allow-methods"]
        assert answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("request_of", "word"),
    [
        ({"origin": "https://desk.example:8443"}, "origin"),
        ({"method": "PATCH"}, "method"),
        ({"wanted": "x-other"}, "headers"),
    ],
)
def test_a_refused_preflight_says_why(sqlite_database: Database, request_of: Any, word: str) -> None:
    answer = preflight(build_service(sqlite_database, refuse_call), "/prices", **request_of)
    assert (answer.status, answer.headers["content-type"]) == (400, "application/problem+json")
    assert f"because of its {word}." in answer.json()["detail"]
    assert answer.headers["content-length"] == str(len(answer.body))


@pytest.mark.parametrize(
    "path", ["/oauth/authorize", "/oauth/introspect", "/", "/docs", "/docs/x.js", "/healthz", "/metrics"]
)
def test_pages_of_the_service_and_its_operation_stay_closed(sqlite_database: Database, path: str) -> None:
    app = build_service(sqlite_database, build_application())
    for answer in (call(app, path), preflight(app, path, method="POST")):
        assert answer.body == b"from the application"
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_without_configured_origins_nothing_is_added(sqlite_database: Database) -> None:
    app = build_service(sqlite_database, build_application())
    closed = ServiceMiddleware(
        app.inner, authenticate=app._authenticate, ready=Ready(), mode="live", bounds=RequestLimits(1000)
    )
    answer = call(closed, "/prices", cp_x_api_key=key_with(sqlite_database, "read"))
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "Origin" not in answer.headers.get("vary", "")
