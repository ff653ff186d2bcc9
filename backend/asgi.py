"""What wraps the application: request ids, limits, metrics, the access log, the last resort, the short cut.

Plain ASGI, outside FastAPI, so that it also covers what the framework answers by itself (404, 405,
500). A GET whose answer stands ready is sent from here after its key is judged; anything else, a bad
key included, goes on into the application, which says what is wrong. A HEAD is answered as the GET of
the same path, headers and all, without its body (RFC 9110 section 9.3.2).
"""

import itertools
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol

import structlog
from starlette.exceptions import HTTPException

from backend import errors, metrics
from backend.auth import gate
from backend.auth.principal import CredentialSource
from backend.prepared import Prepared

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

log = structlog.get_logger(__name__)
SANE_ID = re.compile(rb"[A-Za-z0-9._\-]{1,128}")


class ReadyAnswers(Protocol):
    """Where the answers that stand ready are found."""

    def find(self, path: str, query: bytes) -> Prepared | None: ...


class RequestIds:
    """Process-unique, unguessable enough for a log, and cheap: a random prefix and a counter."""

    def __init__(self) -> None:
        self._prefix = secrets.token_hex(8)
        self._numbers = itertools.count(1)

    def take(self, sent: bytes | None) -> bytes:
        if sent is not None and SANE_ID.fullmatch(sent):
            return sent
        return f"{self._prefix}-{next(self._numbers):x}".encode()


class Shell:
    """The outermost layer around the FastAPI application."""

    def __init__(
        self, app: App, *, keyring: CredentialSource, ready: ReadyAnswers, mode: str, body_limit: int
    ) -> None:
        self._app = app
        self._keyring = keyring
        self._ready = ready
        self._body_limit = body_limit
        self._ids = RequestIds()
        # Thousands a second: they are counted in the metrics, and logged only to those who debug.
        self._log_ready = logging.getLogger(__name__).isEnabledFor(logging.DEBUG)
        self._always = [(b"x-data-mode", mode.encode()), (b"x-content-type-options", b"nosniff")]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        sent_id = accept_encoding = if_none_match = None
        for name, value in scope["headers"]:
            if name == b"x-request-id":
                sent_id = value
            elif name == b"accept-encoding":
                accept_encoding = value if accept_encoding is None else accept_encoding + b", " + value
            elif name == b"if-none-match":
                if_none_match = value if if_none_match is None else if_none_match + b", " + value
        request_id = self._ids.take(sent_id)
        method = scope["method"]
        if method == "GET" or method == "HEAD":
            answer = self._ready.find(scope["path"], scope["query_string"])
            if answer is not None and self._may_read(scope["headers"]):
                status, headers, body = answer.answer(accept_encoding, if_none_match)
                await send(
                    {
                        "type": "http.response.start",
                        "status": status,
                        "headers": [*headers, *self._always, (b"x-request-id", request_id)],
                    }
                )
                await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
                metrics.observe(method, scope["path"], status, started)
                if self._log_ready:
                    log.debug(
                        "ready_answer", path=scope["path"], status=status, request_id=request_id.decode()
                    )
                return
        await self._through_the_application(scope, receive, send, request_id, started)

    def _may_read(self, headers: list[tuple[bytes, bytes]]) -> bool:
        try:
            return "read" in gate.authenticate(headers, self._keyring).scopes
        except errors.ServiceError:
            return False

    async def _through_the_application(
        self, scope: Scope, receive: Receive, send: Send, request_id: bytes, started: float
    ) -> None:
        text_id = request_id.decode()
        scope.setdefault("state", {})["request_id"] = text_id
        method, status = scope["method"], 0
        if method == "HEAD":
            # A copy: the server looks at its own scope to know that no body follows the headers.
            scope, send = {**scope, "method": "GET"}, _without_body(send)

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                present = {name for name, _ in message["headers"]}
                extra = [pair for pair in self._always if pair[0] not in present]
                headers = _allowing_head(message["headers"]) if status == 405 else message["headers"]
                message["headers"] = [*headers, *extra, (b"x-request-id", request_id)]
            await send(message)

        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=text_id)
        try:
            await self._app(scope, self._limited(receive), send_with_headers)
        except Exception:
            log.exception("unhandled_error", method=method, path=scope["path"])
            if status == 0:
                await self._last_resort(scope, send_with_headers, text_id)
        finally:
            route = getattr(scope.get("route"), "path", metrics.NO_ROUTE)
            metrics.observe(method, route, status, started)
            log.info(
                "request",
                method=method,
                route=route,
                status=status,
                ms=round((time.perf_counter() - started) * 1000, 1),
                credential=scope["state"].get("credential_id"),
            )

    def _limited(self, receive: Receive) -> Receive:
        """Stop a body at the limit even when its length was not declared."""
        read = 0

        async def limited() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._body_limit:
                # FastAPI turns any other exception raised here into a 400.
                raise HTTPException(413)
            return message

        return limited

    async def _last_resort(self, scope: Scope, send: Send, request_id: str) -> None:
        error = errors.unexpected(request_id)
        answer = errors.render(error, path=scope["path"], request_id=request_id)
        await send(
            {
                "type": "http.response.start",
                "status": 500,
                "headers": [
                    (b"content-type", answer.content_type.encode()),
                    (b"content-length", str(len(answer.body)).encode()),
                ],
            }
        )
        await send({"type": "http.response.body", "body": answer.body})


def _without_body(send: Send) -> Send:
    """``send`` for an answer of headers alone; they say the length that the body would have had."""

    async def bare(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return bare


def _allowing_head(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """What allows GET allows HEAD: the application knows of the former alone."""

    def told(name: bytes, value: bytes) -> bytes:
        methods = [method.strip() for method in value.split(b",")]
        if name.lower() != b"allow" or b"GET" not in methods or b"HEAD" in methods:
            return value
        return value + b", HEAD"

    return [(name, told(name, value)) for name, value in headers]
