"""Serves an application over real HTTP with uvicorn, in a thread of this process."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn

from tests.support.waiting import LIMIT_SECONDS


@contextlib.contextmanager
def serve_app(app: Any) -> Iterator[str]:
    """Serve ``app`` until the block ends; yields its URL."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)  # earlier connections wait in the queue
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(LIMIT_SECONDS)
