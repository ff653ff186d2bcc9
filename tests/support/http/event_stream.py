"""Calls an ASGI application as a client that stays connected: reads event streams, waits for responses."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

import orjson

from tests.support.waiting import LIMIT_SECONDS


class OpenStream:
    """One open response. ``status`` and ``headers`` are those of its start."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.has_begun, self.gone = asyncio.Event(), asyncio.Event()
        self._text = ""

    async def next_event(self) -> dict[str, str] | None:
        """Return the fields of the next event; None at the end of the stream."""
        while True:
            block, separator, rest = self._text.partition("\n\n")
            if separator:
                self._text = rest
                fields = dict(line.split(": ", 1) for line in block.split("\n"))
                if "data" in fields:
                    return fields
                continue
            message = await self.messages.get()
            self._text += message.get("body", b"").decode()
            if not message.get("more_body", False):
                return None

    async def read_json(self) -> Any:
        """Return the whole body, parsed."""
        body, more = b"", True
        while more:
            message = await self.messages.get()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        return orjson.loads(body)


@asynccontextmanager
async def open_stream(app: Any, path: str, headers: Mapping[str, str]) -> AsyncIterator[OpenStream]:
    """Send a GET that accepts events; yields at the start of the response."""
    async with open_request(app, path, {"accept": "text/event-stream", **headers}) as stream:
        await stream.has_begun.wait()
        yield stream


@asynccontextmanager
async def open_request(
    app: Any, path: str, headers: Mapping[str, str], *, method: str = "GET", body: bytes = b""
) -> AsyncIterator[OpenStream]:
    """Send a request; the client disconnects at the end of the block."""
    path_only, _, query = path.partition("?")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path_only,
        "raw_path": path_only.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }
    stream, parts = OpenStream(), [{"type": "http.request", "body": body}]

    async def receive() -> dict[str, Any]:
        if parts:
            return parts.pop()
        await stream.gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            stream.status = message["status"]
            stream.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            stream.has_begun.set()
        else:
            stream.messages.put_nowait(message)

    task = asyncio.ensure_future(app(scope, receive, send))
    yield stream
    stream.gone.set()
    await task


def run_bounded(test: Coroutine[Any, Any, None]) -> None:
    """Run a test that must not hang."""

    async def bounded() -> None:
        async with asyncio.timeout(LIMIT_SECONDS):
            await test

    asyncio.run(bounded())
