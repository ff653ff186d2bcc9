"""Logs each request after its response, and counts it in the metrics.

A new field of the access log is added here. :mod:`backend.runtime.logs` formats and redacts the lines.
"""

import logging
import time

import structlog
from starlette.types import Scope

from backend.runtime import logs, metrics, tracing

log = structlog.get_logger(__name__)
ROUNDING_ERROR = 1e-6
"""Ten times 0.1 is a little less than 1."""
HELD_SECONDS_KEY = "held_seconds"
"""Key in the request state: how long the request only waited for a change. No duration includes this time."""


def log_response(scope: Scope, status: int, started: float) -> None:
    """Log and count a request that the application answered. ``started`` is a ``time.perf_counter`` value."""
    method = scope["method"]
    route = getattr(scope.get("route"), "path", metrics.NO_ROUTE)
    started += scope["state"].get(HELD_SECONDS_KEY, 0.0)
    _record(method, route, status, started, scope["state"].get("request_id"))
    log.info(
        "request",
        method=method,
        route=route,
        status=status,
        ms=round((time.perf_counter() - started) * 1000, 1),
        credential=scope["state"].get("credential_id"),
    )


def log_refusal(scope: Scope, status: int, started: float, request_id: str) -> None:
    """Count a refused request. It is logged at the debug level only, since refusals come by the thousand."""
    _record(scope["method"], metrics.NO_ROUTE, status, started, request_id)
    log.debug("request_refused", path=scope["path"], status=status, request_id=request_id)


def _record(method: str, route: str, status: int, started: float, request_id: str) -> None:
    """Count a response and name the span of its request, by the route alone: anyone can make up a path."""
    metrics.observe(method, route, status, started)
    if tracing.is_started():
        name = method
        attributes: dict[str, str | int] = {
            "http.response.status_code": status,
            "chainproof.request_id": request_id,
        }
        if route != metrics.NO_ROUTE:
            attributes["http.route"], name = route, f"{method} {route}"
        tracing.update_current_span(attributes, name=name, failed=status >= 500)


class PreparedResponseLog:
    """Logs prepared responses like others, or a share of them. They come by the thousand per second."""

    def __init__(self, share: float) -> None:
        """``share`` is from 0 (logs none) to 1 (logs all). 0.1 logs every tenth response."""
        self._share = share
        self._due = 0.0
        self._is_logged = logging.getLogger(__name__).isEnabledFor(logging.INFO)

    def add(self, scope: Scope, status: int, started: float, request_id: bytes, credential: str) -> None:
        method, path = scope["method"], scope["path"]
        _record(method, path, status, started, request_id.decode())
        self._due += self._share
        if not self._is_logged or self._due < 1 - ROUNDING_ERROR:
            return
        self._due -= 1
        fields = {
            "event": "request",
            "method": method,
            "route": path,
            "status": status,
            "ms": round((time.perf_counter() - started) * 1000, 1),
            "credential": credential,
            "request_id": request_id.decode(),
        }
        if not logs.write_json_line(__name__, fields):
            log.info(**fields)
