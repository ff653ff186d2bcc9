"""Responses are cached for a lifetime, revalidated, and refreshed in the background."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import httpx
import pytest

from dashboard.client.http import MAX_CACHED_PATHS, SHARED_IDLE_SECONDS, ApiClient
from tests.dashboard.client.service_double import BODY, KEY, Clock, Server, read, refuse
from tests.support.waiting import LIMIT_SECONDS


def test_no_second_request_is_sent_within_the_lifetime(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    first = read(client)
    clock.now = 1.9
    assert read(client).data is first.data
    assert len(server.requests) == 1


@pytest.mark.parametrize("etag", [{}, {"ETag": '"1"'}])
def test_calls_with_different_decoders_for_one_path_each_get_their_own_data(
    client: ApiClient, server: Server, clock: Clock, etag: dict[str, str]
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        is_revalidation = "If-None-Match" in request.headers
        return httpx.Response(304) if is_revalidation else httpx.Response(200, content=BODY, headers=etag)

    server.answer = answer
    for clock.now in (0, 9):
        assert client.get("/prices", "object").data == {"price": Decimal("1.10"), "count": 3}
        assert client.get("/prices", "object", len).data == 2
        assert client.get("/prices", "array").error is not None


def test_a_call_with_a_short_lifetime_ignores_the_longer_cached_response_of_another_call(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    client.get("/prices", "object", lifetime=20)
    clock.now = 9
    read(client)
    assert len(server.requests) == 2


def test_a_response_in_its_second_lifetime_is_returned_at_once_and_refreshed_in_the_background(
    client: ApiClient, server: Server, clock: Clock, background: list[Callable[[], None]]
) -> None:
    first = read(client)
    server.answer = lambda _: httpx.Response(200, content=b'{"price": 2}')
    clock.now = 3
    assert read(client).data is first.data
    assert len(server.requests) == 1
    (refresh,) = background
    refresh()
    assert read(client).data == {"price": 2}
    assert len(server.requests) == 2


def test_after_a_failure_the_next_call_waits_for_a_new_request(
    client: ApiClient, server: Server, clock: Clock, background: list[Callable[[], None]]
) -> None:
    server.answer = refuse
    read(client)
    server.answer = lambda _: httpx.Response(200, content=BODY)
    clock.now = 3
    assert read(client).error is None
    assert background == []


def test_a_failure_is_retried_soon_even_if_the_response_has_a_long_lifetime(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    server.answer = refuse
    client.get("/assets", "object", lifetime=20)
    server.answer = lambda _: httpx.Response(200, content=BODY)
    clock.now = 1
    assert client.get("/assets", "object", lifetime=20).error is not None
    clock.now = 3
    assert client.get("/assets", "object", lifetime=20).error is None
    clock.now = 20
    client.get("/assets", "object", lifetime=20)
    assert len(server.requests) == 2


def test_a_background_failure_reaches_the_next_reader(
    client: ApiClient, server: Server, clock: Clock, background: list[Callable[[], None]]
) -> None:
    read(client)
    server.answer = refuse
    clock.now = 3
    assert read(client).error is None
    background.pop()()
    old = read(client)
    assert old.stale
    assert old.error is not None


def test_shared_responses_are_refreshed_before_they_expire(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    read(client, "/prices")
    read(client, "/rankings?with_candles=24h")
    read(client, "/prices/bitcoin/quotes")
    server.requests.clear()
    clock.now = 1.0
    assert not client.refresh_shared(), "nothing is due yet"
    assert server.requests == []
    server.answer = lambda _: httpx.Response(200, content=b'{"price": 2}')
    clock.now = 1.6
    assert client.refresh_shared()
    assert {str(request.url.path) for request in server.requests} == {"/prices", "/rankings"}
    clock.now = 3.5
    assert read(client, "/prices").data == {"price": 2}
    assert len(server.requests) == 2, "the reader found it fresh"


def test_a_refresh_round_without_new_data_returns_no_caller(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    server.answer = lambda _: httpx.Response(200, content=BODY, headers={"ETag": '"a"'})
    read(client)
    server.answer = lambda _: httpx.Response(304)
    clock.now = 2
    assert not client.refresh_shared()
    assert len(server.requests) == 2


def test_shared_responses_without_readers_are_not_refreshed(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    read(client)
    clock.now = SHARED_IDLE_SECONDS + 1
    assert not client.refresh_shared()
    assert len(server.requests) == 1


def test_the_change_callback_runs_in_the_refresh_thread_and_does_not_count_as_a_reader(
    server: Server,
) -> None:
    """Uses the real clock and a very short lifetime, so that the first round starts at once."""
    numbers = iter(range(10**6))
    server.answer = lambda _: httpx.Response(200, json={"price": next(numbers)})
    transport = httpx.MockTransport(server)
    client = ApiClient("http://service.test", lambda: KEY, transport=transport, lifetime=0.01)
    read(client)
    (entry,) = client._entries["key"].values()
    last_read_at = entry.last_read_at
    called, threads = threading.Event(), []

    def on_change() -> None:
        threads.append(threading.current_thread().name)
        read(client)
        called.set()

    client.start_refreshing(on_change)
    assert called.wait(LIMIT_SECONDS)
    client.close()
    assert set(threads) == {"api-refresh"}
    assert entry.last_read_at == last_read_at


def test_fifty_concurrent_calls_send_one_request(client: ApiClient, server: Server) -> None:
    started, release = threading.Event(), threading.Event()

    def slow(_: httpx.Request) -> httpx.Response:
        started.set()
        assert release.wait(LIMIT_SECONDS)
        return httpx.Response(200, content=BODY)

    server.answer = slow
    with ThreadPoolExecutor(50) as pool:
        waiting = [pool.submit(read, client) for _ in range(50)]
        assert started.wait(LIMIT_SECONDS)
        release.set()
        answers = [future.result(LIMIT_SECONDS) for future in waiting]
    assert len(server.requests) == 1
    assert all(answer.data is answers[0].data for answer in answers)


def test_an_unchanged_response_is_the_same_object(client: ApiClient, server: Server, clock: Clock) -> None:
    server.answer = lambda _: httpx.Response(
        200, content=BODY, headers={"ETag": '"a"', "X-Data-Mode": "sample"}
    )
    first = read(client)
    server.answer = lambda _: httpx.Response(304, headers={"ETag": '"a"'})
    clock.now = 5
    second = read(client)
    assert server.requests[1].headers["If-None-Match"] == '"a"'
    assert second.data is first.data
    assert (second.mode, second.stale, second.error) == ("sample", False, None)
    assert first.at is not None
    assert second.at is not None
    assert second.at >= first.at


def test_the_number_of_cached_paths_is_limited(client: ApiClient, server: Server) -> None:
    for number in range(MAX_CACHED_PATHS + 1):
        read(client, f"/assets/{number}")
    server.requests.clear()
    read(client, f"/assets/{MAX_CACHED_PATHS}")
    read(client, "/assets/1")
    assert server.requests == [], "the latest are kept"
    read(client, "/assets/0")
    assert len(server.requests) == 1, "the oldest is not"
