"""Limits the size and time of HTTP/1.1 requests and the number of connections in uvicorn's protocol.

uvicorn itself limits neither the size of a head nor the time of a head or body. It waits forever for a client
that does not read its response. It treats trailers as headers and sends refusals in plain text.

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
from backend.http.security_headers import SECURITY_HEADERS
from backend.runtime import metrics

log = structlog.get_logger(__name__)
MAX_HEAD_BYTES, MAX_HEADERS = 64 * 1024, 200
"""Maximum size of request line and headers together, and maximum number of headers."""
HEAD_TIMEOUT_SECONDS, BODY_TIMEOUT_SECONDS = 15.0, 120.0
"""Maximum time of a whole head and of a whole body, so that a slow trickle keeps no connection open."""
DISCARD_TIMEOUT_SECONDS = 10.0
"""Maximum time of the rest of a body that was answered before its end. It is read and thrown away."""
STALL_TIMEOUT_SECONDS = 30.0
"""Maximum time in which a client reads nothing of a waiting response."""
OVER_CONNECTION_LIMIT = "over_connection_limit"
"""Key in the request state; set while there are too many connections."""
UPGRADE_HEADERS = (b"upgrade", b"http2-settings")


class Stage(Enum):
    """The part of a request that arrives next, with its time limit in seconds."""

    NOTHING = None
    HEAD = HEAD_TIMEOUT_SECONDS
    BODY = BODY_TIMEOUT_SECONDS
    DISCARDED_BODY = DISCARD_TIMEOUT_SECONDS


class Protocol(HttpToolsProtocol):
    """One connection. A request to upgrade to WebSocket or HTTP/2 is answered in HTTP/1.1, as RFC 9110
    section 7.8 allows.

    Requests on more than ``max_connections`` connections have
    :data:`OVER_CONNECTION_LIMIT` in their state, so that the application can refuse them itself. More than
    twice as many connections are closed.
    """

    max_connections: ClassVar[int] = 1000
    _ids = RequestIds()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stage = self._timed_stage = Stage.NOTHING
        self._timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None
        self._unused_bytes = self._packet = 0
        self._made_progress = self._is_refused = False
        self._refusal: errors.ServiceError | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._stage = Stage.HEAD
        self._update_timer()
        if len(self.connections) > 2 * self.max_connections:
            metrics.SHED.labels("connections").inc()
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stage = Stage.NOTHING
        self._update_timer()
        self._cancel_stall_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        self._made_progress, self._packet = False, len(data)
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._decline_upgrade(data[upgrade.args[0] :])
            return
        except httptools.HttpParserError:
            self._refuse(self._refusal or errors.BadRequest("The request is not valid HTTP/1.1."))
            return
        if self._stage is not Stage.NOTHING and not self._made_progress:
            self._unused_bytes += len(data)
            if self._unused_bytes > MAX_HEAD_BYTES:
                self._refuse(_build_head_size_error())
                return
        self._update_timer()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if len(self.connections) > self.max_connections:
            self.scope["state"][OVER_CONNECTION_LIMIT] = True
        if self._timer is not None:
            self._cancel_timer()  # each request has its own time limit
        self._stage = Stage.HEAD
        self._unused_bytes, self._made_progress = 0, True

    def on_headers_complete(self) -> None:
        headers, version = self.headers, self.parser.get_http_version()
        if (
            len(headers) > MAX_HEADERS
            or self._unused_bytes + self._packet > MAX_HEAD_BYTES < self._head_bytes()
        ):
            raise self._record_refusal(_build_head_size_error())
        if version not in ("1.0", "1.1"):
            raise self._record_refusal(errors.BadRequest("The service speaks HTTP/1.1 only."))
        hosts = [name for name, _ in headers].count(b"host")
        if hosts > 1 or (not hosts and version == "1.1"):
            raise self._record_refusal(
                errors.BadRequest("The request needs one Host header (RFC 9112, 3.2).")
            )
        self._stage = Stage.BODY
        if self.parser.should_upgrade():
            if self.parser.get_method() == b"CONNECT":
                raise self._record_refusal(
                    errors.BadRequest("The service is not a proxy and does not accept CONNECT.")
                )
            return
        super().on_headers_complete()
        self.headers = []  # collects trailers apart: unknown ones must not be merged (RFC 9110, 6.5.1)

    def on_body(self, body: bytes) -> None:
        self._unused_bytes, self._made_progress = 0, True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._stage = Stage.NOTHING
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._stage is Stage.BODY and self.cycle.response_complete:  # not of the next, pipelined request
            self._stage = Stage.DISCARDED_BODY
            self._update_timer()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        if self.transport.get_write_buffer_size():  # closing waits for an empty buffer
            self.loop.call_later(STALL_TIMEOUT_SECONDS, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_stall_timer()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel_stall_timer()

    def _start_stall_timer(self) -> None:
        unread = self.transport.get_write_buffer_size()
        self._stall_timer = self.loop.call_later(STALL_TIMEOUT_SECONDS, self._abort_if_stalled, unread)

    def _abort_if_stalled(self, unread_before: int) -> None:
        if self.transport.get_write_buffer_size() >= unread_before:
            self.transport.abort()
        else:
            self._start_stall_timer()

    def _cancel_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def _head_bytes(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def _record_refusal(self, refusal: errors.ServiceError) -> errors.ServiceError:
        """Store the error, since the parser hides the exceptions of its callbacks."""
        self._refusal = refusal
        return refusal

    def _decline_upgrade(self, rest: bytes) -> None:
        """Parse the request again without its upgrade headers.

        With them the parser leaves the body to the other protocol and would parse it as the next request.
        """
        remaining_headers = [(name, value) for name, value in self.headers if name not in UPGRADE_HEADERS]
        version = self.parser.get_http_version().encode()
        lines = [b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, version)]
        lines += [b"%s: %s" % pair for pair in remaining_headers]
        self.parser = httptools.HttpRequestParser(self)
        self.data_received(b"\r\n".join([*lines, b"", rest]))

    def _update_timer(self) -> None:
        if self._stage is self._timed_stage:
            return
        self._cancel_timer()
        seconds = self._stage.value
        if seconds is not None:
            self._timed_stage, self._timer = self._stage, self.loop.call_later(seconds, self._expire)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timed_stage, self._timer = Stage.NOTHING, None

    def _expire(self) -> None:
        if self._stage is not Stage.DISCARDED_BODY and self._has_begun_request():
            self._refuse(errors.RequestTimeout("The request did not arrive in time."))
        elif not self.transport.is_closing():
            self.transport.close()

    def _has_begun_request(self) -> bool:
        return self._stage is Stage.BODY or self.headers is not None

    def _refuse(self, error: errors.ServiceError) -> None:
        """Send the error, unless a response has begun already, and close."""
        self._is_refused = True
        cycle = self.cycle
        in_body = self._stage in (Stage.BODY, Stage.DISCARDED_BODY) and cycle is not None and cycle.more_body
        self._stage = Stage.NOTHING
        self._update_timer()
        if in_body:
            if cycle.response_started:
                self.transport.close()
                return
        elif cycle is not None and not cycle.response_complete:
            cycle.keep_alive = False  # the earlier request is answered, then the connection closes
            return
        self.transport.write(self._encode_refusal(error))
        self.transport.close()

    def _encode_refusal(self, error: errors.ServiceError) -> bytes:
        request_id = self._ids.assign(None).decode()
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
            *SECURITY_HEADERS,
        ]
        lines = b"".join(b"%s: %s\r\n" % pair for pair in headers)
        return STATUS_LINE[error.status] + lines + b"\r\n" + answer.body


def build_protocol(max_connections: int) -> type[Protocol]:
    return type("Protocol", (Protocol,), {"max_connections": max_connections})


def _build_head_size_error() -> errors.HeadersTooLarge:
    return errors.HeadersTooLarge(
        f"Request line and headers are over {MAX_HEAD_BYTES} bytes or {MAX_HEADERS} headers. Send less."
    )
