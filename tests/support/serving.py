"""An application over real HTTP, by the server that production has, in a thread of this process."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn

from tests.support.waiting import LIMIT_SECONDS


@contextlib.contextmanager
def served(app: Any) -> Iterator[str]:
    """The address at which ``app`` answers until the block ends."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(128)  # who calls before the server is up waits in the queue
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(LIMIT_SECONDS)
