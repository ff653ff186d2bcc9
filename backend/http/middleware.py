"""Wraps the application: request ids, limits, metrics, access log, unhandled errors, prepared responses.

This is plain ASGI outside of FastAPI, so that it also covers the framework's own responses (404, 405, 500).
A GET with a prepared response and a valid key is answered here. All other requests, also those with a bad
key, go to the application, which reports the error. A HEAD is answered like the GET of the same path, with
the same headers and without the body (RFC 9110 section 9.3.2).
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from backend import errors
from backend.http import access_log
from backend.http.client_address import Caller, is_on_this_machine, normalize_address
from backend.http.cors import CrossOriginMiddleware
from backend.http.event_stream_response import IS_HEAD_KEY
from backend.http.limits.body_limits import LimitedBody
from backend.http.limits.load_shedding import LoadShedder, RefusalPacer
from backend.http.limits.request_timeout import TimeLimit
from backend.http.prepared_responses import Prepared
from backend.http.request_ids import RequestIds
from backend.http.response_writer import ResponseWriter
from backend.http.security_headers import Header, build_default_headers
from backend.http.uvicorn_protocol import OVER_CONNECTION_LIMIT
from backend.runtime import tracing

if TYPE_CHECKING:  # rate limits are off by default, and their library takes long to load
    from backend.http.limits.rate_limiter import RateLimiter

log = structlog.get_logger(__name__)

ALWAYS_ANSWERED = frozenset({"/healthz", "/readyz", "/metrics"})
"""Operators need these paths, above all while the service is overloaded."""
SERVER_METHODS = b"DELETE, GET, HEAD, OPTIONS, POST"
"""The methods of all endpoints together."""


class Authenticate(Protocol):
    """Finds the caller by the headers of a request. Raises :class:`backend.errors.Unauthorized`."""

    def __call__(self, headers: Sequence[Header], *, terminal: bool = False) -> Caller: ...


class PreparedResponses(Protocol):
    """Finds prepared responses."""

    def find(self, path: str, query: bytes) -> Prepared | None: ...


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits of one process. ``body`` is in bytes and ``seconds`` is the time of one request."""

    body: int
    seconds: float = 60.0
    load: LoadShedder = field(default_factory=lambda: LoadShedder(64))
    limiter: "RateLimiter | None" = None
    """None where the request rate is not limited."""


