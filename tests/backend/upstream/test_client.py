"""Asking a configured upstream: what it may cost us, and what it may learn."""

import contextlib
import gzip
import socket
import threading
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import httpcore
import httpx
import pytest
from pydantic import SecretStr

from backend.upstream import FailureKind, Retry, UpstreamClient, UpstreamFailure
from backend.upstream.deadline import Deadline, ResolvingBackend, lookup, until
from backend.upstream.transport import client as bounded_client
from tests.support.provider_server import FAULTS, Behaviour, ProviderServer, says
from tests.support.running import free_port
from tests.support.waiting import LIMIT_SECONDS

AT_ONCE = Retry(wait_initial=0, wait_max=0, wait_jitter=0)
KEY = SecretStr("sk-very-secret-1234")


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


def client(server: ProviderServer, retry: Retry = AT_ONCE, **options: Any) -> UpstreamClient:
    return UpstreamClient(server.url, retry=retry, **options)


def failure(asking: UpstreamClient, path: str = "/page") -> UpstreamFailure:
    with pytest.raises(UpstreamFailure) as caught:
        asking.get(path)
    return caught.value


def test_an_answer_comes_whole_with_status_headers_and_body(server: ProviderServer) -> None:
    server.once("/base/page", Behaviour(418, b"short", "text/plain", {"X-Told": "yes"}))
    answer = UpstreamClient(f"{server.url}/base/").get("/page", {"ids": "a,b", "n": 2})
    assert (answer.status, answer.body, answer.headers["x-told"]) == (418, b"short", "yes")
    assert server.requests[0].query == {"ids": "a,b", "n": "2"}
    assert server.requests[0].headers["user-agent"].startswith("chainproof/")


def test_an_escaped_path_is_sent_as_it_is(server: ProviderServer) -> None:
    client(server).get("/coins/..%2Fkey/ohlc")
    assert server.requests[0].path == "/coins/..%2Fkey/ohlc"


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_that_stumbles_is_asked_again(server: ProviderServer, status: int) -> None:
    server.once("/page", says(status, {}), says(status, {}), says(200, {"fine": 1}))
    assert client(server).get("/page").body == b'{"fine": 1}'
    assert len(server.requests) == 3


def test_tries_are_bounded_and_the_last_answer_is_handed_back(server: ProviderServer) -> None:
    server.always("/page", FAULTS["down"])
    assert client(server).get("/page").status == 503
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 501])
def test_no_other_status_is_asked_again(server: ProviderServer, status: int) -> None:
    server.always("/page", says(status, {}))
    assert client(server).get("/page").status == status
    assert len(server.requests) == 1


@pytest.mark.parametrize("told", ["60", "Wed, 21 Oct 2026 07:28:00 GMT", "soon", "\xb2"])
def test_a_gateway_that_names_a_longer_wait_is_left_alone(server: ProviderServer, told: str) -> None:
    server.always("/page", says(503, {}, retry_after=told))
    assert client(server).get("/page").status == 503
    assert len(server.requests) == 1


def test_a_gateway_that_names_no_wait_at_all_is_asked_at_once(server: ProviderServer) -> None:
    server.once("/page", says(503, {}, retry_after="0"), says(200, {}))
    assert client(server, retry=Retry(wait_initial=30, wait_max=60)).get("/page").status == 200


def test_a_refused_connection_is_tried_again_and_told_in_words() -> None:
    asked: list[str] = []

    def resolver(host: str, port: int, *_: object) -> list[object]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]

    told = failure(UpstreamClient(f"http://api.test:{free_port()}", retry=AT_ONCE, resolver=resolver))
    assert told.kind is FailureKind.CONNECT
    assert told.message.endswith("could not be reached: it refused the connection.")
    assert asked == ["api.test"] * 3


def test_a_name_without_an_address_is_told_in_words() -> None:
    def resolver(*_: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    told = failure(UpstreamClient("http://api.test", retry=AT_ONCE, resolver=resolver))
    assert told.message == "api.test could not be reached: its name could not be resolved."


def test_the_second_address_of_a_name_is_tried(server: ProviderServer) -> None:
    def resolver(host: str, port: int, *_: object) -> list[object]:
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 0, "", ("::1", port, 0, 0)),
            (socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port)),
        ]

    asking = UpstreamClient(f"http://api.test:{server.port}", retry=AT_ONCE, resolver=resolver)
    assert asking.get("/page").status == 404


