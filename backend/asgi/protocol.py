"""A connection to the service: how many there may be, whose turn it is, how long a reader may take nothing.

uvicorn counts connections, but answers each above its limit in plain text, ``/healthz`` too; here the
application is told, and says it in its own words. And it waits for ever for a reader that takes nothing.
"""

from asyncio import Transport
from asyncio.events import TimerHandle
from typing import Any, ClassVar

from backend.asgi.http_protocol import Protocol
from backend.asgi.turns import PIECE, Turns

STALL_SECONDS = 30.0
"""In which a reader takes something of its answer."""
CROWDED = "crowded"


class BoundedProtocol(Protocol):
    """A connection; when there are more than ``most_connections``, its requests say so in their state."""

    most_connections: ClassVar[int] = 1000
    turns: ClassVar[Turns] = Turns()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._stall_timer: TimerHandle | None = None
        self._waiting = b""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > 2 * self.most_connections:
            transport.abort()  # one more would cost what is left for those who ask /healthz

    def connection_lost(self, exc: Exception | None) -> None:
        self._waiting = b""
        self._end_stall_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._waiting:
            self._waiting += data
            self.flow.pause_reading()  # it would be read into memory for as long as the turn does not come
            return
        self._waiting = data
        if self.turns.take() or self.turns.take_first(data):
            self._read_waiting()
        else:
            self._unset_keepalive_if_required()
            self.turns.wait(self._read_waiting)

    def _read_waiting(self) -> None:
        """Read a piece of what waited for this connection's turn; nothing where the connection ends."""
        if self.transport.is_closing():
            self._waiting = b""
            return
        piece, self._waiting = self._waiting[:PIECE], self._waiting[PIECE:]
        if self._waiting:
            self.flow.pause_reading()
            self.turns.wait(self._read_waiting)
        elif piece:
            self.flow.resume_reading()
        if piece:
            super().data_received(piece)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if len(self.connections) > self.most_connections:
            self.scope["state"][CROWDED] = True

    def _expire(self) -> None:
        if self._waiting:  # for its turn: it came in time
            self._stop_clock()
            self._keep_time()
        else:
            super()._expire()

    def timeout_keep_alive_handler(self) -> None:
        if self._waiting:
            return
        super().timeout_keep_alive_handler()
        if self.transport.get_write_buffer_size():  # which closing waits for
            self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._end_stall_timer()

    def _watch_reader(self) -> None:
        self._stall_timer = self.loop.call_later(
            STALL_SECONDS, self._end_if_stalled, self.transport.get_write_buffer_size()
        )

    def _end_if_stalled(self, before: int) -> None:
        if self.transport.get_write_buffer_size() >= before:
            self.transport.abort()
        else:
            self._watch_reader()

    def _end_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None


def bounded(most_connections: int) -> type[BoundedProtocol]:
    return type("Protocol", (BoundedProtocol,), {"most_connections": most_connections, "turns": Turns()})
