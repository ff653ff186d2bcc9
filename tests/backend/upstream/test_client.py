"""Tests calls to a configured upstream: retries, limits of time and size, and secrecy of keys."""

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

from backend.upstream import FailureKind, RetryPolicy, UpstreamClient, UpstreamFailure
from backend.upstream.deadline import Deadline, ResolvingBackend, resolve_host, use_deadline
from backend.upstream.transport import build_client
from tests.support.processes.running import free_port
from tests.support.providers.provider_server import FAULTS, Behaviour, ProviderServer, says
from tests.support.waiting import LIMIT_SECONDS

NO_WAIT = RetryPolicy(wait_initial=0, wait_max=0, wait_jitter=0)
KEY = SecretStr("sk-very-secret-1234")


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


def connect(server: ProviderServer, retry: RetryPolicy = NO_WAIT, **options: Any) -> UpstreamClient:
    return UpstreamClient(server.url, retry=retry, **options)


def expect_failure(client: UpstreamClient, path: str = "/page") -> UpstreamFailure:
    with pytest.raises(UpstreamFailure) as caught:
        client.get(path)
    return caught.value


def test_a_response_has_status_headers_and_body(server: ProviderServer) -> None:
    server.once("/base/page", Behaviour(418, b"short", "text/plain", {"X-Sample": "yes"}))
    answer = UpstreamClient(f"{server.url}/base/").get("/page", {"ids": "a,b", "n": 2})
    assert (answer.status, answer.body, answer.headers["x-sample"]) == (418, b"short", "yes")
    assert server.requests[0].query == {"ids": "a,b", "n": "2"}
    assert server.requests[0].headers["user-agent"].startswith("chainproof/")


def test_an_escaped_path_is_sent_unchanged(server: ProviderServer) -> None:
    connect(server).get("/coins/..%2Fkey/ohlc")
    assert server.requests[0].path == "/coins/..%2Fkey/ohlc"


@pytest.mark.parametrize("status", [502, 503, 504])
def test_gateway_errors_are_retried(server: ProviderServer, status: int) -> None:
    server.once("/page", says(status, {}), says(status, {}), says(200, {"fine": 1}))
    assert connect(server).get("/page").body == b'{"fine": 1}'
    assert len(server.requests) == 3


def test_retries_are_limited_and_the_last_response_is_returned(server: ProviderServer) -> None:
    server.always("/page", FAULTS["down"])
    assert connect(server).get("/page").status == 503
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 501])
def test_no_other_status_is_retried(server: ProviderServer, status: int) -> None:
    server.always("/page", says(status, {}))
    assert connect(server).get("/page").status == status
    assert len(server.requests) == 1


@pytest.mark.parametrize("retry_after", ["60", "Wed, 21 Oct 2026 07:28:00 GMT", "soon", "\xb2"])
def test_a_gateway_error_with_a_long_or_invalid_retry_after_is_not_retried(
    server: ProviderServer, retry_after: str
) -> None:
    server.always("/page", says(503, {}, retry_after=retry_after))
    assert connect(server).get("/page").status == 503
    assert len(server.requests) == 1


def test_a_gateway_error_with_retry_after_zero_is_retried_at_once(server: ProviderServer) -> None:
    server.once("/page", says(503, {}, retry_after="0"), says(200, {}))
    assert connect(server, retry=RetryPolicy(wait_initial=30, wait_max=60)).get("/page").status == 200


def test_a_refused_connection_is_retried_and_described() -> None:
    hosts: list[str] = []

    def resolver(host: str, port: int, *_: object) -> list[object]:
        hosts.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]

    error = expect_failure(UpstreamClient(f"http://api.test:{free_port()}", retry=NO_WAIT, resolver=resolver))
    assert error.kind is FailureKind.CONNECT
    assert error.message.endswith("could not be reached: it refused the connection.")
    assert hosts == ["api.test"] * 3


