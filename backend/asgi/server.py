"""The server that the application runs in: its protocol, its time-outs, whose word on addresses it takes."""

import asyncio
import socket
import sys
from functools import partial
from typing import Any, cast

import structlog
import uvicorn
from starlette.types import ASGIApp

from backend import metrics
from backend.asgi.protocol import BoundedProtocol, bounded
from backend.asgi.turns import FIRST
from backend.settings import Settings

log = structlog.get_logger(__name__)

KEEP_ALIVE_SECONDS = 20
"""Without a request, until a connection ends: longer than clients keep one, so that none meets its end."""
GRACEFUL_SECONDS = 6
"""How long answers that are being sent may take once the service is told to stop."""
SPARE_FILES = 256
"""Besides connections: the store, logs, feeds, pipes to other processes."""
TAKEN_IN_AT_ONCE = 64
PAUSE_SECONDS = 0.5
SECOND_LOOK_SECONDS = 0.01


def server_config(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    make_room_for_connections(settings.connections_at_once)
    return uvicorn.Config(
        app,
        http=bounded(settings.connections_at_once),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        # Nobody's word unless told: by default uvicorn would take that of any program on this machine.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )


def make_room_for_connections(count: int) -> None:
    """Let this process open so many files, as far as the system allows: a server that cannot accept
    a connection answers nobody at all."""
    try:
        import resource
    except ImportError:  # not on Windows, which has no such limit
        return
    wanted = 2 * count + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class Server(uvicorn.Server):
    """uvicorn's server with an ear of its own for connections.

    The event loop takes in one connection each time around, and whoever comes next, to ask /healthz perhaps,
    waits behind all who came before: seconds. Here all are taken in at once, and opened in their turns.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._listening: list[socket.socket] = []
        self._unopened: set[socket.socket] = set()
        self._opening: set[asyncio.Task[Any]] = set()
        # What server_config gave: uvicorn knows it as a protocol of any kind.
        self._protocol = cast(type[BoundedProtocol], self.config.http_protocol_class)
        if sys.platform == "win32" or sockets is None:
            await super().startup(sockets)
            return
        await super().startup([])
        for listening in sockets:
            listening.listen(self.config.backlog)
            listening.setblocking(False)
            self._listening.append(listening)
            self._listen(listening)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listening in self._listening:
            asyncio.get_running_loop().remove_reader(listening)
        self._listening.clear()
        await super().shutdown(sockets)

    def _listen(self, listening: socket.socket) -> None:
        if listening in self._listening:
            asyncio.get_running_loop().add_reader(listening, self._accept, listening)

    def _accept(self, listening: socket.socket) -> None:
        """Take in those who wait; some are left to other processes at the same socket."""
        loop = asyncio.get_running_loop()
        for _ in range(TAKEN_IN_AT_ONCE):
            try:
                connection, _ = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:  # no more files or memory: some may be free again soon
                log.error("connection_not_taken_in", error=error.strerror)
                loop.remove_reader(listening)
                loop.call_later(PAUSE_SECONDS, self._listen, listening)
                return
            connection.setblocking(False)
            if connection.family != getattr(socket, "AF_UNIX", None):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._protocol.turns.take():
                self._open(connection)
            elif self._has_room():
                self._unopened.add(connection)
                self._wait(connection, SECOND_LOOK_SECONDS)
            else:
                metrics.SHED.labels("connections").inc()
                connection.close()

    def _has_room(self) -> bool:
        held = len(self._unopened) + len(self.server_state.connections)
        return held < 2 * self._protocol.most_connections

    def _wait(self, connection: socket.socket, later: float = 0.0) -> None:
        """Open ``connection`` when it is its turn, or at once where it is seen to ask what goes first.

        That may come a moment after the connection: where it cannot be told yet, it looks again ``later``.
        """
        sent = _sent(connection)
        if self._protocol.turns.take_first(sent):
            self._open(connection)
        elif later and any(first.startswith(sent) for first in FIRST):
            asyncio.get_running_loop().call_later(later, self._wait, connection)
        else:
            self._protocol.turns.wait(partial(self._open, connection))

    def _open(self, connection: socket.socket) -> None:
        self._unopened.discard(connection)
        if not self._listening:  # the service ends, and has told all who were there
            connection.close()
            return
        opening = asyncio.get_running_loop().create_task(self._opened(connection))
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)

    async def _opened(self, connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(self._connection, connection)
        except OSError:  # it is gone already
            connection.close()

    def _connection(self) -> asyncio.Protocol:
        return self._protocol(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )


def _sent(connection: socket.socket) -> bytes:
    """The first bytes of what was sent already."""
    try:
        return connection.recv(max(map(len, FIRST)), socket.MSG_PEEK)
    except OSError:  # nothing yet, or it is gone
        return b""
