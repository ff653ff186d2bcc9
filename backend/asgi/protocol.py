"""HTTP/1.1 on one connection, as uvicorn speaks it, with bounds that it lacks.

uvicorn waits for ever for a request's first bytes and for the end of its headers, keeps headers of any
length, and waits for ever for a reader that takes nothing. It counts connections, but answers each above
its limit in plain text, ``/healthz`` too; here the application is told, and says it in its own words.
"""

import secrets
from asyncio import Transport
from asyncio.events import TimerHandle
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from backend import errors
from backend.asgi.security_headers import SAFE

HEADER_SECONDS = 10.0
"""From the first byte of a request, or from the connection, to the end of its headers."""
HEADER_BYTES = 64 * 1024
STALL_SECONDS = 30.0
"""In which a reader takes something of its answer."""
CROWDED = "crowded"


class BoundedProtocol(HttpToolsProtocol):
    """A connection; when there are more than ``most_connections``, its requests say so in their state."""

    most_connections: ClassVar[int] = 1000

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._in_headers = False
        self._header_bytes = 0
        self._header_timer: TimerHandle | None = None
        self._stall_timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > 2 * self.most_connections:
            transport.abort()  # one more would cost what is left for those who ask /healthz
        else:
            self._header_timer = self.loop.call_later(HEADER_SECONDS, transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_header_timer()
        self._end_stall_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        were_headers = self._in_headers
        super().data_received(data)
        if not self._awaits_headers():
            if self._header_timer is not None:
                self._end_header_timer()
            return
        if self._header_timer is None:
            self._header_timer = self.loop.call_later(HEADER_SECONDS, self.transport.close)
        self._header_bytes = self._header_bytes + len(data) if were_headers else 0
        if self._header_bytes > HEADER_BYTES and not self.transport.is_closing():
            self._refuse(errors.HeadersTooLarge(f"The headers are over the limit of {HEADER_BYTES} bytes."))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_headers = True
        if len(self.connections) > self.most_connections:
            self.scope["state"][CROWDED] = True

    def on_headers_complete(self) -> None:
        self._in_headers = False
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(errors.BadRequest("This is not a request in HTTP/1.1."))

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        if self.transport.get_write_buffer_size():  # which closing waits for
            self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._end_stall_timer()

    def _awaits_headers(self) -> bool:
        """Whether the sender owes headers: their rest, or those of a first or next request.

        The rest of a body whose request was answered already is owed too, but nobody waits for it.
        """
        answered = self.cycle is None or self.cycle.response_complete
        return self._in_headers or (answered and self.timeout_keep_alive_task is None)

    def _watch_reader(self) -> None:
        self._stall_timer = self.loop.call_later(
            STALL_SECONDS, self._end_if_stalled, self.transport.get_write_buffer_size()
        )

    def _end_if_stalled(self, before: int) -> None:
        if self.transport.get_write_buffer_size() >= before:
            self.transport.abort()
        else:
            self._watch_reader()

    def _end_header_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _end_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def _refuse(self, error: errors.ServiceError) -> None:
        """Answer what no application is asked for, and end the connection."""
        request_id = secrets.token_hex(8)
        answer = errors.render(error, path="", request_id=request_id)
        headers = (
            (b"content-type", answer.content_type.encode()),
            (b"content-length", str(len(answer.body)).encode()),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
            (b"x-request-id", request_id.encode()),
            *SAFE,
        )
        lines = b"".join(name + b": " + value + b"\r\n" for name, value in headers)
        self.transport.write(STATUS_LINE[answer.status] + lines + b"\r\n" + answer.body)
        self.transport.close()


def bounded(most_connections: int) -> type[BoundedProtocol]:
    return type("Protocol", (BoundedProtocol,), {"most_connections": most_connections})