def test_an_unresolvable_name_is_described() -> None:
    def resolver(*_: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    error = expect_failure(UpstreamClient("http://api.test", retry=NO_WAIT, resolver=resolver))
    assert error.message == "api.test could not be reached: its name could not be resolved."


def test_the_second_address_of_a_name_is_tried(server: ProviderServer) -> None:
    def resolver(host: str, port: int, *_: object) -> list[object]:
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 0, "", ("::1", port, 0, 0)),
            (socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port)),
        ]

    client = UpstreamClient(f"http://api.test:{server.port}", retry=NO_WAIT, resolver=resolver)
    assert client.get("/page").status == 404


def test_a_hanging_name_lookup_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    release, look_up = threading.Event(), socket.getaddrinfo

    def hang(host: str, *rest: Any) -> Any:
        return release.wait(LIMIT_SECONDS) and [] if host == "api.test" else look_up(host, *rest)

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with use_deadline(Deadline(0.05, time.monotonic)), pytest.raises(TimeoutError):
        resolve_host("api.test", 80)
    release.set()


def test_a_slow_body_ends_at_the_deadline(server: ProviderServer) -> None:
    server.once("/page", Behaviour(body=b"x" * 100, pause=0.02))
    error = expect_failure(connect(server, deadline_seconds=0.2))
    assert error.kind is FailureKind.TIMEOUT
    assert error.message.endswith("did not complete its response within 0.2 s.")


def test_slow_headers_end_at_the_deadline() -> None:
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
        error = expect_failure(
            UpstreamClient(f"http://127.0.0.1:{listener.getsockname()[1]}", deadline_seconds=0.2)
        )
        stop.set()
        thread.join()
    assert error.kind is FailureKind.TIMEOUT


def test_the_deadline_uses_the_passed_clock(server: ProviderServer) -> None:
    ticks = iter(range(10_000))
    error = expect_failure(connect(server, deadline_seconds=5, clock=lambda: float(next(ticks) * 3)))
    assert error.kind is FailureKind.TIMEOUT


def test_a_body_over_the_limit_is_refused_with_and_without_content_length(
    server: ProviderServer,
) -> None:
    for announce in (True, False):
        server.once("/page", Behaviour(body=b"x" * 20_000, announce=announce))
        assert expect_failure(connect(server, max_bytes=9_999)).kind is FailureKind.TOO_LARGE
    server.once("/page", Behaviour(body=b"x" * 10_000, announce=False))
    assert len(connect(server, max_bytes=10_000).get("/page").body) == 10_000


def test_a_decompression_bomb_is_stopped_within_little_memory(server: ProviderServer) -> None:
    bomb = gzip.compress(bytes(64 * 1024 * 1024), 9)
    server.once(
        "/page", Behaviour(body=bomb, headers={"Content-Encoding": "gzip"}, content_type="text/plain")
    )
    tracemalloc.start()
    error = expect_failure(connect(server, max_bytes=1024 * 1024))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error.kind is FailureKind.TOO_LARGE
    assert peak < 16 * 1024 * 1024


def encoded(body: bytes, encoding: str = "gzip") -> Behaviour:
    return Behaviour(body=body, headers={"Content-Encoding": encoding})


def test_every_member_of_a_gzip_body_is_read(server: ProviderServer) -> None:
    server.once("/page", encoded(gzip.compress(b"one ") + gzip.compress(b"two") + b"\0\0\0"))
    assert connect(server).get("/page").body == b"one two"


@pytest.mark.parametrize(
    "behaviour",
    [
        encoded(gzip.compress(b"a body that is long enough")[:-9]),
        encoded(b"no gzip at all"),
        encoded(b""),
        encoded(b"\x0b\x02\x80abc", "br"),
        encoded(gzip.compress(gzip.compress(b"twice")), "gzip, gzip"),
        Behaviour(body=b"x" * 500, cut=20),
        FAULTS["dropped"],
    ],
    ids=["cut gzip", "no gzip", "empty gzip", "br", "gzip twice", "cut off", "dropped"],
)
def test_an_unreadable_body_is_a_protocol_failure(server: ProviderServer, behaviour: Behaviour) -> None:
    server.once("/page", behaviour)
    assert expect_failure(connect(server)).kind is FailureKind.PROTOCOL
    assert len(server.requests) == 1


