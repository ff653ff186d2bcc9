"""An answer on its way out: what every answer bears, and only one of them."""

from collections.abc import Sequence
from typing import Protocol

from starlette.types import Message, Send

from backend.errors import Rendered
from backend.http.security_headers import Header, completed


class CountedRequest(Protocol):
    """A request that was counted by a rate limit."""

    async def settle(self, status: int) -> "CountedRequest":
        """Charge what an answer of this status costs beyond its request."""
        ...

    def headers(self) -> list[Header]: ...


class Answer:
    """``send`` for what the application says of one request.

    ``status`` is 0 until an answer begins. Once :meth:`instead` has answered, what the application still
    says is dropped.
    """

    def __init__(self, send: Send, defaults: Sequence[Header], own: Sequence[Header], *, bare: bool) -> None:
        """``own`` headers are this request's; ``bare`` leaves out the body, as an answer to HEAD does."""
        self._send = send
        self._defaults = defaults
        self._own = own
        self._bare = bare
        self._replaced = False
        self.counted: CountedRequest | None = None
        """The caller's standing with the rate limit; null if it has none."""
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if not self._replaced:
            await self._pass_on(message)

    async def instead(self, answer: Rendered) -> None:
        """Answer in place of the application, unless it has begun to."""
        if self.status or self._replaced:
            return
        self._replaced = True
        headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
        headers += [
            (b"content-type", answer.content_type.encode()),
            (b"content-length", str(len(answer.body)).encode()),
        ]
        await self._pass_on({"type": "http.response.start", "status": answer.status, "headers": headers})
        await self._pass_on({"type": "http.response.body", "body": answer.body})

    async def _pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = message["headers"] if self.status != 405 else _allowing_head(message["headers"])
            told = completed(headers, self.status, self._defaults)
            limits: Sequence[Header] = ()
            if self.counted is not None:
                self.counted = await self.counted.settle(self.status)
                limits = self.counted.headers()
            message = {**message, "headers": [*told, *self._own, *limits]}
        elif self._bare and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)


def _allowing_head(headers: Sequence[Header]) -> list[Header]:
    """What allows GET allows HEAD: the application knows of the former alone."""

    def told(name: bytes, value: bytes) -> bytes:
        methods = [method.strip() for method in value.split(b",")]
        if name.lower() != b"allow" or b"GET" not in methods or b"HEAD" in methods:
            return value
        return value + b", HEAD"

    return [(name, told(name, value)) for name, value in headers]