def test_a_name_lookup_that_hangs_ends_with_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    release, look_up = threading.Event(), socket.getaddrinfo

    def hang(host: str, *rest: Any) -> Any:
        return release.wait(LIMIT_SECONDS) and [] if host == "api.test" else look_up(host, *rest)

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with until(Deadline(0.05, time.monotonic)), pytest.raises(TimeoutError):
        lookup("api.test", 80)
    release.set()


def test_a_body_that_trickles_ends_with_the_deadline(server: ProviderServer) -> None:
    server.once("/page", Behaviour(body=b"x" * 100, pause=0.02))
    told = failure(client(server, deadline=0.2))
    assert told.kind is FailureKind.TIMEOUT
    assert told.message.endswith("did not finish its answer within 0.2 s.")


def test_headers_that_trickle_end_with_the_deadline() -> None:
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def trickle() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                with contextlib.suppress(OSError):  # the client goes away
                    for _ in range(100):
                        stop.wait(0.02)
                        connection.sendall(b"a")

        thread = threading.Thread(target=trickle)
        thread.start()
        told = failure(UpstreamClient(f"http://127.0.0.1:{listener.getsockname()[1]}", deadline=0.2))
        stop.set()
        thread.join()
    assert told.kind is FailureKind.TIMEOUT


def test_the_deadline_goes_by_the_clock_that_is_given(server: ProviderServer) -> None:
    ticks = iter(range(10_000))
    told = failure(client(server, deadline=5, clock=lambda: float(next(ticks) * 3)))
    assert told.kind is FailureKind.TIMEOUT


def test_a_body_over_the_limit_is_refused_with_and_without_an_announced_length(
    server: ProviderServer,
) -> None:
    for announce in (True, False):
        server.once("/page", Behaviour(body=b"x" * 20_000, announce=announce))
        assert failure(client(server, max_bytes=9_999)).kind is FailureKind.TOO_LARGE
    server.once("/page", Behaviour(body=b"x" * 10_000, announce=False))
    assert len(client(server, max_bytes=10_000).get("/page").body) == 10_000


def test_a_compressed_bomb_is_stopped_before_it_goes_off(server: ProviderServer) -> None:
    bomb = gzip.compress(bytes(64 * 1024 * 1024), 9)
    server.once(
        "/page", Behaviour(body=bomb, headers={"Content-Encoding": "gzip"}, content_type="text/plain")
    )
    tracemalloc.start()
    told = failure(client(server, max_bytes=1024 * 1024))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert told.kind is FailureKind.TOO_LARGE
    assert peak < 16 * 1024 * 1024


def coded(body: bytes, coding: str = "gzip") -> Behaviour:
    return Behaviour(body=body, headers={"Content-Encoding": coding})


def test_every_member_of_a_gzip_body_is_read(server: ProviderServer) -> None:
    server.once("/page", coded(gzip.compress(b"one ") + gzip.compress(b"two") + b"\0\0\0"))
    assert client(server).get("/page").body == b"one two"


@pytest.mark.parametrize(
    "behaviour",
    [
        coded(gzip.compress(b"a body that is long enough")[:-9]),
        coded(b"no gzip at all"),
        coded(b""),
        coded(b"\x0b\x02\x80abc", "br"),
        coded(gzip.compress(gzip.compress(b"twice")), "gzip, gzip"),
        Behaviour(body=b"x" * 500, cut=20),
        FAULTS["dropped"],
    ],
    ids=["cut gzip", "no gzip", "empty gzip", "br", "gzip twice", "cut off", "dropped"],
)
def test_a_body_that_cannot_be_read_is_a_fault_of_the_protocol(
    server: ProviderServer, behaviour: Behaviour
) -> None:
    server.once("/page", behaviour)
    assert failure(client(server)).kind is FailureKind.PROTOCOL
    assert len(server.requests) == 1


