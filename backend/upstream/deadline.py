"""Limits the time of a whole HTTP exchange with one deadline.

The limits of httpx apply to each read, so a peer that sends a byte a second could hold a thread forever.
Name lookups have no limit at all. Here every socket operation gets the remaining time of one deadline.
"""

import contextlib
import queue
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any, Final, NoReturn

import httpcore

CONNECT_SECONDS: Final = 5.0
READ_SECONDS: Final = 8.0
MAX_ADDRESSES: Final = 2
"""The number of a name's addresses to try."""
MAX_LOOKUPS: Final = 32
"""Name lookups that run at the same time."""

Clock = Callable[[], float]
Resolver = Callable[..., Any]
"""Has the signature of :func:`socket.getaddrinfo`."""


class Deadline:
    """The time at which the current exchange must end."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    def remaining(self) -> float:
        return max(0.0, self._end - self._clock())

    def limit(self, timeout: float | None, error: type[Exception] = TimeoutError) -> float:
        """Return the lesser of ``timeout`` and the remaining time. Raises ``error`` if no time remains."""
        remaining = self.remaining()
        if remaining <= 0:
            raise error("the time for the whole exchange is over")
        return remaining if timeout is None else min(remaining, timeout)


_current: ContextVar[Deadline | None] = ContextVar("deadline of the current exchange", default=None)


@contextlib.contextmanager
def use_deadline(deadline: Deadline) -> Iterator[Deadline]:
    """Apply ``deadline`` to every socket operation of this thread within the block."""
    token = _current.set(deadline)
    try:
        yield deadline
    finally:
        _current.reset(token)


def limit_timeout(timeout: float | None, error: type[Exception] = TimeoutError) -> float:
    """Return the lesser of ``timeout`` and the remaining time of the current exchange.

    Raises ``error`` if no time remains. Outside an exchange it is ``timeout``, at most :data:`READ_SECONDS`.
    """
    deadline = _current.get()
    if deadline is None:
        return READ_SECONDS if timeout is None else min(timeout, READ_SECONDS)
    return deadline.limit(timeout, error)


def wait_for_timeout(sleep: Callable[[float], None]) -> NoReturn:
    """Simulate a peer that sends nothing: wait for the read timeout, then raise :class:`TimeoutError`."""
    sleep(limit_timeout(READ_SECONDS))
    raise TimeoutError("nothing was sent")


class _BoundedStream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, limit_timeout(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, limit_timeout(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        limit = limit_timeout(timeout, httpcore.ConnectTimeout)
        return _BoundedStream(self._inner.start_tls(ssl_context, server_hostname, limit))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class BoundedBackend(httpcore.NetworkBackend):
    """Opens connections through ``inner``, and divides the time among the addresses to try."""

    def __init__(self, inner: httpcore.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        share = limit_timeout(None, httpcore.ConnectTimeout) / MAX_ADDRESSES
        limit = share if timeout is None else min(share, timeout)
        return _BoundedStream(self._inner.connect_tcp(host, port, limit, local_address, socket_options))


class ResolvingBackend(httpcore.NetworkBackend):
    """Looks up a name within the deadline and tries its first addresses in order."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        options = list(socket_options or ())
        try:
            answers = self._resolver(host, port, 0, socket.SOCK_STREAM, 0, 0)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        failure: Exception = httpcore.ConnectError("the name resolves to no address")
        for answer in answers[:MAX_ADDRESSES]:
            try:
                return self._sockets.connect_tcp(answer[4][0], port, timeout, local_address, options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


_lookups = threading.BoundedSemaphore(MAX_LOOKUPS)


def resolve_host(*arguments: Any) -> Any:
    """Call :func:`socket.getaddrinfo`, and give up at the deadline.

    An abandoned lookup ends in its own thread. The number of such threads is limited, so that a dead name
    server cannot accumulate them.
    """
    answer: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def run() -> None:
        try:
            answer.put(socket.getaddrinfo(*arguments))
        except UnicodeError:
            answer.put(socket.gaierror(socket.EAI_NONAME, "not a usable name"))
        except OSError as error:
            answer.put(error)
        finally:
            _lookups.release()

    if not _lookups.acquire(timeout=limit_timeout(CONNECT_SECONDS)):
        raise TimeoutError("too many name lookups are waiting")
    threading.Thread(target=run, name="name-lookup", daemon=True).start()
    try:
        result = answer.get(timeout=limit_timeout(CONNECT_SECONDS))
    except queue.Empty:
        raise TimeoutError("the name lookup took too long") from None
    if isinstance(result, OSError):
        raise result
    return result
