"""Configures uvicorn, and runs the management listener in a thread of its own."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
import uvicorn
from starlette.types import ASGIApp

from backend.http.uvicorn_protocol import protocol_for
from backend.settings import Settings

log = structlog.get_logger(__name__)

KEEP_ALIVE_SECONDS = 20
"""Without a request, until a connection ends: longer than clients keep one, so that none meets its end."""
GRACEFUL_SECONDS = 6
"""How long answers that are being sent may take once the service is told to stop."""
SPARE_FILES = 256
"""Besides connections: the store, logs, feeds, pipes to other processes."""
MANAGEMENT_STOP_SECONDS = 2.0


def server_config(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    make_room_for_connections(settings.connections_at_once)
    return uvicorn.Config(
        app,
        http=protocol_for(settings.connections_at_once),
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


@contextmanager
def management_listener(app: ASGIApp, settings: Settings, bound: socket.socket | None) -> Iterator[None]:
    """Answer ``app`` on ``bound`` while the block runs, in a thread and an event loop of its own.

    Health checks are thus answered in time while the event loop of the service is overloaded. Does nothing
    without a socket. Raises ``OSError`` where the port is in use.
    """
    if bound is None:
        yield
        return
    bound.listen()  # in this thread, so that the caller learns of a port in use
    server = uvicorn.Server(server_config(app, settings))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, name="management", daemon=True)
    thread.start()
    log.info("management_starts", port=bound.getsockname()[1])
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(MANAGEMENT_STOP_SECONDS)
