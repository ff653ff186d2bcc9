"""Starts a Redis server without persistence on a free port of loopback."""

import contextlib
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.support.processes.running import free_port, wait_for
from tests.support.test_session import prerequisites
from tests.support.test_session.requirements import skip_unless


class RedisServer:
    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        program = prerequisites.redis_server()
        assert program is not None
        options = {"port": str(self.port), "bind": "127.0.0.1", "save": "", "appendonly": "no"}
        options |= {"dir": str(self._folder), "logfile": "redis.log"}
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        self._process = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL)
        wait_for(self._listens, "A Redis that listens")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def signal(self, number: int) -> None:
        """Send a signal, such as SIGSTOP, which keeps connections open but silent, or SIGCONT."""
        assert self._process is not None
        self._process.send_signal(number)

    def _listens(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False


@contextlib.contextmanager
def run_redis(folder: Path) -> Iterator[RedisServer]:
    """Start a Redis server for the block. Without Redis the test is skipped; in CI it fails."""
    skip_unless(prerequisites.redis_server() is not None, prerequisites.NO_REDIS)
    server = RedisServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
