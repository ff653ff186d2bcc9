"""Several processes run as one: started together, restarted when they die, stopped together.

A child holds the read end of a pipe as its standard input. When the parent is gone, however it
went, the pipe closes and the child stops by itself: no process outlives a kill -9 of its parent.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog

log = structlog.get_logger(__name__)

PARENT_PIPE = "CHAINPROOF_PARENT_PIPE"
GRACE_SECONDS = 12.0
"""How long a child may take to stop after SIGTERM before it is killed."""
SETTLED_SECONDS = 10.0
"""A child that lived this long had started well, and is started again when it dies."""


def stop_with_parent() -> None:
    """In a child of :class:`Family`: end this process when the parent has gone."""
    if os.environ.get(PARENT_PIPE) != "1":
        return

    def wait_for_end() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os._exit(1)

    threading.Thread(target=wait_for_end, name="parent-watch", daemon=True).start()


@dataclass
class Child:
    """A ``chainproof`` command that runs as long as its parent."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False
    """Whether what it prints, other than its log on standard error, is dropped."""
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    failures: int = 0
    restart_at: float | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "backend.cli", *self.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL if self.silent else None,
            env={**os.environ, **self.environment, PARENT_PIPE: "1"},
            start_new_session=True,  # Ctrl-C reaches the parent alone, which stops the children in order
        )
        self.started_at, self.restart_at = time.monotonic(), None

    def stop(self) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Family:
    """Children that are kept alive until :meth:`stop`."""

    def __init__(self, children: Sequence[Child]) -> None:
        self._children = list(children)
        self._stopping = threading.Event()
        self.failed: Child | None = None
        """The child that could not be started, if that is why the family ended."""

    def start(self) -> None:
        for child in self._children:
            child.start()

    def watch(self) -> None:
        """Keep the children alive until ``stop`` is called or one cannot be started at all."""
        while not self._stopping.wait(0.2):
            for child in self._children:
                self._look_after(child)
            if self.failed:
                break
        self._end()

    def wait_until(self, ready: Callable[[], bool], seconds: float) -> bool:
        """Look after the children until ``ready()`` holds; false when it did not in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self._stopping.wait(0.2):
            for child in self._children:
                self._look_after(child)
            if self.failed:
                return False
            if ready():
                return True
        return False

    def watch_in_background(self) -> None:
        threading.Thread(target=self.watch, name="family", daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()

    def _end(self) -> None:
        for child in reversed(self._children):
            child.stop()

    def stop_and_wait(self) -> None:
        self._stopping.set()
        self._end()

    def _look_after(self, child: Child) -> None:
        assert child.process is not None
        now = time.monotonic()
        if child.restart_at is not None:
            if now >= child.restart_at and not self._stopping.is_set():
                child.start()
            return
        code = child.process.poll()
        if code is None or self._stopping.is_set():
            return
        settled = now - child.started_at >= SETTLED_SECONDS
        child.failures = 1 if settled else child.failures + 1
        if child.failures >= 3:
            log.error("process_cannot_start", name=child.name, exit_code=code)
            self.failed = child
            return
        child.restart_at = now + 2.0 ** (child.failures - 1)
        log.warning(
            "process_died", name=child.name, exit_code=code, restart_in_seconds=child.restart_at - now
        )


def port_is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
