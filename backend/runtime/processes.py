"""Starts, restarts and stops a group of child processes.

A child has the read end of a pipe as its standard input. When the parent ends, for whatever reason, the pipe
closes and the child stops by itself: no child survives a kill -9 of its parent.
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
PARENT_PIPE_VARIABLE = "CHAINPROOF_PARENT_PIPE"
GRACE_SECONDS = 8.0
"""Seconds between SIGTERM and SIGKILL. The next process continues the unfinished work. A complete shutdown
takes less than ten seconds."""
STABLE_SECONDS = 10.0
"""A child that has run this long counts as started and is restarted without limit."""
MAX_START_ATTEMPTS = 3
WRONG_SETTINGS_EXIT_CODE = 2
"""Of a child that a wrong setting stops before it has started. It has said why; trying again is in vain."""
MAX_RESTART_DELAY_SECONDS = 5.0
"""Maximum delay between two starts of a child that keeps dying."""


def stop_with_parent() -> bool:
    """In a child of :class:`ProcessGroup`, stop when the parent ends. Return True in such a child."""
    if (
        os.environ.pop(PARENT_PIPE_VARIABLE, None) != "1"
    ):  # removed, so that its own children do not inherit it
        return False

    def wait_for_parent() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os._exit(1)

    threading.Thread(target=wait_for_parent, name="parent-watch", daemon=True).start()
    return True


def command_line(arguments: Sequence[str]) -> list[str]:
    """Build the command line of a ``chainproof`` command of this installation."""
    return [sys.executable, "-m", "backend.cli", *arguments]


def replace_process(arguments: Sequence[str], *, has_parent: bool) -> NoReturn:
    """Run a ``chainproof`` command in place of this program, under the same process id.

    All threads end at once; files and connections close. ``has_parent`` is the result of
    :func:`stop_with_parent`. Raises ``OSError`` if the program cannot be run.
    """
    pipe = {PARENT_PIPE_VARIABLE: "1"} if has_parent else {}
    os.execve(sys.executable, command_line(arguments), {**os.environ, **pipe})  # noqa: S606 - no shell is needed


class StopRequest:
    """Records whether SIGINT or SIGTERM arrived. For the main thread only.

    It is a plain flag that is polled. A handler that takes a lock, as an event does, can deadlock with the
    code that it interrupts.
    """

    def __init__(self, *callbacks: Callable[[], object]) -> None:
        """``callbacks`` run in the signal handlers and may only set flags."""
        self.is_requested = False
        self._callbacks = callbacks
        for number in STOP_SIGNALS:
            signal.signal(number, self._record)

    def _record(self, *_: object) -> None:
        self.is_requested = True
        for callback in self._callbacks:
            callback()

    def wait(self, seconds: float = math.inf) -> None:
        """Wait for the request, up to ``seconds``."""
        deadline = time.monotonic() + seconds
        while not self.is_requested and time.monotonic() < deadline:
            time.sleep(0.1)

    def force_exit_after(self, seconds: float) -> None:
        """End this process ``seconds`` after the request, even if threads still run."""

        def end() -> None:
            self.wait()
            time.sleep(seconds)
            log.warning("process_exit_forced", after_seconds=seconds)
            os._exit(0)

        threading.Thread(target=end, name="forced-exit", daemon=True).start()


def exit_on_stop_signals() -> None:
    """Exit at once on a stop signal, until a :class:`StopRequest` is created.

    Prints "Stopped." unless this process is a child.

    A handler that raises can do so within a callback of the garbage collector, where Python drops the
    exception and the program continues. A handler that uses ``print`` can interrupt another print. Children
    end with this process, and the database survives a kill at any moment.
    """
    message = b"" if PARENT_PIPE_VARIABLE in os.environ else b"Stopped.\n"

    def end(*_: object) -> None:
        os.write(2, message)
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
    """Whether its standard output is dropped. Its log goes to standard error."""
    required: bool = True
    """Whether the group stops if this child cannot be started. Children that are not required are restarted
    without limit, since a missing database, for example, may come back."""
    descriptors: tuple[int, ...] = ()
    """File descriptors that the child inherits under the same numbers."""
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    is_stable: bool = False
    failures: int = 0
    restart_at: float | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            command_line(self.arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL if self.silent else None,
            env={**os.environ, **self.environment, PARENT_PIPE_VARIABLE: "1"},
            pass_fds=self.descriptors,
            start_new_session=True,  # Ctrl-C reaches only the parent, which stops the children in order
        )
        self.started_at, self.restart_at = time.monotonic(), None

    def terminate(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def wait(self, seconds: float) -> None:
        """Wait until the child has ended; kill it after ``seconds``."""
        if self.process is None:
            return
        try:
            self.process.wait(max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            log.warning("process_killed", name=self.name)
            self.process.kill()
            self.process.wait()


class ProcessGroup:
    """Keeps child processes alive until :meth:`stop`."""

    def __init__(self, children: Sequence[Child]) -> None:
        self._children = list(children)
        self._stopping = False
        self._lifecycle_lock = threading.Lock()
        """Held while children are started or ended, so that no child starts after the end."""
        self.failed: Child | None = None
        """The child that could not be started, if this ended the group."""

    def start(self) -> None:
        with self._lifecycle_lock:
            for child in self._children:
                child.start()

    def watch(self, before_stop: Callable[[], object] = lambda: None) -> None:
        """Keep the children alive until ``stop`` is called or a required child cannot be started.

        After ``stop``, ``before_stop`` is called before the children are stopped; it is not called if a
        required child failed.
        """
        while not self._stopping and not self._restart_dead_children():
            time.sleep(0.1)
        if self.failed is None:
            before_stop()
        self.end()

    def wait_until(self, ready: Callable[[], bool], seconds: float) -> bool:
        """Keep the children alive until ``ready()`` is true; return False if it is not in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self._stopping:
            if self._restart_dead_children():
                return False
            if ready():
                return True
            time.sleep(0.1)
        return False

    def watch_in_background(self) -> None:
        threading.Thread(target=self.watch, name="process-group", daemon=True).start()

    def stop(self) -> None:
        """Let :meth:`watch` end the children. Only sets a flag, so that signal handlers may call it."""
        self._stopping = True

    def end(self) -> None:
        """Stop all children at once and wait for them. It may be called twice."""
        self._stopping = True
        with self._lifecycle_lock:
            deadline = time.monotonic() + GRACE_SECONDS
            for child in self._children:
                child.terminate()
            for child in self._children:
                child.wait(deadline - time.monotonic())

    def _restart_dead_children(self) -> bool:
        """Restart dead children. Returns whether a needed child cannot be started."""
        with self._lifecycle_lock:
            for child in self._children:
                if not self._stopping:
                    self._restart_if_dead(child)
        return self.failed is not None

    def _restart_if_dead(self, child: Child) -> None:
        assert child.process is not None
        now = time.monotonic()
        if child.restart_at is not None:
            if now >= child.restart_at:
                child.start()
            return
        is_stable = now - child.started_at >= STABLE_SECONDS
        child.is_stable |= is_stable
        code = child.process.poll()
        if code is None:
            return
        child.failures = 1 if is_stable else child.failures + 1
        is_hopeless = code == WRONG_SETTINGS_EXIT_CODE or child.failures >= MAX_START_ATTEMPTS
        if child.required and not child.is_stable and is_hopeless:
            if code != WRONG_SETTINGS_EXIT_CODE:
                log.error("process_start_failed", name=child.name, exit_code=code)
            self.failed = child
            return
        delay = min(2.0 ** (child.failures - 1), MAX_RESTART_DELAY_SECONDS)
        child.restart_at = now + delay
        log.warning("process_died", name=child.name, exit_code=code, restart_in_seconds=delay)


def bind_socket(host: str, port: int) -> socket.socket | None:
    """Bind a socket to the address without listening. Returns None if the port is in use.

    Raises ``OSError`` for an address of another machine and for a port that needs root.
    """
    group = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(group, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise
    return bound
