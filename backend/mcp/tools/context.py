"""Gives a tool the client of its caller."""

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import Context
from starlette.requests import Request

from backend.mcp.service_client import ServiceClient

Connect = Callable[[Request | None], ServiceClient]
"""Builds the client of a call from its HTTP request; null where the call came over standard input."""
ToolContext = Context[Connect, Any]


def get_service(context: ToolContext) -> ServiceClient:
    """Build the client with which this call asks the service."""
    call = context.request_context
    return call.lifespan_context(call.request)
