"""Calls the service's HTTP interface for the tools, and turns its refusals into errors of tools."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import httpx
import orjson
from mcp.server.mcpserver.exceptions import ToolError

from backend.mcp.links import Links, Query, drop_absent
from backend.mcp.tool_result import DataMode

TEMPORARY_STATUSES = frozenset({429, 503})


class Refusal(ToolError):
    """The service refused a request. ``retry_after`` is in seconds, null unless a retry can succeed."""

    def __init__(self, sentence: str, status: int, retry_after: float | None) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_after = retry_after


class WaitSlots:
    """Limits how many calls of a process wait for a job at the same time."""

    def __init__(self, count: int) -> None:
        self._free = count

    @contextmanager
    def take(self) -> Iterator[bool]:
        """Yield whether there is room to wait."""
        has_room = self._free > 0
        self._free -= has_room
        try:
            yield has_room
        finally:
            self._free += has_room


class ServiceClient:
    """Sends the requests of one tool call with the caller's credential.

    ``http`` knows the base URL. ``headers`` hold the credential. A call may wait up to ``max_wait_seconds``
    for a job. Every method raises :class:`Refusal`, or ``ToolError`` if the service does not answer.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        headers: Mapping[str, str],
        links: Links,
        *,
        max_wait_seconds: float,
        wait_slots: WaitSlots,
    ) -> None:
        self.links = links
        self.max_wait_seconds = max_wait_seconds
        self.wait_slots = wait_slots
        self.data_mode: DataMode = "sample"
        self._http = http
        self._headers = headers

    async def get(self, path: str, query: Query | None = None) -> Any:
        """Return the body of a GET, parsed."""
        return await self._send("GET", path, params=drop_absent(query or {}))

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the body of the response to a JSON body, parsed."""
        content = orjson.dumps(body)
        return await self._send("POST", path, content=content)

    async def _send(self, method: str, path: str, **options: Any) -> Any:
        headers = {**self._headers, "Content-Type": "application/json"}
        try:
            response = await self._http.request(method, path, headers=headers, **options)
        except httpx.HTTPError as error:
            raise ToolError(
                f"The service at {self.links.api} does not answer ({type(error).__name__}). Check that it "
                "runs, and that CHAINPROOF_BASE_URL is its address."
            ) from error
        body = _parse(response)
        if not response.is_success:
            raise build_refusal(response, body)
        self.data_mode = _read_mode(response)
        return body


def build_refusal(response: httpx.Response, body: Any) -> Refusal:
    """Build the error from a problem response of any group of endpoints."""
    known = body if isinstance(body, dict) else {}
    sentence = known.get("detail") or known.get("message") or HTTPStatus(response.status_code).phrase
    retry_after = None
    if response.status_code in TEMPORARY_STATUSES:
        retry_after = float(response.headers.get("retry-after", "1"))
        if "Try again" not in sentence:  # the rate limiter's sentence says when
            sentence = f"{sentence} Try again in {retry_after:g} seconds."
    return Refusal(f"{sentence} (HTTP {response.status_code})", response.status_code, retry_after)


def _read_mode(response: httpx.Response) -> DataMode:
    match response.headers.get("x-data-mode"):
        case "live":
            return "live"
        case "replay":
            return "replay"
        case _:
            return "sample"


def _parse(response: httpx.Response) -> Any:
    try:
        return orjson.loads(response.content)
    except orjson.JSONDecodeError:
        if response.is_success:
            raise ToolError(
                "The answer is not JSON. Check that CHAINPROOF_BASE_URL is the service's address."
            ) from None
        return None