def test_a_server_that_does_not_speak_http_is_described() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.9\r\n")
                connection.recv(1000)

        thread = threading.Thread(target=greet)
        thread.start()
        error = expect_failure(UpstreamClient(f"http://127.0.0.1:{listener.getsockname()[1]}"))
        thread.join()
    assert error.kind is FailureKind.PROTOCOL
    assert error.message.endswith("closed the connection or did not speak HTTP.")


def test_a_redirect_on_the_same_host_is_followed_with_the_key(server: ProviderServer) -> None:
    server.once("/page", Behaviour(301, b"", headers={"Location": "/elsewhere"}))
    server.once("/elsewhere", says(200, {}))
    assert connect(server, secret_headers={"X-Key": KEY}).get("/page").status == 200
    assert server.seen("/elsewhere")[0].headers["x-key"] == KEY.get_secret_value()


def test_a_redirect_to_another_host_is_not_followed_and_gets_no_key(server: ProviderServer) -> None:
    with ProviderServer() as other_server:
        for target in (
            f"{other_server.url}/steal",
            f"http://localhost:{server.port}/steal",
            f"https://127.0.0.1:{server.port}/",
        ):
            server.once("/page", Behaviour(302, b"", headers={"Location": target}))
            assert expect_failure(connect(server, secret_headers={"X-Key": KEY})).kind is FailureKind.REDIRECT
        assert other_server.requests == []
    assert server.seen("/steal") == []


def test_a_redirect_loop_ends(server: ProviderServer) -> None:
    server.always("/page", Behaviour(302, b"", headers={"Location": "/page"}))
    assert expect_failure(connect(server)).kind is FailureKind.REDIRECT
    assert len(server.requests) == 4


def test_cookies_are_not_stored(server: ProviderServer) -> None:
    client = connect(server)
    server.once("/page", says(200, {}, set_cookie="id=1"))
    client.get("/page")
    client.get("/page")
    assert [request.headers.get("cookie") for request in server.requests] == [None, None]


def test_proxies_in_the_environment_are_not_used(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert connect(server).get("/page").status == 404


def test_no_failure_and_no_repr_contains_the_key(server: ProviderServer) -> None:
    client = connect(server, secret_headers={"X-Key": KEY}, deadline_seconds=0.3, max_bytes=10)
    for fault in ("dropped", "cut-off", "slow", "web-page"):
        server.once("/page", FAULTS[fault])
        with pytest.raises(UpstreamFailure) as caught:
            client.get("/page")
        chain: BaseException | None = caught.value
        while chain is not None:
            assert KEY.get_secret_value() not in f"{chain!r}{chain}"
            chain = chain.__cause__
    assert KEY.get_secret_value() not in repr(vars(client)["_base"]) + repr(client)
    assert client.redact(f"key {KEY.get_secret_value()} is wrong") == "key [key] is wrong"


@pytest.mark.parametrize("value", ["", "  ", "line\nbreak", "clé", "with space"])
def test_a_key_with_invalid_characters_is_refused_without_being_shown(value: str) -> None:
    with pytest.raises(ValueError, match="X-Key") as caught:
        UpstreamClient("http://api.test", secret_headers={"X-Key": SecretStr(value)})
    assert not value.strip() or value not in str(caught.value)


def test_whitespace_around_a_key_is_removed(server: ProviderServer) -> None:
    connect(server, secret_headers={"X-Key": SecretStr(" abc\n")}).get("/page")
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
def test_an_invalid_base_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="base URL"):
        UpstreamClient(url)


def test_a_request_outside_an_exchange_has_the_default_time_limits(server: ProviderServer) -> None:
    server.once("/page", says(200, {"fine": 1}), FAULTS["slow"])
    with build_client(ResolvingBackend(resolve_host), {}, deadline_seconds=5.0) as client:
        assert client.get(f"{server.url}/page").json() == {"fine": 1}
        with pytest.raises(httpcore.ReadTimeout):
            client.get(f"{server.url}/page", timeout=httpx.Timeout(LIMIT_SECONDS, read=0.001))
