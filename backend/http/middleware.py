"""The outermost layer: request ids, limits, metrics, the access log, the last resort, the short cut.

Plain ASGI, outside FastAPI, so that it also covers what the framework answers by itself (404, 405,
500). A GET whose answer stands ready is sent from here after its key is judged; anything else, a bad
key included, goes on into the application, which says what is wrong. A HEAD is answered as the GET of
the same path, headers and all, without its body (RFC 9110 section 9.3.2).
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from backend import errors
from backend.http.client_address import Caller, counted_as, is_on_this_machine
from backend.http.limits.body_limits import Body
from backend.http.limits.load_shedding import Load, Pace
from backend.http.limits.request_timeout import TimeLimit
from backend.http.prepared_responses import Prepared
from backend.http.request_ids import RequestIds
from backend.http.response_writer import Answer
from backend.http.security_headers import Header, always
from backend.http.uvicorn_protocol import CROWDED
from backend.runtime import metrics

if TYPE_CHECKING:  # rate limits are off by default, and their library takes long to load
    from backend.http.limits.rate_limiter import Limiter

log = structlog.get_logger(__name__)

ALWAYS_ANSWERED = frozenset({"/healthz", "/readyz", "/metrics"})
"""Whoever runs the service asks these, and most of all when it has too much to do."""


class Authenticate(Protocol):
    """Finds the caller by the headers of a request. Raises :class:`backend.errors.Unauthorized`."""

    def __call__(self, headers: Sequence[Header], *, terminal: bool = False) -> Caller: ...


class ReadyAnswers(Protocol):
    """Where the answers that stand ready are found."""

    def find(self, path: str, query: bytes) -> Prepared | None: ...


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a process takes in: bytes of a body, seconds of a request, requests at once."""

    body: int
    seconds: float = 60.0
    load: Load = field(default_factory=lambda: Load(64))
    limiter: "Limiter | None" = None
    """Null where callers may ask as often as they like."""


