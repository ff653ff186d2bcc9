"""Logs each request after its response, and counts it in the metrics.

A new field of the access log is added here. :mod:`backend.runtime.logs` formats and redacts the lines.
"""

import logging
import time

import structlog
from starlette.types import Scope

from backend.runtime import metrics

log = structlog.get_logger(__name__)
HELD_SECONDS = "held_seconds"
"""Key in the request state: how long the request only waited for a change. No duration includes this time."""


def log_response(scope: Scope, status: int, started: float) -> None:
    """Log and count a request that the application answered. ``started`` is a ``time.perf_counter`` value."""
    method = scope["method"]
    route = getattr(scope.get("route"), "path", metrics.NO_ROUTE)
    started += scope["state"].get(HELD_SECONDS, 0.0)
    metrics.observe(method, route, status, started)
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
    metrics.observe(scope["method"], metrics.NO_ROUTE, status, started)
    log.debug("request_refused", path=scope["path"], status=status, request_id=request_id)


class PreparedResponseLog:
    """Counts prepared responses. They come by the thousand per second, so only the debug level logs them."""

    def __init__(self) -> None:
        self._is_logged = logging.getLogger(__name__).isEnabledFor(logging.DEBUG)

    def add(self, scope: Scope, status: int, started: float, request_id: bytes) -> None:
        path = scope["path"]
        metrics.observe(scope["method"], path, status, started)
        if self._is_logged:
            log.debug("prepared_response_sent", path=path, status=status, request_id=request_id.decode())
