"""What is sent to the service: asked once, never kept, and answered in time or not at all."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx
import orjson

from dashboard.client import problems
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
    headers = {"Content-Type": "application/json", "X-Request-ID": request_id}
    try:
        response = client.post(path, orjson.dumps(body), headers=headers, timeout=timeout)
    except httpx.HTTPError as fault:
        return Posted(None, {}, problems.of_fault(fault, client.base_url, timeout, request_id))
    if not response.is_success:
        return Posted(None, response.headers, problems.of_response(response, request_id))
    try:
        return Posted(orjson.loads(response.content), response.headers)
    except orjson.JSONDecodeError as fault:
        words = f"The answer is not JSON: {fault}"
        return Posted(None, response.headers, problems.malformed(response, words, request_id))
