"""Configures uvicorn and runs the management listener in a separate thread."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
import uvicorn
from starlette.types import ASGIApp

from backend.http.uvicorn_protocol import build_protocol
from backend.settings import Settings

log = structlog.get_logger(__name__)

KEEP_ALIVE_SECONDS = 20
"""Idle time of a connection. It is longer than that of common clients, so that they close first."""
SHUTDOWN_SECONDS = 6
"""Maximum time of responses in progress after the service is told to stop."""
RESERVED_FILES = 256
"""Open files besides connections: the store, logs, feeds, pipes to other processes."""
MANAGEMENT_STOP_SECONDS = 2.0


def build_server_config(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    raise_file_limit(settings.connections_at_once)
    return uvicorn.Config(
        app,
        http=build_protocol(settings.connections_at_once),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        # No proxy is trusted by default: uvicorn would trust any program on this machine.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


def raise_file_limit(count: int) -> None:
    """Raise the limit of open files for ``count`` connections, as far as the system allows.

    A server without free file descriptors cannot accept any connection.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    needed = 2 * count + RESERVED_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    new_limit = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < new_limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (new_limit, hard))


@contextmanager
def management_listener(app: ASGIApp, settings: Settings, bound: socket.socket | None) -> Iterator[None]:
    """Serve ``app`` on ``bound`` while the block runs, in a thread and an event loop of its own.

    Health checks are answered in time even while the event loop of the service is overloaded. Does nothing
    without a socket. Raises ``OSError`` where the port is in use.
    """
    if bound is None:
        yield
        return
    bound.listen()  # in this thread, so that the caller gets the error of a port in use
    server = uvicorn.Server(build_server_config(app, settings))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, name="management", daemon=True)
    thread.start()
    log.info("management_listener_started", port=bound.getsockname()[1])
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(MANAGEMENT_STOP_SECONDS)