class ServiceMiddleware:
    """The outermost ASGI layer around the FastAPI application.

    ``https``: whether the public URL of the service is an https one. ``log_share``: the share of prepared
    responses that is logged. Web pages of ``origins`` may call the service from a browser.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        authenticate: Authenticate,
        ready: PreparedResponses,
        mode: str,
        bounds: RequestLimits,
        https: bool = False,
        log_share: float = 1.0,
        origins: Sequence[str] = (),
    ) -> None:
        self.inner = app
        self._authenticate = authenticate
        self._ready = ready
        self._bounds = bounds
        self._limiter = bounds.limiter
        self._unlimited_load = LoadShedder(bounds.load.max_requests)
        self._ids = RequestIds()
        self._refusal_pacer = RefusalPacer()
        self._prepared_log = access_log.PreparedResponseLog(log_share)
        self._default_headers = build_default_headers(mode, https=https)
        self._answer: ASGIApp = self._answer_request
        if origins:
            self._answer = CrossOriginMiddleware(self._answer_request, origins, self._default_headers)
        if tracing.is_started():
            self._answer = _trace_requests(self._answer)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await self.inner(scope, receive, send)

    async def _answer_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        sent_id = accept = accept_encoding = if_none_match = None
        for name, value in scope["headers"]:
            if name == b"x-request-id":
                sent_id = value
            elif name == b"accept":
                accept = value if accept is None else accept + b", " + value
            elif name == b"accept-encoding":
                accept_encoding = value if accept_encoding is None else accept_encoding + b", " + value
            elif name == b"if-none-match":
                if_none_match = value if if_none_match is None else if_none_match + b", " + value
        request_id = self._ids.assign(sent_id)
        method = scope["method"]
        scope.setdefault("state", {})  # some servers set none
        if method == "GET" or method == "HEAD":
            ready = self._ready.find(scope["path"], scope["query_string"])
            caller = None if ready is None else self._find_reader(scope["headers"])
            if ready is not None and caller is not None and ready.suits(accept):
                response = ready.answer(accept_encoding, if_none_match)
                await self._send_prepared(scope, send, request_id, started, caller, response)
                return
        answer = ResponseWriter(
            send, self._default_headers, [(b"x-request-id", request_id)], omit_body=method == "HEAD"
        )
        if scope["path"] not in ALWAYS_ANSWERED:
            refusal = await self._check_limits(scope, answer)
            if refusal is not None:
                await self._send_refusal(scope, answer, refusal, request_id, started)
                return
        await self._call_application(scope, receive, answer, request_id.decode(), started)

    async def _send_prepared(
        self,
        scope: Scope,
        send: Send,
        request_id: bytes,
        started: float,
        caller: Caller,
        response: tuple[int, Sequence[Header], bytes],
    ) -> None:
        status, headers, body = response
        request_headers: list[Header] = [(b"x-request-id", request_id)]
        if OVER_CONNECTION_LIMIT in scope["state"]:
            request_headers.append((b"connection", b"close"))
        method = scope["method"]
        if self._limiter is not None and not self._is_exempt(caller, scope):
            counted = await self._limiter.count(caller)
            if not counted.allowed:
                answer = ResponseWriter(
                    send, self._default_headers, request_headers, omit_body=method == "HEAD"
                )
                answer.counted = counted
                await self._send_refusal(scope, answer, counted.build_refusal(), request_id, started)
                return
            request_headers += counted.headers()
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [*headers, *self._default_headers, *request_headers],
            }
        )
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
        self._prepared_log.add(scope, status, started, request_id, caller.credential_id)

    def _find_reader(self, headers: Sequence[Header]) -> Caller | None:
        """Return the caller if it may read, else None."""
        try:
            principal = self._authenticate(headers)
        except errors.ServiceError:
            return None
        return principal if "read" in principal.scopes else None

    def _find_limited_caller(self, scope: Scope) -> Caller | str | None:
        """Return the holder or address that a request counts for, from memory alone; None if it is exempt."""
        try:
            principal = self._authenticate(scope["headers"], terminal=True)
        except errors.ServiceError:
            return normalize_address(_find_client_host(scope))
        return None if self._is_exempt(principal, scope) else principal

    def _is_exempt(self, principal: Caller, scope: Scope) -> bool:
        """Return whether the dashboard on this machine asks: it reads for all its users with one key."""
        return principal.local and is_on_this_machine(_find_client_host(scope), scope["headers"])

    async def _check_limits(self, scope: Scope, answer: ResponseWriter) -> errors.ServiceError | None:
        """Return the refusal if a limit is reached, else None."""
        caller = None if self._limiter is None else self._find_limited_caller(scope)
        if self._limiter is not None and caller is not None:
            counted = await self._limiter.count(caller)
            answer.counted = counted
            if not counted.allowed:
                return counted.build_refusal()
        return self._bounds.load.check(over_connection_limit=OVER_CONNECTION_LIMIT in scope["state"])

    async def _send_refusal(
        self,
        scope: Scope,
        answer: ResponseWriter,
        error: errors.ServiceError,
        request_id: bytes,
        started: float,
    ) -> None:
        """Send the refusal. Many of them in a row are delayed a little."""
        text_id = request_id.decode()
        delay = self._refusal_pacer.next_delay_seconds(started)
        if delay:
            await asyncio.sleep(delay)
        await answer.replace_with(errors.render(error, path=scope["path"], request_id=text_id))
        access_log.log_refusal(scope, error.status, started, text_id)

    async def _call_application(
        self, scope: Scope, receive: Receive, answer: ResponseWriter, text_id: str, started: float
    ) -> None:
        scope["state"]["request_id"] = text_id
        method = scope["method"]
        if method == "HEAD":
            # A copy: the server reads its own scope to learn that no body follows the headers.
            scope = {**scope, "method": "GET"}
            scope["state"][IS_HEAD_KEY] = True
        load = self._unlimited_load if scope["path"] in ALWAYS_ANSWERED else self._bounds.load
        limit = TimeLimit(self._bounds.seconds, answer, path=scope["path"], request_id=text_id)
        body = LimitedBody(receive, load, limit=self._bounds.body, on_part=limit.restart)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=text_id)
        load.enter()
        limit.restart()
        inner = _send_server_options if method == "OPTIONS" and scope["path"] == "*" else self.inner
        try:
            await inner(scope, body, answer)
        except asyncio.CancelledError:  # the server stops and waits no longer
            if answer.status:
                raise  # which closes the connection, so that the client sees the end of half a response
            log.warning("request_cancelled", method=method, path=scope["path"])
            error = errors.Stopping()
            await answer.replace_with(errors.render(error, path=scope["path"], request_id=text_id))
            if not answer.status:
                raise
        except Exception:
            log.exception("unhandled_error", method=method, path=scope["path"])
            failure = errors.build_internal_error(text_id)
            await answer.replace_with(errors.render(failure, path=scope["path"], request_id=text_id))
        finally:
            limit.end()
            body.release()
            load.leave()
            access_log.log_response(scope, answer.status, started)


def _trace_requests(app: ASGIApp) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        with tracing.trace_request(scope["headers"], scope["method"]):
            await app(scope, receive, send)

    return answer


async def _send_server_options(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer ``OPTIONS *``, which asks about the server as a whole (RFC 9110 section 9.3.7)."""
    headers = [(b"allow", SERVER_METHODS)]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _find_client_host(scope: Scope) -> str:
    """Return the address of the connection, or the one that a trusted proxy forwarded."""
    client = scope.get("client")
    return client[0] if client else ""
