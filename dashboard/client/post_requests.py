"""Posts JSON to the service: one request, without cache and without retries."""

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
    """The decoded response with its headers, or the problem."""

    data: T_co | None
    headers: Mapping[str, str]
    error: Problem | None = None


def post(
    client: ApiClient, path: str, body: object, *, timeout: float, idempotency_key: str = ""
) -> Posted[Any]:
    """Posts ``body`` as JSON. A 400 lists every invalid field with its place."""
    request_id = uuid.uuid4().hex
    headers = {"Content-Type": "application/json", "X-Request-ID": request_id}
    if idempotency_key:
        headers["Idempotency-Key"] = idempotency_key
    try:
        response = client.post(path, orjson.dumps(body), headers=headers, timeout=timeout)
    except httpx.HTTPError as error:
        return Posted(None, {}, problems.from_exception(error, client.base_url, timeout, request_id))
    if not response.is_success:
        return Posted(None, response.headers, problems.from_response(response, request_id))
    try:
        return Posted(orjson.loads(response.content), response.headers)
    except orjson.JSONDecodeError as error:
        detail = f"The answer is not JSON: {error}"
        return Posted(None, response.headers, problems.from_malformed_body(response, detail, request_id))
