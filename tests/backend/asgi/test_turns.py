"""Turns: everybody has one, in the order in which they came, and who runs the service never waits for it."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from backend.asgi.protocol import BoundedProtocol
from backend.asgi.server import Server, server_config
from backend.asgi.turns import Turns
from backend.settings import Settings
from tests.support.waiting import LIMIT_SECONDS

REQUEST = b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
HEALTH = REQUEST.replace(b"/x", b"/healthz")


class Asked:
    """An application that keeps what it was asked, and answers each with its body."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        self.paths.append(scope["path"])
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.bodies.append(body)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


Clients = Callable[[], socket.socket]


def served(
    work: Callable[[Server, Clients], Awaitable[None]], asked: Asked, *, at_once: int, most: int = 100
) -> None:
    """Run ``work`` beside a server that does ``at_once`` things each time around and asks ``asked``."""

    async def run() -> None:
        config = server_config(asked, Settings())
        config.http = type("P", (BoundedProtocol,), {"turns": Turns(at_once), "most_connections": most})
        config.load()
        server = Server(config)
        server.lifespan = config.lifespan_class(config)
        clients: list[socket.socket] = []
        with socket.create_server(("127.0.0.1", 0)) as listening:

            def client() -> socket.socket:
                clients.append(socket.create_connection(listening.getsockname(), timeout=LIMIT_SECONDS))
                return clients[-1]

            await server.startup([listening])
            await work(server, client)
            for each in clients:
                each.close()
            await server.shutdown([listening])

    asyncio.run(run())


async def until(seen: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT_SECONDS):
        while not seen():
            await asyncio.sleep(0.001)


def test_a_hundred_who_come_at_once_are_all_taken_in() -> None:
    async def work(server: Server, client: Clients) -> None:
        for _ in range(100):
            client()
        await until(lambda: len(server.server_state.connections) == 100)

    served(work, Asked(), at_once=3)


@pytest.mark.parametrize("path", [b"/healthz", b"/readyz", b"/metrics"])
def test_who_runs_the_service_is_answered_where_no_turn_ever_comes(path: bytes) -> None:
    async def work(_: Server, client: Clients) -> None:
        client().sendall(REQUEST)
        client().sendall(REQUEST.replace(b"/x", path))
        await until(lambda: bool(asked.paths))

    asked = Asked()
    served(work, asked, at_once=0)
    assert asked.paths == [path.decode()]


def test_a_question_that_comes_a_moment_after_its_connection_is_seen_all_the_same() -> None:
    async def work(_: Server, client: Clients) -> None:
        client().sendall(REQUEST)
        late = client()
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # taken in, and nothing is there yet
        late.sendall(HEALTH)
        await until(lambda: bool(asked.paths))

    asked = Asked()
    served(work, asked, at_once=0)
    assert asked.paths == ["/healthz"]


def test_what_a_connection_sends_is_read_in_its_order() -> None:
    body = bytes(range(256)) * 4_000
    head = b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body)

    async def work(server: Server, client: Clients) -> None:
        for _ in range(20):
            client().sendall(REQUEST)
        loop, one = asyncio.get_running_loop(), client()
        one.setblocking(False)
        await loop.sock_sendall(one, head + body + HEALTH)
        assert (await loop.sock_recv(one, 12)) == b"HTTP/1.1 204"
        await until(lambda: one.recv(4096, socket.MSG_PEEK).count(b"HTTP/1.1") == 1)

    asked = Asked()
    served(work, asked, at_once=1)
    assert body in asked.bodies
    assert asked.paths[-1] == "/healthz"


def stop(server: Server) -> Turns:
    turns = server._protocol.turns
    turns._at_once = turns._left = 0
    return turns


async def one_that_waits(server: Server, client: Clients) -> tuple[BoundedProtocol, Turns]:
    """The only connection, of which a request waits for a turn that does not come."""
    one = client()
    await until(lambda: len(server.server_state.connections) == 1)
    turns = stop(server)
    one.sendall(REQUEST)
    await until(lambda: len(turns._waiting) == 1)
    (connection,) = server.server_state.connections
    assert isinstance(connection, BoundedProtocol)
    return connection, turns


