"""Answers are kept for a while, revalidated, and asked anew behind the reader."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import httpx
import pytest

from dashboard.client.http import MOST_PATHS, WANTED_SECONDS, ApiClient
from tests.dashboard.client.service_double import BODY, KEY, Clock, Server, read, refuse
from tests.support.waiting import LIMIT_SECONDS


def test_within_the_lifetime_nobody_asks_again(client: ApiClient, server: Server, clock: Clock) -> None:
    first = read(client)
    clock.now = 1.9
    assert read(client).data is first.data
    assert len(server.asked) == 1


@pytest.mark.parametrize("etag", [{}, {"ETag": '"1"'}])
def test_a_path_that_is_decoded_in_two_ways_gives_each_call_its_own(
    client: ApiClient, server: Server, clock: Clock, etag: dict[str, str]
) -> None:
    def answer(asked: httpx.Request) -> httpx.Response:
        same = "If-None-Match" in asked.headers
        return httpx.Response(304) if same else httpx.Response(200, content=BODY, headers=etag)

    server.answer = answer
    for clock.now in (0, 9):
        assert client.get("/prices", "object").data == {"price": Decimal("1.10"), "count": 3}
        assert client.get("/prices", "object", len).data == 2
        assert client.get("/prices", "array").error is not None


def test_a_call_with_a_short_lifetime_asks_though_another_keeps_the_answer_longer(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    client.get("/prices", "object", lifetime=20)
    clock.now = 9
    read(client)
    assert len(server.asked) == 2


def test_a_little_later_the_answer_is_given_at_once_and_asked_anew_behind(
    client: ApiClient, server: Server, clock: Clock, behind: list[Callable[[], None]]
) -> None:
    first = read(client)
    server.answer = lambda _: httpx.Response(200, content=b'{"price": 2}')
    clock.now = 3
    assert read(client).data is first.data
    assert len(server.asked) == 1
    (ask,) = behind
    ask()
    assert read(client).data == {"price": 2}
    assert len(server.asked) == 2


def test_after_a_failure_nobody_is_given_the_old_answer_without_asking(
    client: ApiClient, server: Server, clock: Clock, behind: list[Callable[[], None]]
) -> None:
    server.answer = refuse
    read(client)
    server.answer = lambda _: httpx.Response(200, content=BODY)
    clock.now = 3
    assert read(client).error is None
    assert behind == []


def test_a_failure_is_soon_asked_again_however_long_the_answer_would_have_lived(
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
    assert len(server.asked) == 2


def test_what_fails_behind_is_told_to_the_next_reader(
    client: ApiClient, server: Server, clock: Clock, behind: list[Callable[[], None]]
) -> None:
    read(client)
    server.answer = refuse
    clock.now = 3
    assert read(client).error is None
    behind.pop()()
    old = read(client)
    assert old.stale
    assert old.error is not None


def test_shared_answers_are_kept_fresh_before_anybody_finds_them_old(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    read(client, "/prices")
    read(client, "/rankings?with_candles=24h")
    read(client, "/prices/bitcoin/quotes")
    server.asked.clear()
    clock.now = 1.0
    assert not client.refresh_shared(), "nothing is due yet"
    assert server.asked == []
    server.answer = lambda _: httpx.Response(200, content=b'{"price": 2}')
    clock.now = 1.6
    assert client.refresh_shared()
    assert [str(request.url.path) for request in server.asked] == ["/prices", "/rankings"]
    clock.now = 3.5
    assert read(client, "/prices").data == {"price": 2}
    assert len(server.asked) == 2, "the reader found it fresh"


def test_a_round_that_brings_nothing_new_says_so(client: ApiClient, server: Server, clock: Clock) -> None:
    server.answer = lambda _: httpx.Response(200, content=BODY, headers={"ETag": '"a"'})
    read(client)
    server.answer = lambda _: httpx.Response(304)
    clock.now = 2
    assert not client.refresh_shared()
    assert len(server.asked) == 2


def test_what_nobody_reads_any_more_is_not_asked_for(client: ApiClient, server: Server, clock: Clock) -> None:
    read(client)
    clock.now = WANTED_SECONDS + 1
    assert not client.refresh_shared()
    assert len(server.asked) == 1


def test_what_is_made_of_a_change_is_made_in_the_keepers_thread_and_counts_as_no_reader(
    server: Server,
) -> None:
    """By the real clock, with a lifetime so short that the first round comes at once."""
    numbers = iter(range(10**6))
    server.answer = lambda _: httpx.Response(200, json={"price": next(numbers)})
    transport = httpx.MockTransport(server)
    client = ApiClient("http://service.test", lambda: KEY, transport=transport, lifetime=0.01)
    read(client)
    (slot,) = client._slots["key"].values()
    wanted = slot.wanted_at
    made, threads = threading.Event(), []

    def make() -> None:
        threads.append(threading.current_thread().name)
        read(client)
        made.set()

    client.keep(make)
    assert made.wait(LIMIT_SECONDS)
    client.close()
    assert set(threads) == {"api-keep"}
    assert slot.wanted_at == wanted


def test_fifty_at_once_make_one_request(client: ApiClient, server: Server) -> None:
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
    assert len(server.asked) == 1
    assert all(answer.data is answers[0].data for answer in answers)


def test_an_unchanged_answer_is_the_same_object(client: ApiClient, server: Server, clock: Clock) -> None:
    server.answer = lambda _: httpx.Response(
        200, content=BODY, headers={"ETag": '"a"', "X-Data-Mode": "sample"}
    )
    first = read(client)
    server.answer = lambda _: httpx.Response(304, headers={"ETag": '"a"'})
    clock.now = 5
    second = read(client)
    assert server.asked[1].headers["If-None-Match"] == '"a"'
    assert second.data is first.data
    assert (second.mode, second.stale, second.error) == ("sample", False, None)
    assert first.at is not None
    assert second.at is not None
    assert second.at >= first.at


def test_many_paths_do_not_fill_the_memory(client: ApiClient, server: Server) -> None:
    for number in range(MOST_PATHS + 1):
        read(client, f"/assets/{number}")
    server.asked.clear()
    read(client, f"/assets/{MOST_PATHS}")
    read(client, "/assets/1")
    assert server.asked == [], "the latest are kept"
    read(client, "/assets/0")
    assert len(server.asked) == 1, "the oldest is not"