def test_something_that_does_not_speak_http_is_told_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.9\r\n")
                connection.recv(1000)

        thread = threading.Thread(target=greet)
        thread.start()
        told = failure(UpstreamClient(f"http://127.0.0.1:{listener.getsockname()[1]}"))
        thread.join()
    assert told.kind is FailureKind.PROTOCOL
    assert told.message.endswith("broke off or did not speak HTTP.")


def test_a_redirect_on_the_same_host_is_followed_with_the_key(server: ProviderServer) -> None:
    server.once("/page", Behaviour(301, b"", headers={"Location": "/elsewhere"}))
    server.once("/elsewhere", says(200, {}))
    assert client(server, secret_headers={"X-Key": KEY}).get("/page").status == 200
    assert server.seen("/elsewhere")[0].headers["x-key"] == KEY.get_secret_value()


def test_a_redirect_to_another_host_is_not_followed_and_the_key_stays(server: ProviderServer) -> None:
    with ProviderServer() as other:
        for target in (
            f"{other.url}/steal",
            f"http://localhost:{server.port}/steal",
            f"https://127.0.0.1:{server.port}/",
        ):
            server.once("/page", Behaviour(302, b"", headers={"Location": target}))
            assert failure(client(server, secret_headers={"X-Key": KEY})).kind is FailureKind.REDIRECT
        assert other.requests == []
    assert server.seen("/steal") == []


def test_a_redirect_loop_ends(server: ProviderServer) -> None:
    server.always("/page", Behaviour(302, b"", headers={"Location": "/page"}))
    assert failure(client(server)).kind is FailureKind.REDIRECT
    assert len(server.requests) == 4


def test_cookies_are_not_kept(server: ProviderServer) -> None:
    asking = client(server)
    server.once("/page", says(200, {}, set_cookie="id=1"))
    asking.get("/page")
    asking.get("/page")
    assert [request.headers.get("cookie") for request in server.requests] == [None, None]


def test_proxies_in_the_environment_are_not_used(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert client(server).get("/page").status == 404


def test_no_failure_and_no_representation_holds_the_key(server: ProviderServer) -> None:
    asking = client(server, secret_headers={"X-Key": KEY}, deadline=0.3, max_bytes=10)
    for fault in ("dropped", "cut-off", "slow", "web-page"):
        server.once("/page", FAULTS[fault])
        with pytest.raises(UpstreamFailure) as caught:
            asking.get("/page")
        chain: BaseException | None = caught.value
        while chain is not None:
            assert KEY.get_secret_value() not in f"{chain!r}{chain}"
            chain = chain.__cause__
    assert KEY.get_secret_value() not in repr(vars(asking)["_base"]) + repr(asking)
    assert asking.redacted(f"key {KEY.get_secret_value()} is wrong") == "key [key] is wrong"


@pytest.mark.parametrize("value", ["", "  ", "line\nbreak", "clé", "with space"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(value: str) -> None:
    with pytest.raises(ValueError, match="X-Key") as caught:
        UpstreamClient("http://api.test", secret_headers={"X-Key": SecretStr(value)})
    assert not value.strip() or value not in str(caught.value)


def test_white_space_around_a_pasted_key_does_no_harm(server: ProviderServer) -> None:
    client(server, secret_headers={"X-Key": SecretStr(" abc\n")}).get("/page")
    assert server.requests[0].headers["x-key"] == "abc"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.test",
        "ftp://api.test",
        "http://",
        "http://u:p@api.test",
        "http://api.test?x=1",
        "http://[::1",
    ],
)
def test_a_base_url_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="base URL"):
        UpstreamClient(url)


def test_a_request_outside_of_an_exchange_has_the_usual_time_limits(server: ProviderServer) -> None:
    server.once("/page", says(200, {"fine": 1}), FAULTS["slow"])
    with bounded_client(ResolvingBackend(lookup), {}, deadline=5.0) as asking:
        assert asking.get(f"{server.url}/page").json() == {"fine": 1}
        with pytest.raises(httpcore.ReadTimeout):
            asking.get(f"{server.url}/page", timeout=httpx.Timeout(LIMIT_SECONDS, read=0.001))
