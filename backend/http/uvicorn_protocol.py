"""Limits the size and the time of HTTP/1.1 requests, and the number of connections, in uvicorn's protocol.

uvicorn alone sets no limit on the size of a head or on the time of a head or body. It waits without end for
a client that does not read its answer. It takes trailers for headers, and refuses in plain text.

This is the only module that uses private members of uvicorn. ``pyproject.toml`` pins uvicorn to a minor
version, and a test compares the members that this module relies on with those of the installed version.
"""

import asyncio
from enum import Enum
from typing import Any, ClassVar

import httptools
import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from backend import errors
from backend.http.request_ids import RequestIds
from backend.http.security_headers import SAFE
from backend.runtime import metrics

log = structlog.get_logger(__name__)
HEAD_BYTES, HEAD_LINES = 64 * 1024, 200
"""The most that stands before a body: request line and headers together, and how many of those."""
HEAD_SECONDS, BODY_SECONDS = 15.0, 120.0
"""How long a head and a body may take to arrive, each as a whole: a trickle keeps no connection open."""
STALL_SECONDS = 30.0
"""How long a client may leave a waiting answer unread."""
CROWDED = "crowded"
"""The key in a request's state that says that there are too many connections."""
ASKS_FOR_ANOTHER = (b"upgrade", b"http2-settings")


class Stage(Enum):
    """What of a request is awaited next."""

    NOTHING = None
    HEAD = HEAD_SECONDS
    BODY = BODY_SECONDS