class Shell:
    """The outermost layer around the FastAPI application.

    ``https`` says that the public address of the service is one of https.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        authenticate: Authenticate,
        ready: ReadyAnswers,
        mode: str,
        bounds: Bounds,
        https: bool = False,
    ) -> None:
        self.inner = app
        self._authenticate = authenticate
        self._ready = ready
        self._bounds = bounds
        self._limiter = bounds.limiter
        self._aside = Load(bounds.load.most_requests)
        self._ids = RequestIds()
        self._pace = Pace()
        # Thousands a second: they are counted in the metrics, and logged only to those who debug.
        self._log_ready = logging.getLogger(__name__).isEnabledFor(logging.DEBUG)
        self._always = always(mode, https=https)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
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
        scope.setdefault("state", {})  # not every server brings one
        if method == "GET" or method == "HEAD":
            ready = self._ready.find(scope["path"], scope["query_string"])
            reader = None if ready is None else self._reader(scope["headers"])
            if ready is not None and reader is not None:
                told = ready.answer(accept_encoding, if_none_match)
                await self._short_cut(scope, send, request_id, started, reader, told)
                return
        answer = Answer(send, self._always, [(b"x-request-id", request_id)], bare=method == "HEAD")
        if scope["path"] not in ALWAYS_ANSWERED:
            refusal = await self._refusal(scope, answer)
            if refusal is not None:
                await self._refuse(scope, answer, refusal, request_id, started)
                return
        await self._through_the_application(scope, receive, answer, request_id.decode(), started)

    async def _short_cut(
        self,
        scope: Scope,
        send: Send,
        request_id: bytes,
        started: float,
        reader: Caller,
        told: tuple[int, Sequence[Header], bytes],
    ) -> None:
        status, headers, body = told
        own: list[Header] = [(b"x-request-id", request_id)]
        if CROWDED in scope["state"]:
            own.append((b"connection", b"close"))
        method, path = scope["method"], scope["path"]
        if self._limiter is not None and not self._is_exempt(reader, scope):
            counted = await self._limiter.count(reader)
            if not counted.allowed:
                answer = Answer(send, self._always, own, bare=method == "HEAD")
                answer.counted = counted
                await self._refuse(scope, answer, counted.refusal(), request_id, started)
                return
            own += counted.headers()
        await send(
            {"type": "http.response.start", "status": status, "headers": [*headers, *self._always, *own]}
        )
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
        metrics.observe(method, path, status, started)
        if self._log_ready:
            log.debug("ready_answer", path=path, status=status, request_id=request_id.decode())

    def _reader(self, headers: Sequence[Header]) -> Caller | None:
        """Who asks, if whoever it is may read."""
        try:
            principal = self._authenticate(headers)
        except errors.ServiceError:
            return None
        return principal if "read" in principal.scopes else None

    def _caller(self, scope: Scope) -> Caller | str | None:
        """The holder or the address that a request is counted to, by what memory knows; null for one that is
        not counted."""
        try:
            principal = self._authenticate(scope["headers"], terminal=True)
        except errors.ServiceError:
            return counted_as(_host(scope))
        return None if self._is_exempt(principal, scope) else principal

    def _is_exempt(self, principal: Caller, scope: Scope) -> bool:
        """The dashboard beside the service reads for all its readers with one key."""
        return principal.local and is_on_this_machine(_host(scope), scope["headers"])

    async def _refusal(self, scope: Scope, answer: Answer) -> errors.ServiceError | None:
        """Why the application is not asked, if so."""
        caller = None if self._limiter is None else self._caller(scope)
        if self._limiter is not None and caller is not None:
            counted = await self._limiter.count(caller)
            answer.counted = counted
            if not counted.allowed:
                return counted.refusal()
        return self._bounds.load.refusal(crowded=CROWDED in scope["state"])

    async def _refuse(
        self, scope: Scope, answer: Answer, error: errors.ServiceError, request_id: bytes, started: float
    ) -> None:
        """Say so without a line in the log: these come by the thousand, and are counted."""
        text_id = request_id.decode()
        later = self._pace.seconds(started)
        if later:
            await asyncio.sleep(later)
        await answer.instead(errors.render(error, path=scope["path"], request_id=text_id))
        metrics.observe(scope["method"], metrics.NO_ROUTE, error.status, started)
        log.debug("refused", path=scope["path"], status=error.status, request_id=text_id)

    async def _through_the_application(
        self, scope: Scope, receive: Receive, answer: Answer, text_id: str, started: float
    ) -> None:
        scope["state"]["request_id"] = text_id
        method = scope["method"]
        if method == "HEAD":
            # A copy: the server looks at its own scope to know that no body follows the headers.
            scope = {**scope, "method": "GET"}
        load = self._aside if scope["path"] in ALWAYS_ANSWERED else self._bounds.load
        limit = TimeLimit(self._bounds.seconds, answer, path=scope["path"], request_id=text_id)
        body = Body(receive, load, limit=self._bounds.body, came=limit.restart)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=text_id)
        load.enter()
        limit.restart()
        try:
            await self.inner(scope, body, answer)
        except Exception:
            log.exception("unhandled_error", method=method, path=scope["path"])
            error = errors.unexpected(text_id)
            await answer.instead(errors.render(error, path=scope["path"], request_id=text_id))
        finally:
            limit.end()
            body.release()
            load.leave()
            route = getattr(scope.get("route"), "path", metrics.NO_ROUTE)
            metrics.observe(method, route, answer.status, started)
            log.info(
                "request",
                method=method,
                route=route,
                status=answer.status,
                ms=round((time.perf_counter() - started) * 1000, 1),
                credential=scope["state"].get("credential_id"),
            )


def _host(scope: Scope) -> str:
    """The address of the connection, or the one that a trusted proxy told."""
    client = scope.get("client")
    return client[0] if client else ""
