"""Sends one request to an ASGI application as a server would, and returns the raw response."""

import asyncio
import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import orjson
from starlette.types import ASGIApp

Headers = Mapping[str, str] | Iterable[tuple[str, str]]


@dataclass
class Answer:
    """A response as sent over the wire."""

    status: int
    raw_headers: list[tuple[bytes, bytes]]
    body: bytes
    reads: int
    """The number of times that the application read a part of the request body."""
    state: dict[str, Any]
    """The state that the application stored for the request."""

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode().lower(): value.decode("latin-1") for name, value in self.raw_headers}

    @property
    def text(self) -> bytes:
        """The body, decompressed if its encoding is gzip."""
        return gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body

    def json(self) -> Any:
        return orjson.loads(self.text)


def send(
    app: ASGIApp,
    path: str,
    *,
    method: str = "GET",
    headers: Headers = (),
    body: Iterable[bytes] = (b"",),
    client: str = "127.0.0.1",
) -> Answer:
    """Send a request. ``path`` may contain a query; each part of ``body`` is a separate message."""
    return asyncio.run(send_async(app, path, method=method, headers=headers, body=body, client=client))


async def send_async(
    app: ASGIApp,
    path: str,
    *,
    method: str = "GET",
    headers: Headers = (),
    body: Iterable[bytes] = (b"",),
    client: str = "127.0.0.1",
) -> Answer:
    """Send a request within a running event loop."""
    path_only, _, query = path.partition("?")
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    state: dict[str, Any] = {}
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path_only),
        "raw_path": path_only.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in pairs],
        "client": (client, 50000),
        "server": ("127.0.0.1", 8000),
        "state": state,
    }
    parts, messages, reads = list(body), list[Any](), 0

    async def receive() -> dict[str, Any]:
        nonlocal reads
        reads += 1
        if not parts:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def record(message: Any) -> None:
        messages.append(message)

    await app(scope, receive, record)
    start = next(message for message in messages if message["type"] == "http.response.start")
    full_body = b"".join(
        message.get("body", b"") for message in messages if message["type"] == "http.response.body"
    )
    return Answer(start["status"], list(start["headers"]), full_body, reads, state)
