"""One request for everybody, revalidated; the last good answer, said to be old, when there is no new one."""

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal

import httpx
import pytest

from dashboard.client.fetched import Fetched
from dashboard.client.http import MOST_PATHS, WANTED_SECONDS, ApiClient
from tests.support.waiting import LIMIT_SECONDS

KEY = "cp_testv1" + "a" * 32 + "_000000"
BODY = b'{"price": 1.10, "count": 3}'


@dataclass
class Server:
    """Answers as it is told to, and remembers what it was asked."""

    answer: Callable[[httpx.Request], httpx.Response] = lambda _: httpx.Response(200, content=BODY)
    asked: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return self.answer(request)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def behind() -> list[Callable[[], None]]:
    """What the client wants done behind, for the test to do."""
    return []


@pytest.fixture
def client(server: Server, clock: Clock, behind: list[Callable[[], None]]) -> ApiClient:
    transport = httpx.MockTransport(server)
    return ApiClient(
        "http://service.test", lambda: KEY, transport=transport, clock=clock, behind=behind.append
    )


def read(client: ApiClient, path: str = "/prices") -> Fetched[dict[str, object]]:
    return client.get(path, "object")


def refuse(_: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("connection refused")


def problem(status: int, **body: object) -> Callable[[httpx.Request], httpx.Response]:
    return lambda _: httpx.Response(status, json=body, headers={"X-Request-ID": "r-1"})


def test_numbers_keep_the_digits_that_were_sent(client: ApiClient) -> None:
    assert read(client).data == {"price": Decimal("1.10"), "count": 3}


def test_the_key_goes_into_the_header_and_every_request_has_an_id(client: ApiClient, server: Server) -> None:
    read(client)
    assert server.asked[0].headers["CP-X-API-KEY"] == KEY
    assert re.fullmatch("[0-9a-f]{32}", server.asked[0].headers["X-Request-ID"])


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


def test_when_the_service_fails_the_last_answer_stands_and_says_that_it_is_old(
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


def test_it_is_new_again_as_soon_as_the_service_answers(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    read(client)
    server.answer = refuse
    clock.now = 5
    assert read(client).stale
    server.answer = lambda _: httpx.Response(200, content=b'{"price": 2}')
    clock.now = 10
    again = read(client)
    assert (again.data, again.stale, again.error) == ({"price": 2}, False, None)


def test_a_failure_is_remembered_too_until_a_retry(client: ApiClient, server: Server) -> None:
    server.answer = refuse
    first = read(client)
    read(client)
    assert len(server.asked) == 1
    assert (first.data, first.stale, first.at) == (None, False, None)
    assert first.error is not None
    assert first.error.unreachable
    client.forget_failures()
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
def test_whatever_comes_back_becomes_a_problem_in_words(
    client: ApiClient, server: Server, answer: httpx.Response, title: str, status: int
) -> None:
    server.answer = lambda _: answer
    fetched = read(client)
    assert fetched.data is None
    assert fetched.error is not None
    assert (fetched.error.title, fetched.error.status) == (title, status)
    assert fetched.error.detail


def test_a_slow_service_is_told_apart_from_a_dead_one(client: ApiClient, server: Server) -> None:
    def slow(_: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("too slow")

    server.answer = slow
    error = read(client).error
    assert error is not None
    assert error.title == "timeout"


def test_a_shape_that_cannot_be_decoded_keeps_the_last_answer(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    def decode(body: dict[str, object]) -> object:
        return body["price"]

    assert client.get("/x", "object", decode).data == Decimal("1.10")
    server.answer = lambda _: httpx.Response(200, content=b"{}")
    clock.now = 5
    old = client.get("/x", "object", decode)
    assert (old.data, old.stale) == (Decimal("1.10"), True)


def test_after_a_401_the_key_is_read_again_and_the_request_repeated(server: Server) -> None:
    keys = iter([None, "made-since", "made-since"])

    def locked(request: httpx.Request) -> httpx.Response:
        known = request.headers.get("CP-X-API-KEY") == "made-since"
        return (
            httpx.Response(200, content=BODY) if known else httpx.Response(401, json={"code": "unauthorized"})
        )

    server.answer = locked
    client = ApiClient("http://service.test", lambda: next(keys), transport=httpx.MockTransport(server))
    assert read(client).error is None
    assert len(server.asked) == 2


def test_a_key_that_stays_wrong_is_not_tried_twice(client: ApiClient, server: Server) -> None:
    server.answer = problem(401, code="unauthorized", detail="The key is not known.")
    error = read(client).error
    assert error is not None
    assert error.status == 401
    assert len(server.asked) == 1


def test_an_asset_id_cannot_leave_its_path(
    client: ApiClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dashboard.client import api

    monkeypatch.setattr(api, "client", lambda: client)
    api.quotes("../admin?x=1")
    assert server.asked[0].url.raw_path == b"/prices/..%2Fadmin%3Fx%3D1/quotes"


def test_many_paths_do_not_fill_the_memory(client: ApiClient, server: Server) -> None:
    for number in range(MOST_PATHS + 1):
        read(client, f"/assets/{number}")
    server.asked.clear()
    read(client, f"/assets/{MOST_PATHS}")
    read(client, "/assets/1")
    assert server.asked == [], "the latest are kept"
    read(client, "/assets/0")
    assert len(server.asked) == 1, "the oldest is not"


def refusing(status: int, **headers: str) -> Callable[[httpx.Request], httpx.Response]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: httpx.Response(status, json={"code": "rate_limited", "detail": "Later."}, headers=named)


@pytest.mark.parametrize("status", [429, 503])
def test_a_service_that_says_when_to_come_back_is_not_asked_before(
    server: Server, clock: Clock, client: ApiClient, status: int
) -> None:
    good = client.get("/x", "object")
    server.answer = refusing(status, retry_after="30")
    clock.now = 10
    told = client.get("/x", "object")
    assert (told.data, told.stale) == (good.data, True)
    assert told.error is not None
    assert (told.error.status, told.error.pause, told.error.passes) == (status, 30, True)
    clock.now = 39
    client.get("/x", "object")
    assert len(server.asked) == 2
    server.answer = lambda _: httpx.Response(200, content=BODY)
    clock.now = 41
    assert client.get("/x", "object").error is None


@pytest.mark.parametrize(
    ("told", "pause"),
    [("3600", 60), ("0", 0), ("Sat, 21 Nov 2026 12:00:00 GMT", None), ("-1", None), ("", None)],
)
def test_a_pause_is_a_number_of_seconds_and_not_longer_than_a_reader_waits(
    server: Server, client: ApiClient, told: str, pause: float | None
) -> None:
    server.answer = refusing(429, retry_after=told)
    error = client.get("/x", "object").error
    assert error is not None
    assert error.pause == pause


def test_a_retry_asks_at_once_all_the_same(server: Server, client: ApiClient) -> None:
    server.answer = refusing(429, retry_after="30")
    client.get("/x", "object")
    client.forget_failures()
    client.get("/x", "object")
    assert len(server.asked) == 2


def test_a_fault_of_the_service_is_none_that_passes(server: Server, client: ApiClient) -> None:
    server.answer = refusing(500)
    error = client.get("/x", "object").error
    assert error is not None
    assert not error.passes