def test_who_is_gone_before_its_turn_is_not_asked_for() -> None:
    async def work(server: Server, client: Clients) -> None:
        stays, goes = client(), client()
        await until(lambda: len(server.server_state.connections) == 2)
        turns = stop(server)
        goes.sendall(REQUEST)
        await until(lambda: len(turns._waiting) == 1)
        goes.close()
        stays.sendall(REQUEST.replace(b"/x", b"/stays"))
        await until(lambda: len(server.server_state.connections) == 1 and len(turns._waiting) == 2)
        turns._at_once = 1
        await until(lambda: bool(asked.paths))

    asked = Asked()
    served(work, asked, at_once=100)
    assert asked.paths == ["/stays"]


def test_what_waits_on_a_connection_that_is_being_ended_is_not_begun() -> None:
    async def work(server: Server, client: Clients) -> None:
        connection, turns = await one_that_waits(server, client)
        connection.transport.close()
        turns._waiting.popleft()()  # its turn comes before the loop tells that it is gone
        await until(lambda: not server.server_state.connections)

    asked = Asked()
    served(work, asked, at_once=100)
    assert asked.paths == []


def test_who_waits_to_be_opened_when_the_service_ends_is_let_go() -> None:
    async def work(server: Server, client: Clients) -> None:
        waiting = [client() for _ in range(3)]
        for each in waiting:
            each.sendall(REQUEST)
        turns = server._protocol.turns
        await until(lambda: len(turns._waiting) == 3)
        await server.shutdown()
        turns._at_once = 3
        await until(lambda: not server._unopened)
        for each in waiting:
            with suppress(ConnectionError):
                assert each.recv(1) == b""
        assert not server.server_state.connections

    asked = Asked()
    served(work, asked, at_once=0)
    assert asked.paths == []


def test_what_came_in_time_is_not_timed_out_while_it_waits() -> None:
    async def work(server: Server, client: Clients) -> None:
        connection, turns = await one_that_waits(server, client)
        connection._expire()
        connection.timeout_keep_alive_handler()
        turns._at_once = 1
        await until(lambda: bool(asked.paths))

    asked = Asked()
    served(work, asked, at_once=100)
    assert asked.paths == ["/x"]


def test_twice_as_many_as_may_be_open_are_open_or_wait_to_be() -> None:
    ended = list[bytes]()

    async def work(server: Server, client: Clients) -> None:
        clients = [client() for _ in range(40)]
        for each in clients:
            each.sendall(REQUEST)
        await until(lambda: bool(server._unopened))
        assert len(server._unopened) + len(server.server_state.connections) <= 16
        for each in clients:
            with suppress(ConnectionError):
                each.setblocking(False)
                ended.append(await asyncio.get_running_loop().sock_recv(each, 12))

    served(work, Asked(), at_once=1, most=8)
    assert 0 < ended.count(b"HTTP/1.1 204") < 40


def test_a_flood_of_what_goes_first_waits_like_others() -> None:
    async def run() -> None:
        turns = Turns(0, 2)
        assert [turns.take_first(HEALTH) for _ in range(3)] == [True, True, False]
        await asyncio.sleep(0)
        assert turns.take_first(HEALTH.replace(b"GET", b"HEAD").replace(b"z ", b"z?full "))
        assert not turns.take_first(REQUEST)

    asyncio.run(run())


@pytest.mark.parametrize("count", [0, 1, 7, 40])
def test_everything_that_waits_is_done_once_and_in_order(count: int) -> None:
    done: list[int] = []
    each_time: list[int] = []

    async def run() -> None:
        turns = Turns(3)
        for number in range(count):
            if turns.take():
                done.append(number)
            else:
                turns.wait(partial(done.append, number))
        while len(done) < count:
            each_time.append(len(done))
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert turns.take(), "nothing waits any more"

    asyncio.run(run())
    assert done == list(range(count))
    assert all(later - before <= 3 for before, later in pairwise(each_time))
