"""One request to an ASGI application, as a server would hand it over, and the answer as it is sent."""

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
    """An answer as it went over the wire."""

    status: int
    raw_headers: list[tuple[bytes, bytes]]
    body: bytes
    reads: int
    """How often the application asked for a piece of the request's body."""
    state: dict[str, Any]
    """What the application noted about the request."""

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode().lower(): value.decode("latin-1") for name, value in self.raw_headers}

    @property
    def text(self) -> bytes:
        """The body, decompressed where it says that it is compressed."""
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
    """``path`` may hold a query; each piece of ``body`` is a message of its own."""
    return asyncio.run(answer_of(app, path, method=method, headers=headers, body=body, client=client))


async def answer_of(
    app: ASGIApp,
    path: str,
    *,
    method: str = "GET",
    headers: Headers = (),
    body: Iterable[bytes] = (b"",),
    client: str = "127.0.0.1",
) -> Answer:
    """The same within a loop that runs already."""
    bare, _, query = path.partition("?")
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    state: dict[str, Any] = {}
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(bare),
        "raw_path": bare.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in pairs],
        "client": (client, 50000),
        "server": ("127.0.0.1", 8000),
        "state": state,
    }
    pieces, sent, reads = list(body), list[Any](), 0

    async def receive() -> dict[str, Any]:
        nonlocal reads
        reads += 1
        if not pieces:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def take(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, take)
    start = next(message for message in sent if message["type"] == "http.response.start")
    whole = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    return Answer(start["status"], list(start["headers"]), whole, reads, state)
