"""What is sent to the service: asked once, never kept, and answered in time or not at all."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, TypeVar

import httpx
import orjson

from dashboard.client.fetched import Problem
from dashboard.client.http import ApiClient

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Posted(Generic[T_co]):
    """The service's answer, or why there is none. ``headers`` are those of the answer."""

    data: T_co | None
    headers: Mapping[str, str]
    error: Problem | None = None


def post(client: ApiClient, path: str, body: object, *, timeout: float) -> Posted[Any]:
    """Send ``body`` as JSON. A request that was not understood tells every fault with its place."""
    request_id = uuid.uuid4().hex
    content = orjson.dumps(body)
    try:
        response = _send(client, path, content, request_id, timeout)
    except httpx.TimeoutException:
        words = f"No answer within {timeout:g} seconds."
        return Posted(None, {}, Problem("timeout", words, request_id))
    except httpx.HTTPError as fault:
        words = f"{client._http.base_url}: {fault or type(fault).__name__}"
        return Posted(None, {}, Problem("unreachable", words, request_id))
    if not response.is_success:
        return Posted(None, response.headers, _problem(response, request_id))
    try:
        return Posted(orjson.loads(response.content), response.headers)
    except orjson.JSONDecodeError as fault:
        detail = f"The answer is not JSON: {fault}"
        return Posted(None, response.headers, Problem("malformed", detail, request_id, response.status_code))


def _send(client: ApiClient, path: str, content: bytes, request_id: str, timeout: float) -> httpx.Response:
    """With the client's own key, which is read anew after a 401: it may have been made just now."""
    if client._key is None:
        client._key = client._read_key()

    def once() -> httpx.Response:
        headers = {"Content-Type": "application/json", "X-Request-ID": request_id}
        return client._http.post(
            path, content=content, headers={**headers, **client._credential()}, timeout=timeout
        )

    response = once()
    if response.status_code == HTTPStatus.UNAUTHORIZED:
        fresh = client._read_key()
        if fresh is not None and fresh != client._key:
            client._key = fresh
            response = once()
    return response


def _problem(response: httpx.Response, request_id: str) -> Problem:
    request_id = response.headers.get("x-request-id", request_id)
    try:
        body = response.json()
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    code = body.get("code") if isinstance(body.get("code"), str) else body.get("title")
    detail = body.get("detail") or f"HTTP {response.status_code}"
    return Problem(str(code or "http_error"), str(detail), request_id, response.status_code)
