"""Tests the server over real connections: slow readers, too many connections, the management listener."""

import asyncio
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import orjson
import pytest
import uvicorn

from backend.errors import Unauthorized
from backend.http import server as http_server
from backend.http import uvicorn_protocol
from backend.http.middleware import RequestLimits, ServiceMiddleware
from backend.http.server import build_server_config, management_listener
from backend.settings import Settings
from tests.support.waiting import LIMIT_SECONDS, wait_for

LARGE = 30_000_000
REQUEST = b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n"


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Tells who asked and whether there are too many; ``/large`` is more than any buffer holds."""
    if scope["type"] != "http":
        return
    crowded = uvicorn_protocol.OVER_CONNECTION_LIMIT in scope["state"]
    body = b"x" * LARGE if scope["path"] == "/large" else f"{scope['client'][0]} {crowded}".encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class NothingPrepared:
    def find(self, path: str, query: bytes) -> None:
        return None


def find_nobody(headers: Any, *, terminal: bool = False) -> Any:
    raise Unauthorized("Nobody is known here.")


Served = tuple[int, uvicorn.Server]


@contextmanager
def run_server(app: Any = echo, **settings: Any) -> Iterator[Served]:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(128)
    server = uvicorn.Server(build_server_config(app, Settings(**settings)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1], server
    finally:
        server.should_exit = True
        thread.join(LIMIT_SECONDS)


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with run_server() as found:
        yield found


@pytest.fixture
def port(server: Served) -> int:
    return server[0]


def connections(server: Served) -> list[Any]:
    return list(server[1].server_state.connections)


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=LIMIT_SECONDS)


def receive_all(connection: socket.socket) -> bytes:
    result = b""
    while piece := connection.recv(65536):
        result += piece
    return result


def answer(connection: socket.socket) -> bytes:
    """One answer, which may come in several pieces."""
    result = b""
    while b"\r\n\r\n" not in result:
        result += connection.recv(65536)
    head, _, body = result.partition(b"\r\n\r\n")
    (length,) = re.findall(rb"content-length: (\d+)", head)
    while len(body) < int(length):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def ask(port: int, request: bytes = REQUEST) -> bytes:
    with connect(port) as connection:
        connection.sendall(request)
        return answer(connection)


def test_client_that_stops_reading_is_disconnected(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn_protocol, "STALL_TIMEOUT_SECONDS", 0.05)
    wait_for(lambda: not connections(server), "The end of former connections")
    with connect(server[0]) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        assert connection.recv(16, socket.MSG_PEEK).startswith(b"HTTP/1.1 200")
        wait_for(lambda: not connections(server), "The end of the connection")
        with suppress(ConnectionError):
            assert len(receive_all(connection)) < LARGE


def test_management_listener_responds_while_the_service_event_loop_is_blocked() -> None:
    blocked, released = threading.Event(), threading.Event()

    async def block(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            blocked.set()
            released.wait(LIMIT_SECONDS)
        await echo(scope, receive, send)

    with run_server(block) as (port, _), connect(port) as client:
        client.sendall(REQUEST)
        assert blocked.wait(LIMIT_SECONDS)
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            with management_listener(echo, Settings(), bound):
                assert ask(bound.getsockname()[1]).startswith(b"HTTP/1.1 200")
                assert not released.is_set()
        released.set()
        assert answer(client).startswith(b"HTTP/1.1 200")


def test_a_request_that_a_stopping_server_waits_for_no_longer_is_answered_with_503(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_server, "SHUTDOWN_SECONDS", 0)
    has_begun = threading.Event()

    async def never_respond(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            has_begun.set()
            await asyncio.Event().wait()

    bounds = RequestLimits(body=1000)
    app = ServiceMiddleware(
        never_respond, authenticate=find_nobody, ready=NothingPrepared(), mode="live", bounds=bounds
    )
    with run_server(app) as (port, server), connect(port) as connection:
        connection.sendall(REQUEST)
        assert has_begun.wait(LIMIT_SECONDS)
        server.should_exit = True
        head, _, body = receive_all(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 ")
    assert re.search(rb"retry-after: [1-9]", head, re.IGNORECASE)
    assert orjson.loads(body)["code"] == "stopping"


def test_forwarded_addresses_are_used_only_from_trusted_proxies(port: int) -> None:
    result = REQUEST[:-2] + b"X-Forwarded-For: 203.0.113.5, 192.0.2.9\r\n\r\n"
    assert ask(port, result).endswith(b"127.0.0.1 False")
    with run_server(trusted_proxies="127.0.0.0/8") as (proxied_port, _):
        assert ask(proxied_port, result).endswith(b"192.0.2.9 False")


def test_requests_over_the_connection_limit_are_marked_and_further_ones_refused() -> None:
    with run_server(connections_at_once=16) as server, ExitStack() as opened:
        for _ in range(16):
            opened.enter_context(connect(server[0]))
        wait_for(lambda: len(connections(server)) == 16, "All of them")
        assert ask(server[0]).endswith(b"127.0.0.1 True")
        wait_for(lambda: len(connections(server)) == 16, "Room")
        for _ in range(16):
            opened.enter_context(connect(server[0]))
        wait_for(lambda: len(connections(server)) == 32, "Twice as many")
        with suppress(ConnectionError), connect(server[0]) as one_more:
            assert receive_all(one_more) == b""
        opened.close()
        wait_for(lambda: not connections(server), "The end of all")
        assert ask(server[0]).endswith(b"127.0.0.1 False")
