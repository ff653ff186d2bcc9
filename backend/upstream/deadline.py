"""Time limits that hold for a whole exchange.

httpx's own limits are per read, so a peer that sends a byte a second, or trickles its headers, would
hold a thread for as long as it likes; and a name lookup knows no limit at all. Here every operation
on a socket gets what is left of one deadline.
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
ATTEMPTS: Final = 2
"""How many of a name's addresses are tried."""

Clock = Callable[[], float]
Resolver = Callable[..., Any]
"""A stand-in for :func:`socket.getaddrinfo`."""


class Deadline:
    """When the exchange in hand must be over."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    def remaining(self) -> float:
        return max(0.0, self._end - self._clock())

    def within(self, timeout: float | None, error: type[Exception] = TimeoutError) -> float:
        """``timeout`` or what is left, whichever is less; raises ``error`` when nothing is left."""
        left = self.remaining()
        if left <= 0:
            raise error("the time for the whole exchange is over")
        return left if timeout is None else min(left, timeout)


_current: ContextVar[Deadline | None] = ContextVar("deadline of the exchange in hand", default=None)


@contextlib.contextmanager
def until(deadline: Deadline) -> Iterator[Deadline]:
    """Every socket operation of this thread inside the block shares ``deadline``."""
    token = _current.set(deadline)
    try:
        yield deadline
    finally:
        _current.reset(token)


def seconds_left(timeout: float | None, error: type[Exception] = TimeoutError) -> float:
    """``timeout`` or what the exchange in hand has left, whichever is less; raises ``error`` if nothing is
    left. Outside of an exchange it is ``timeout``, up to :data:`READ_SECONDS`.
    """
    deadline = _current.get()
    if deadline is None:
        return READ_SECONDS if timeout is None else min(timeout, READ_SECONDS)
    return deadline.within(timeout, error)


def wait_for_timeout(sleep: Callable[[float], None]) -> NoReturn:
    """Behave as a peer that sends nothing: wait as long as a read may, then raise :class:`TimeoutError`."""
    sleep(seconds_left(READ_SECONDS))
    raise TimeoutError("nothing was sent")


class _BoundedStream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, seconds_left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, seconds_left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        limit = seconds_left(timeout, httpcore.ConnectTimeout)
        return _BoundedStream(self._inner.start_tls(ssl_context, server_hostname, limit))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class BoundedBackend(httpcore.NetworkBackend):
    """Opens connections through ``inner``, sharing the time among the addresses it may try."""

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
        share = seconds_left(None, httpcore.ConnectTimeout) / ATTEMPTS
        limit = share if timeout is None else min(share, timeout)
        return _BoundedStream(self._inner.connect_tcp(host, port, limit, local_address, socket_options))


class ResolvingBackend(httpcore.NetworkBackend):
    """Looks a name up within the deadline and tries its first addresses in turn."""

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
        for answer in answers[:ATTEMPTS]:
            try:
                return self._sockets.connect_tcp(answer[4][0], port, timeout, local_address, options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


_lookups = threading.BoundedSemaphore(32)


def lookup(*arguments: Any) -> Any:
    """:func:`socket.getaddrinfo`, given up when the deadline is over.

    The lookup that was given up ends in a thread of its own; their number is bounded, so that a
    name server that never answers cannot gather threads.
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

    if not _lookups.acquire(timeout=seconds_left(CONNECT_SECONDS)):
        raise TimeoutError("too many name lookups are waiting")
    threading.Thread(target=run, name="name-lookup", daemon=True).start()
    try:
        result = answer.get(timeout=seconds_left(CONNECT_SECONDS))
    except queue.Empty:
        raise TimeoutError("the name lookup took too long") from None
    if isinstance(result, OSError):
        raise result
    return result
