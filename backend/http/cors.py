"""Lets web pages of configured origins call the service from a browser (CORS, in the Fetch standard).

Browsers send no cookies with these requests: a page needs a key or token of its own. The layer is outside of
all others, so that refusals, prepared responses and 304 carry its headers too.
"""

from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.errors import BadRequest, render
from backend.http.request_ids import RequestIds
from backend.http.security_headers import Header, add_default_headers

OPEN_OAUTH_PATHS = frozenset({"/oauth/token", "/oauth/revoke"})
CLOSED_PATHS = frozenset({"/", "/docs", "/healthz", "/readyz", "/metrics"})
ALLOWED_METHODS = ("GET", "HEAD", "POST", "DELETE")
ALLOWED_HEADERS = (
    "Authorization",
    "CP-X-API-KEY",
    "Idempotency-Key",
    "If-None-Match",
    "Last-Event-ID",
    "MCP-Protocol-Version",
    "MCP-Session-Id",
    "Prefer",
    "X-CP-TERMINAL-API-KEY",
    "X-Request-ID",
)
EXPOSED_HEADERS = (
    "Deprecation",
    "ETag",
    "Link",
    "Location",
    "MCP-Session-Id",
    "Preference-Applied",
    "RateLimit",
    "RateLimit-Limit",
    "RateLimit-Policy",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
    "WWW-Authenticate",
    "X-Data-Mode",
    "X-Ranked-By",
    "X-Request-ID",
    "X-Rules-Version",
)
PREFLIGHT_MAX_AGE_SECONDS = 7200
"""How long a browser may remember a preflight. Chromium caps it at this time."""


def is_shared_path(path: str) -> bool:
    """Return whether pages of other origins may call ``path``: all data, and of OAuth what programs call."""
    if path.startswith("/oauth/"):
        return path in OPEN_OAUTH_PATHS
    return path not in CLOSED_PATHS and not path.startswith("/docs/")


class CrossOriginMiddleware(CORSMiddleware):
    """Starlette's middleware for the paths that other origins may call, with the service's own refusals.

    Preflights are answered here, without a key, a rate limit or a thread.
    """

    def __init__(self, app: ASGIApp, origins: Sequence[str], default_headers: Sequence[Header]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=ALLOWED_METHODS,
            allow_headers=ALLOWED_HEADERS,
            expose_headers=EXPOSED_HEADERS,
            allow_private_network=True,  # the configured origins alone
            max_age=PREFLIGHT_MAX_AGE_SECONDS,
        )
        self._default_headers = default_headers
        self._ids = RequestIds()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_shared_path(scope["path"]):
            await super().__call__(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def preflight_response(self, request_headers: Headers) -> Response:
        """Return the answer to a preflight; a refusal says what is refused."""
        answer = super().preflight_response(request_headers)
        sent_id = request_headers.get("x-request-id")
        request_id = self._ids.assign(sent_id.encode("latin-1") if sent_id else None)
        if answer.status_code == 400:
            refused = bytes(answer.body).decode().removeprefix("Disallowed CORS ")
            problem = render(
                BadRequest(
                    f"A page of another origin may not send this request, because of its {refused}. "
                    "CHAINPROOF_CORS_ORIGINS names the origins, and docs/api.md the methods and headers."
                ),
                path="",
                request_id=request_id.decode(),
            )
            kept = {name: value for name, value in answer.headers.items() if not name.startswith("content-")}
            answer = Response(problem.body, 400, kept, problem.content_type)
        headers = add_default_headers(answer.raw_headers, answer.status_code, self._default_headers)
        answer.raw_headers = [*headers, (b"x-request-id", request_id)]
        return answer
