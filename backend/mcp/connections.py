"""Connects tools with the service: in this process for ``/mcp``, over the network for ``chainproof mcp``."""

from collections.abc import Callable

import httpx
from starlette.requests import Request
from starlette.types import ASGIApp

from backend.http.client_address import FORWARDING_HEADERS
from backend.mcp.links import Links
from backend.mcp.service_client import ServiceClient, WaitSlots
from backend.mcp.tools.context import Connect

PASSED_HEADERS = {b"cp-x-api-key", b"authorization", b"x-request-id", *FORWARDING_HEADERS}
"""The credential, and what decides about limits and logs. No other header of the caller reaches a request."""
MAX_WAIT_SECONDS = 45.0
"""Below the time limit of common clients for one call."""
RESERVED_SECONDS = 5.0
"""Part of a request's time limit that a call needs for other things than waiting."""
TIMEOUT_SECONDS = 60.0
STDIO_WAIT_SLOTS = 1000


def connect_in_process(
    app: ASGIApp, links: Links, *, request_timeout_seconds: float, wait_slots: WaitSlots
) -> Connect:
    """Connect calls of ``/mcp`` with ``app``, the service as a server calls it.

    Each request of a tool passes the same limits and checks as one from outside, under the address and the
    credential of the caller.
    """
    max_wait = min(MAX_WAIT_SECONDS, max(request_timeout_seconds - RESERVED_SECONDS, 0.0))

    def connect(request: Request | None) -> ServiceClient:
        if request is None:
            raise RuntimeError("a call of /mcp has a request")
        address, port = request.scope.get("client") or ("", 0)
        http = httpx.AsyncClient(
            transport=httpx.ASGITransport(app, client=(address, port)),
            base_url="http://chainproof",
            trust_env=False,
        )
        headers = {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in request.scope["headers"]
            if name in PASSED_HEADERS
        }
        request_id = request.scope["state"].get("request_id")
        if request_id is not None:
            headers["x-request-id"] = request_id
        return ServiceClient(http, headers, links, max_wait_seconds=max_wait, wait_slots=wait_slots)

    return connect


def connect_over_network(links: Links, read_key: Callable[[], str | None]) -> Connect:
    """Connect ``chainproof mcp`` with the service at ``links.api``.

    ``read_key`` is called for each call, since the service may create its local key later.
    """
    http = httpx.AsyncClient(base_url=links.api, timeout=TIMEOUT_SECONDS, trust_env=False)
    wait_slots = WaitSlots(STDIO_WAIT_SLOTS)

    def connect(_request: Request | None) -> ServiceClient:
        key = read_key()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return ServiceClient(http, headers, links, max_wait_seconds=MAX_WAIT_SECONDS, wait_slots=wait_slots)

    return connect
