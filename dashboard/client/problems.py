"""Why there is no answer, in the words of the service where it gave any."""

import httpx

from dashboard.client.fetched import Problem

LONGEST_PAUSE = 60.0
"""Seconds that the service is left alone, however long it asks for: a reader may wait for it."""


def of_fault(fault: httpx.HTTPError, base_url: object, timeout: float, request_id: str) -> Problem:
    """For a request that brought no response within ``timeout`` seconds, or none at all."""
    if isinstance(fault, httpx.TimeoutException):
        return Problem("timeout", f"No answer within {timeout:g} seconds.", request_id)
    return Problem("unreachable", f"{base_url}: {fault or type(fault).__name__}", request_id)


def of_response(response: httpx.Response, request_id: str) -> Problem:
    """The service's own words (RFC 9457 or the topics envelope), else the bare status."""
    request_id = response.headers.get("x-request-id", request_id)
    try:
        body = response.json()
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    title = body.get("code") if isinstance(body.get("code"), str) else body.get("title")
    detail = body.get("detail") or body.get("message") or f"HTTP {response.status_code}"
    pause = _pause(response.headers.get("retry-after", ""))
    return Problem(str(title or "http_error"), str(detail), request_id, response.status_code, pause)


def _pause(told: str) -> float | None:
    """Seconds of a ``Retry-After``, as this service tells them; a proxy's date is not read."""
    return min(float(told), LONGEST_PAUSE) if told.isascii() and told.isdigit() else None


def malformed(response: httpx.Response, words: str, request_id: str) -> Problem:
    """For a good response whose body cannot be used."""
    request_id = response.headers.get("x-request-id", request_id)
    return Problem("malformed", words, request_id, response.status_code)
