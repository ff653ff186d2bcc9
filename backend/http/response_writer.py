"""Adds the common headers to a response and lets a request have one response only."""

from collections.abc import Sequence
from typing import Protocol

from starlette.types import Message, Send

from backend.errors import RenderedError
from backend.http.security_headers import Header, add_default_headers


class RateLimited(Protocol):
    """A request that a rate limit counted."""

    async def charge(self, http_status: int) -> "RateLimited":
        """Charge the extra cost of a response with this status."""
        ...

    def headers(self) -> list[Header]: ...


class ResponseWriter:
    """The ASGI ``send`` of one request.

    ``status`` is 0 until a response begins. After :meth:`replace_with` has sent a response, the messages of
    the application are dropped.
    """

    def __init__(
        self, send: Send, defaults: Sequence[Header], request_headers: Sequence[Header], *, omit_body: bool
    ) -> None:
        """``request_headers`` are the headers of this request alone. ``omit_body`` is for HEAD."""
        self._send = send
        self._defaults = defaults
        self._own = request_headers
        self._omit_body = omit_body
        self._replaced = False
        self.counted: RateLimited | None = None
        """The request as the rate limit counted it; None if it was not counted."""
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if not self._replaced:
            await self._forward(message)

    async def replace_with(self, answer: RenderedError) -> None:
        """Send ``answer`` in place of the application's response, unless that has begun."""
        if self.status or self._replaced:
            return
        self._replaced = True
        headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
        headers += [
            (b"content-type", answer.content_type.encode()),
            (b"content-length", str(len(answer.body)).encode()),
        ]
        await self._forward({"type": "http.response.start", "status": answer.status, "headers": headers})
        await self._forward({"type": "http.response.body", "body": answer.body})

    async def _forward(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = message["headers"] if self.status != 405 else _allow_head(message["headers"])
            completed = add_default_headers(headers, self.status, self._defaults)
            limits: Sequence[Header] = ()
            if self.counted is not None:
                self.counted = await self.counted.charge(self.status)
                limits = self.counted.headers()
            message = {**message, "headers": [*completed, *self._own, *limits]}
        elif self._omit_body and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)


def _allow_head(headers: Sequence[Header]) -> list[Header]:
    """Add HEAD to ``Allow`` where it has GET: the application declares GET alone."""

    def complete(name: bytes, value: bytes) -> bytes:
        methods = [method.strip() for method in value.split(b",")]
        if name.lower() != b"allow" or b"GET" not in methods or b"HEAD" in methods:
            return value
        return value + b", HEAD"

    return [(name, complete(name, value)) for name, value in headers]
