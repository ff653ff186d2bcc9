"""Drives one connection to the service's HTTP protocol byte by byte, with a manual clock."""

import asyncio
from typing import Any

from uvicorn.config import Config
from uvicorn.server import ServerState

from backend.http.uvicorn_protocol import Protocol


class Transport(asyncio.Transport):
    """Records the written bytes and whether the connection was closed."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 50000), "sockname": ("127.0.0.1", 8000)})
        self.written = b""
        self.closed = self.paused = False

    def write(self, data: Any) -> None:
        assert not self.closed, "nothing is written after the end of a connection"
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
    """Reads each request to its end and answers with its path and size."""

    def __init__(self) -> None:
        self.scopes: list[Any] = []
        self.bodies: list[bytes | None] = []
        self.gate: asyncio.Event | None = None
        """If set, responses wait for it."""
        self.reads_body = True
        """If false, each request is answered before its body arrives."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        body, more = b"", self.reads_body
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.bodies.append(None)
                return
            body, more = body + message["body"], message["more_body"]
        self.bodies.append(body)
        if self.gate is not None:
            await self.gate.wait()
        text = b"%s %d" % (scope["path"].encode(), len(body))
        headers = [(b"content-length", str(len(text)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": text})


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
        """Send the pieces one by one; returns the complete output so far."""
        for piece in pieces:
            self.protocol.data_received(piece)
            self.run_pending()
        return self.transport.written

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.run_pending()

    def run_pending(self) -> None:
        """Run all pending callbacks."""
        for _ in range(8):
            self.loop.call_soon(self.loop.stop)
            self.loop.run_forever()

    def close(self) -> None:
        self.protocol.connection_lost(None)
        self.run_pending()
        self.loop.close()

    def _time(self) -> float:
        return self.now
