"""Several processes run as one: started together, restarted when they die, stopped together.

A child holds the read end of a pipe as its standard input. When the parent is gone, however it
went, the pipe closes and the child stops by itself: no process outlives a kill -9 of its parent.
"""

import contextlib
import errno
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import structlog

log = structlog.get_logger(__name__)

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
PARENT_PIPE = "CHAINPROOF_PARENT_PIPE"
GRACE_SECONDS = 8.0
"""How long a process may take to stop after SIGTERM before it is killed. What it leaves undone is
taken up by the next one; a stop as a whole stays below ten seconds."""
SETTLED_SECONDS = 10.0
"""A child that lived this long had started well; it is never given up."""
ATTEMPTS = 3
LONGEST_PAUSE = 5.0
"""Seconds between two starts of a child that dies again and again."""


def stop_with_parent() -> bool:
    """In a child of :class:`Family`: end this process when the parent has gone. Gives whether it is one."""
    if os.environ.pop(PARENT_PIPE, None) != "1":  # not for children of its own that know no pipe
        return False

    def wait_for_end() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os._exit(1)

    threading.Thread(target=wait_for_end, name="parent-watch", daemon=True).start()
    return True


def command_line(arguments: Sequence[str]) -> list[str]:
    """A ``chainproof`` command of this installation."""
    return [sys.executable, "-m", "backend.cli", *arguments]


def replace_process(arguments: Sequence[str], *, has_parent: bool) -> NoReturn:
    """Run a ``chainproof`` command in place of this program, under the same process id.

    All threads end at once, wherever they are; files and connections close. ``has_parent`` is what
    :func:`stop_with_parent` gave. Raises ``OSError`` where the program cannot be run.
    """
    pipe = {PARENT_PIPE: "1"} if has_parent else {}
    os.execve(sys.executable, command_line(arguments), {**os.environ, **pipe})  # noqa: S606 - no shell is needed


class StopRequest:
    """Whether SIGINT or SIGTERM came since it was made. For the main thread alone.

    A plain flag that is looked at: a handler that takes a lock, as an event does, can deadlock with
    the very code that it interrupts.
    """

    def __init__(self, *then: Callable[[], object]) -> None:
        """``then`` are called in the handlers: they may set flags and no more."""
        self.came = False
        self._then = then
        for number in STOP_SIGNALS:
            signal.signal(number, self._note)

    def _note(self, *_: object) -> None:
        self.came = True
        for call in self._then:
            call()

    def wait(self, seconds: float = math.inf) -> None:
        """Until it came, or for so many seconds."""
        deadline = time.monotonic() + seconds
        while not self.came and time.monotonic() < deadline:
            time.sleep(0.1)

    def end_within(self, seconds: float) -> None:
        """So long after the request end this process, whatever its threads still wait for."""

        def end() -> None:
            self.wait()
            time.sleep(seconds)
            log.warning("stopped_before_all_was_done", after_seconds=seconds)
            os._exit(0)

        threading.Thread(target=end, name="end-within", daemon=True).start()


def exit_on_stop_signals() -> None:
    """Until there is a :class:`StopRequest`: end where the program stands. Says so unless it is a child.

    A handler that raises may do so within a callback of the garbage collector, where Python drops the
    exception and the program goes on; one that prints may interrupt what prints. Children end with this
    process, and the store outlives a kill at any moment.
    """
    words = b"" if PARENT_PIPE in os.environ else b"Stopped.\n"

    def end(*_: object) -> None:
        os.write(2, words)
        os._exit(0)

    for number in STOP_SIGNALS:
        signal.signal(number, end)


@dataclass
class Child:
    """A ``chainproof`` command that runs as long as its parent."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False
    """Whether what it prints, other than its log on standard error, is dropped."""
    needed: bool = True
    """Whether the family ends when this child cannot be started. One that is not needed is tried
    for ever: what it lacks, such as a database, may come back."""
    descriptors: tuple[int, ...] = ()
    """Open files that it gets too, under the same numbers."""
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    settled: bool = False
    failures: int = 0
    restart_at: float | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            command_line(self.arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL if self.silent else None,
            env={**os.environ, **self.environment, PARENT_PIPE: "1"},
            pass_fds=self.descriptors,
            start_new_session=True,  # Ctrl-C reaches the parent alone, which stops the children in order
        )
        self.started_at, self.restart_at = time.monotonic(), None

    def terminate(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def wait(self, seconds: float) -> None:
        """Until it has ended; after so many seconds it is killed."""
        if self.process is None:
            return
        try:
            self.process.wait(max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            log.warning("process_killed_since_it_did_not_stop", name=self.name)
            self.process.kill()
            self.process.wait()


class Family:
    """Children that are kept alive until :meth:`stop`."""

    def __init__(self, children: Sequence[Child]) -> None:
        self._children = list(children)
        self._stopping = False
        self._changing = threading.Lock()
        """Held where children are started or ended, so that none is started after the end."""
        self.failed: Child | None = None
        """The child that could not be started, if that is why the family ended."""

    def start(self) -> None:
        with self._changing:
            for child in self._children:
                child.start()

    def watch(self, before_end: Callable[[], object] = lambda: None) -> None:
        """Keep the children alive until ``stop`` is called, at which ``before_end`` is called, or one cannot
        be started at all."""
        while not self._stopping and not self._look_after_all():
            time.sleep(0.1)
        if self.failed is None:
            before_end()
        self.end()

    def wait_until(self, ready: Callable[[], bool], seconds: float) -> bool:
        """Look after the children until ``ready()`` holds; false when it did not in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self._stopping:
            if self._look_after_all():
                return False
            if ready():
                return True
            time.sleep(0.1)
        return False

    def watch_in_background(self) -> None:
        threading.Thread(target=self.watch, name="family", daemon=True).start()

    def stop(self) -> None:
        """Have whoever watches end the children. Only sets a flag: a signal handler may call it."""
        self._stopping = True

    def end(self) -> None:
        """Stop all children at once and wait for them. Twice is once."""
        self._stopping = True
        with self._changing:
            deadline = time.monotonic() + GRACE_SECONDS
            for child in self._children:
                child.terminate()
            for child in self._children:
                child.wait(deadline - time.monotonic())

    def _look_after_all(self) -> bool:
        """Whether a child that is needed cannot be started."""
        with self._changing:
            for child in self._children:
                if not self._stopping:
                    self._look_after(child)
        return self.failed is not None

    def _look_after(self, child: Child) -> None:
        assert child.process is not None
        now = time.monotonic()
        if child.restart_at is not None:
            if now >= child.restart_at:
                child.start()
            return
        settled = now - child.started_at >= SETTLED_SECONDS
        child.settled |= settled
        code = child.process.poll()
        if code is None:
            return
        child.failures = 1 if settled else child.failures + 1
        if child.needed and not child.settled and child.failures >= ATTEMPTS:
            log.error("process_cannot_start", name=child.name, exit_code=code)
            self.failed = child
            return
        pause = min(2.0 ** (child.failures - 1), LONGEST_PAUSE)
        child.restart_at = now + pause
        log.warning("process_died", name=child.name, exit_code=code, restart_in_seconds=pause)


def bound_socket(host: str, port: int) -> socket.socket | None:
    """A socket bound to the address, on which nobody listens yet; null when the port is in use.

    Raises the ``OSError`` of an address that is not of this machine, or of a port that is for root.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise
    return bound
