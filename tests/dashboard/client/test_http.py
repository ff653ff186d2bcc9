"""Requests, errors and retries of the API client; failures return the last good data as stale."""

import re
from collections.abc import Callable
from decimal import Decimal

import httpx
import pytest

from dashboard.client.http import ApiClient
from tests.dashboard.client.service_double import BODY, KEY, Clock, Server, problem, read, refuse


def test_numbers_keep_the_digits_that_were_sent(client: ApiClient) -> None:
    assert read(client).data == {"price": Decimal("1.10"), "count": 3}


def test_every_request_has_the_key_and_a_request_id_in_its_headers(client: ApiClient, server: Server) -> None:
    read(client)
    assert server.requests[0].headers["CP-X-API-KEY"] == KEY
    assert re.fullmatch("[0-9a-f]{32}", server.requests[0].headers["X-Request-ID"])


def test_when_the_service_fails_the_last_data_is_returned_as_stale(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    good = read(client)
    server.answer = problem(503, detail="The store does not answer.", code="dependency_unavailable")
    clock.now = 5
    old = read(client)
    assert old.data is good.data
    assert old.stale
    assert old.at == good.at
    assert old.error is not None
    assert (old.error.title, old.error.detail) == ("dependency_unavailable", "The store does not answer.")
    assert (old.error.request_id, old.error.status) == ("r-1", 503)


def test_data_is_no_longer_stale_as_soon_as_the_service_responds(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    read(client)
    server.answer = refuse
    clock.now = 5
    assert read(client).stale
    server.answer = lambda _: httpx.Response(200, content=b'{"price": 2}')
    clock.now = 10
    second = read(client)
    assert (second.data, second.stale, second.error) == ({"price": 2}, False, None)


def test_a_failure_is_cached_until_a_retry(client: ApiClient, server: Server) -> None:
    server.answer = refuse
    first = read(client)
    read(client)
    assert len(server.requests) == 1
    assert (first.data, first.stale, first.at) == (None, False, None)
    assert first.error is not None
    assert first.error.is_unreachable
    client.clear_failures()
    server.answer = lambda _: httpx.Response(200, content=BODY)
    assert read(client).error is None


@pytest.mark.parametrize(
    ("answer", "title", "status"),
    [
        (httpx.Response(200, content=b'{"price": 1'), "malformed", 200),
        (httpx.Response(200, content=b"<html>login</html>"), "malformed", 200),
        (httpx.Response(200, content=b"[1]"), "malformed", 200),
        (httpx.Response(502, content=b"<html>bad gateway</html>"), "http_error", 502),
        (httpx.Response(500, content=b'"text"'), "http_error", 500),
        (httpx.Response(404, json={"code": 404, "message": "No topic.", "data": None}), "http_error", 404),
    ],
)
def test_every_unusable_response_becomes_a_problem_with_a_detail(
    client: ApiClient, server: Server, answer: httpx.Response, title: str, status: int
) -> None:
    server.answer = lambda _: answer
    fetched = read(client)
    assert fetched.data is None
    assert fetched.error is not None
    assert (fetched.error.title, fetched.error.status) == (title, status)
    assert fetched.error.detail


def test_a_timeout_differs_from_an_unreachable_service(client: ApiClient, server: Server) -> None:
    def slow(_: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("too slow")

    server.answer = slow
    error = read(client).error
    assert error is not None
    assert error.title == "timeout"


def test_a_body_that_cannot_be_decoded_keeps_the_last_data(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    def decode(body: dict[str, object]) -> object:
        return body["price"]

    assert client.get("/x", "object", decode).data == Decimal("1.10")
    server.answer = lambda _: httpx.Response(200, content=b"{}")
    clock.now = 5
    old = client.get("/x", "object", decode)
    assert (old.data, old.stale) == (Decimal("1.10"), True)


def test_after_a_401_the_key_is_read_again_and_the_request_is_repeated(server: Server) -> None:
    keys = iter([None, "made-since", "made-since"])

    def locked(request: httpx.Request) -> httpx.Response:
        has_new_key = request.headers.get("CP-X-API-KEY") == "made-since"
        return (
            httpx.Response(200, content=BODY)
            if has_new_key
            else httpx.Response(401, json={"code": "unauthorized"})
        )

    server.answer = locked
    client = ApiClient("http://service.test", lambda: next(keys), transport=httpx.MockTransport(server))
    assert read(client).error is None
    assert len(server.requests) == 2


def test_a_key_that_has_not_changed_is_not_tried_twice(client: ApiClient, server: Server) -> None:
    server.answer = problem(401, code="unauthorized", detail="The key is not known.")
    error = read(client).error
    assert error is not None
    assert error.status == 401
    assert len(server.requests) == 1


def test_an_asset_id_cannot_leave_its_path(
    client: ApiClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dashboard.client import connection, markets

    monkeypatch.setattr(connection, "get_client", lambda: client)
    markets.fetch_quotes("../admin?x=1")
    assert server.requests[0].url.raw_path == b"/prices/..%2Fadmin%3Fx%3D1/quotes"


def respond_with(status: int, **headers: str) -> Callable[[httpx.Request], httpx.Response]:
    with_hyphens = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: httpx.Response(
        status, json={"code": "rate_limited", "detail": "Later."}, headers=with_hyphens
    )


@pytest.mark.parametrize("status", [429, 503])
def test_no_request_is_sent_before_the_end_of_the_pause_that_the_service_asks_for(
    server: Server, clock: Clock, client: ApiClient, status: int
) -> None:
    good = client.get("/x", "object")
    server.answer = respond_with(status, retry_after="30")
    clock.now = 10
    busy = client.get("/x", "object")
    assert (busy.data, busy.stale) == (good.data, True)
    assert busy.error is not None
    assert (busy.error.status, busy.error.retry_after_seconds, busy.error.is_temporary) == (status, 30, True)
    clock.now = 39
    client.get("/x", "object")
    assert len(server.requests) == 2
    server.answer = lambda _: httpx.Response(200, content=BODY)
    clock.now = 41
    assert client.get("/x", "object").error is None


@pytest.mark.parametrize(
    ("header", "pause"),
    [("3600", 60), ("0", 0), ("Sat, 21 Nov 2026 12:00:00 GMT", None), ("-1", None), ("", None)],
)
def test_retry_after_is_read_as_seconds_and_limited(
    server: Server, client: ApiClient, header: str, pause: float | None
) -> None:
    server.answer = respond_with(429, retry_after=header)
    error = client.get("/x", "object").error
    assert error is not None
    assert error.retry_after_seconds == pause


def test_a_retry_sends_a_request_during_the_pause(server: Server, client: ApiClient) -> None:
    server.answer = respond_with(429, retry_after="30")
    client.get("/x", "object")
    client.clear_failures()
    client.get("/x", "object")
    assert len(server.requests) == 2


def test_an_internal_server_error_is_not_temporary(server: Server, client: ApiClient) -> None:
    server.answer = respond_with(500)
    error = client.get("/x", "object").error
    assert error is not None
    assert not error.is_temporary