class Protocol(HttpToolsProtocol):
    """One connection. A request for another protocol (WebSocket, HTTP/2) is answered in HTTP/1.1, as RFC 9110
    section 7.8 allows.

    Requests on more than ``max_connections`` connections have :data:`CROWDED` in their state, so that the
    application can refuse them in its own words. More than twice as many connections are closed.
    """

    max_connections: ClassVar[int] = 1000
    _ids = RequestIds()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._stage = self._timed = Stage.NOTHING
        self._timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None
        self._unused_bytes = self._packet = 0
        self._began_now = self._is_over = False
        self._refusal: errors.ServiceError | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._stage = Stage.HEAD
        self._keep_time()
        if len(self.connections) > 2 * self.max_connections:
            metrics.SHED.labels("connections").inc()
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stage = Stage.NOTHING
        self._keep_time()
        self._end_stall_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_over:
            return
        self._began_now, self._packet = False, len(data)
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._decline_upgrade(data[upgrade.args[0] :])
            return
        except httptools.HttpParserError:
            self._refuse(self._refusal or errors.BadRequest("The request is not valid HTTP/1.1."))
            return
        if self._stage is not Stage.NOTHING and not self._began_now:
            self._unused_bytes += len(data)
            if self._unused_bytes > HEAD_BYTES:
                self._refuse(_too_large())
                return
        self._keep_time()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if len(self.connections) > self.max_connections:
            self.scope["state"][CROWDED] = True
        if self._timer is not None:
            self._stop_clock()  # each request has its own time
        self._stage = Stage.HEAD
        self._unused_bytes, self._began_now = 0, True

    def on_headers_complete(self) -> None:
        headers, version = self.headers, self.parser.get_http_version()
        if len(headers) > HEAD_LINES or self._unused_bytes + self._packet > HEAD_BYTES < self._head_bytes():
            raise self._because(_too_large())
        if version not in ("1.0", "1.1"):
            raise self._because(errors.BadRequest("This speaks HTTP/1.1."))
        hosts = [name for name, _ in headers].count(b"host")
        if hosts > 1 or (not hosts and version == "1.1"):
            raise self._because(errors.BadRequest("The request needs one Host header (RFC 9112, 3.2)."))
        self._stage = Stage.BODY
        if self.parser.should_upgrade():
            if self.parser.get_method() == b"CONNECT":
                raise self._because(errors.BadRequest("This is no proxy: it does not take CONNECT."))
            return
        super().on_headers_complete()
        self.headers = []  # for trailers: none is defined here, so none may be merged (RFC 9110, 6.5.1)

    def on_body(self, body: bytes) -> None:
        self._unused_bytes, self._began_now = 0, True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._stage = Stage.NOTHING
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        if self.transport.get_write_buffer_size():  # closing waits until it is empty
            self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_stall_timer()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._end_stall_timer()

    def _start_stall_timer(self) -> None:
        unread = self.transport.get_write_buffer_size()
        self._stall_timer = self.loop.call_later(STALL_SECONDS, self._abort_if_stalled, unread)

    def _abort_if_stalled(self, unread_before: int) -> None:
        if self.transport.get_write_buffer_size() >= unread_before:
            self.transport.abort()
        else:
            self._start_stall_timer()

    def _end_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def _head_bytes(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def _because(self, refusal: errors.ServiceError) -> errors.ServiceError:
        """Keep the reason: the parser hides what its callbacks raise."""
        self._refusal = refusal
        return refusal

    def _decline_upgrade(self, rest: bytes) -> None:
        """Read the request as if it had not asked: the parser leaves the body of one that did for the
        other protocol, and would take it for the next request."""
        kept = [(name, value) for name, value in self.headers if name not in ASKS_FOR_ANOTHER]
        version = self.parser.get_http_version().encode()
        lines = [b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, version)]
        lines += [b"%s: %s" % pair for pair in kept]
        self.parser = httptools.HttpRequestParser(self)
        self.data_received(b"\r\n".join([*lines, b"", rest]))

    def _keep_time(self) -> None:
        if self._stage is self._timed:
            return
        self._stop_clock()
        seconds = self._stage.value
        if seconds is not None:
            self._timed, self._timer = self._stage, self.loop.call_later(seconds, self._expire)

    def _stop_clock(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timed, self._timer = Stage.NOTHING, None

    def _expire(self) -> None:
        if self._began_a_request():
            self._refuse(errors.RequestTimeout("The request did not arrive in time."))
        elif not self.transport.is_closing():
            self.transport.close()

    def _began_a_request(self) -> bool:
        return self._stage is Stage.BODY or self.headers is not None

    def _refuse(self, error: errors.ServiceError) -> None:
        """Say why, unless an answer is on its way already, and close."""
        self._is_over = True
        cycle = self.cycle
        in_its_body = self._stage is Stage.BODY and cycle is not None and cycle.more_body
        self._stage = Stage.NOTHING
        self._keep_time()
        if in_its_body:
            if cycle.response_started:
                self.transport.close()
                return
        elif cycle is not None and not cycle.response_complete:
            cycle.keep_alive = False  # what came before is answered, then the connection ends
            return
        self.transport.write(self._written(error))
        self.transport.close()

    def _written(self, error: errors.ServiceError) -> bytes:
        request_id = self._ids.take(None).decode()
        target = (self.url or b"" if self.headers is not None else b"").decode("latin-1")
        answer = errors.render(error, path=target.partition("?")[0], request_id=request_id)
        metrics.REQUESTS.labels("(unread)", metrics.NO_ROUTE, str(error.status)).inc()
        log.info("request_refused", status=error.status, code=error.code, request_id=request_id)
        headers = [
            *self.server_state.default_headers,
            (b"content-type", answer.content_type.encode()),
            (b"content-length", str(len(answer.body)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-request-id", request_id.encode()),
            (b"connection", b"close"),
            *SAFE,
        ]
        lines = b"".join(b"%s: %s\r\n" % pair for pair in headers)
        return STATUS_LINE[error.status] + lines + b"\r\n" + answer.body


def protocol_for(max_connections: int) -> type[Protocol]:
    return type("Protocol", (Protocol,), {"max_connections": max_connections})


def _too_large() -> errors.HeadersTooLarge:
    return errors.HeadersTooLarge(
        f"What stands before the body is over {HEAD_BYTES} bytes or {HEAD_LINES} headers. Send less."
    )
