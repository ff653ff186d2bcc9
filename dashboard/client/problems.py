"""Builds problems from failed requests, in the service's own words if it sent any."""

import httpx

from dashboard.client.fetched import Problem

MAX_PAUSE_SECONDS = 60.0
"""The longest pause between requests to a failing service, even if it asks for more: a reader may wait."""


def from_exception(error: httpx.HTTPError, base_url: object, timeout: float, request_id: str) -> Problem:
    """Builds the problem of a request without a response within ``timeout`` seconds."""
    if isinstance(error, httpx.TimeoutException):
        return Problem("timeout", f"No answer within {timeout:g} seconds.", request_id)
    return Problem("unreachable", f"{base_url}: {error or type(error).__name__}", request_id)


def from_response(response: httpx.Response, request_id: str) -> Problem:
    """Builds the problem from the body (RFC 9457 or the topics envelope), else from the bare status."""
    request_id = response.headers.get("x-request-id", request_id)
    try:
        body = response.json()
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    title = body.get("code") if isinstance(body.get("code"), str) else body.get("title")
    detail = body.get("detail") or body.get("message") or f"HTTP {response.status_code}"
    pause = _parse_retry_after(response.headers.get("retry-after", ""))
    return Problem(str(title or "http_error"), str(detail), request_id, response.status_code, pause)


def from_malformed_body(response: httpx.Response, detail: str, request_id: str) -> Problem:
    """Builds the problem of a successful response whose body cannot be used."""
    request_id = response.headers.get("x-request-id", request_id)
    return Problem("malformed", detail, request_id, response.status_code)


def _parse_retry_after(value: str) -> float | None:
    """Parses the seconds of a ``Retry-After``. The service sends no dates; a proxy's date is ignored."""
    return min(float(value), MAX_PAUSE_SECONDS) if value.isascii() and value.isdigit() else None
