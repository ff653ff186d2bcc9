"""One connection to the HTTP protocol of the service, byte by byte, on a clock of the test's own."""

import asyncio
from typing import Any

from uvicorn.config import Config
from uvicorn.server import ServerState

from backend.http.uvicorn_protocol import Protocol


class Transport(asyncio.Transport):
    """Keeps what is written, and whether the connection was closed."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 50000), "sockname": ("127.0.0.1", 8000)})
        self.written = b""
        self.closed = self.paused = False

    def write(self, data: Any) -> None:
        assert not self.closed, "nothing follows the end of a connection"
        self.written += bytes(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


class App:
    """Reads each request to its end and answers with what it saw of it."""

    def __init__(self) -> None:
        self.scopes: list[Any] = []
        self.bodies: list[bytes | None] = []
        self.gate: asyncio.Event | None = None
        """Where set, answers wait for it."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.bodies.append(None)
                return
            body, more = body + message["body"], message["more_body"]
        self.bodies.append(body)
        if self.gate is not None:
            await self.gate.wait()
        told = b"%s %d" % (scope["path"].encode(), len(body))
        headers = [(b"content-length", str(len(told)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": told})


class Connection:
    def __init__(self) -> None:
        self.now = 0.0
        self.loop = asyncio.new_event_loop()
        self.loop.time = self._time  # type: ignore[method-assign]
        self.app, self.transport = App(), Transport()
        config = Config(self.app, http=Protocol, ws="none", log_config=None)
        self.protocol = Protocol(config, ServerState(), {}, self.loop)
        self.protocol.connection_made(self.transport)

    def send(self, *pieces: bytes) -> bytes:
        """What has been answered once all pieces were read, one after the other."""
        for piece in pieces:
            self.protocol.data_received(piece)
            self.turn()
        return self.transport.written

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.turn()

    def turn(self) -> None:
        """Let all that can happen now happen."""
        for _ in range(8):
            self.loop.call_soon(self.loop.stop)
            self.loop.run_forever()

    def close(self) -> None:
        self.protocol.connection_lost(None)
        self.turn()
        self.loop.close()

    def _time(self) -> float:
        return self.now
