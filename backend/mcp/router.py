"""Serves ``/mcp`` and the metadata that its clients discover. Checks each request before its body is read."""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from backend.auth.gate import Access, GatedRoute
from backend.errors import Forbidden, ServiceError, Unauthorized
from backend.http.body_headers import validate_body_headers
from backend.mcp.sdk_host import SdkHost

PATH = "/mcp"
METADATA_PATH = "/.well-known/oauth-protected-resource"
SCOPES = ("read", "write")
"""The scopes that open all tools: ``write`` only submits jobs."""

router = APIRouter(tags=["mcp"])


class ProtectedResource(BaseModel):
    """The metadata of RFC 9728."""

    resource: str = Field(json_schema_extra={"format": "uri"})
    authorization_servers: list[str]
    scopes_supported: list[str]
    bearer_methods_supported: list[str]
    resource_name: str
    resource_documentation: str = Field(json_schema_extra={"format": "uri"})


class McpRoute(GatedRoute):
    """A route whose refusals name the metadata, from which clients learn how to sign in (RFC 9728, 5.1)."""

    default_access = Access("read")

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer_or_challenge(request: Request) -> Response:
            try:
                return await handle(request)
            except (Unauthorized, Forbidden) as refusal:
                add_challenge(refusal, request.app.state.settings.issuer_url)
                raise

        return answer_or_challenge


class McpResponse(Response):
    """Leaves the body of the request, and the response, to the protocol's library."""

    def __init__(self, host: SdkHost) -> None:
        super().__init__()
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._host.answer(scope, receive, send)


gated = APIRouter(route_class=McpRoute)


@gated.post(PATH, include_in_schema=False)
async def call_mcp(request: Request) -> Response:
    """Answer one message of the Model Context Protocol (streamable HTTP)."""
    state = request.app.state
    validate_origin(request.headers.getlist("origin"), state.mcp_origins)
    validate_body_headers(request.scope["headers"], limit=state.body_limit)
    return McpResponse(state.mcp)


def describe_resource(request: Request) -> Response:
    """Return which credentials `/mcp` takes and who issues tokens (RFC 9728)."""
    issuer: str = request.app.state.settings.issuer_url
    metadata = ProtectedResource(
        resource=f"{issuer}{PATH}",
        authorization_servers=[issuer],
        scopes_supported=list(SCOPES),
        bearer_methods_supported=["header"],
        resource_name="Chainproof",
        resource_documentation=f"{issuer}/docs",
    )
    return JSONResponse(metadata.model_dump(), headers={"Cache-Control": "public, max-age=3600"})


for path, name in ((METADATA_PATH, "describe_resource"), (METADATA_PATH + PATH, "describe_mcp_resource")):
    router.add_api_route(
        path,
        describe_resource,
        name=name,
        response_model=ProtectedResource,
        responses={
            200: {
                "description": "The metadata.",
                "headers": {"Cache-Control": {"schema": {"type": "string"}}},
            }
        },
    )


def list_origins(addresses: Iterable[str]) -> frozenset[str]:
    """List the origins (scheme, host, port) of the service's own addresses and of allowed pages."""
    parts = (urlsplit(address) for address in addresses)
    return frozenset(f"{part.scheme}://{part.netloc}".lower() for part in parts)


def validate_origin(sent: Iterable[str], allowed: frozenset[str]) -> None:
    """Raise :class:`Forbidden` for a page of another origin. Programs that are no browser send no origin.

    A page whose host name was pointed at this machine (DNS rebinding) sends its own origin.
    """
    if any(origin.lower() not in allowed for origin in sent):
        raise Forbidden(
            "A page of this origin may not call /mcp. CHAINPROOF_CORS_ORIGINS names those that may.",
            code="origin_not_allowed",
        )


def add_challenge(refusal: ServiceError, issuer: str) -> None:
    """Put the address of the metadata into ``WWW-Authenticate``, the scheme Bearer first.

    Common clients read only the first scheme.
    """
    former = refusal.headers.get("WWW-Authenticate", "")
    if isinstance(refusal, Forbidden) and not former:
        return
    known = 'error="invalid_token"', 'error="insufficient_scope"'
    error = next((text for text in known if text in former), None)
    parts = [
        'Bearer realm="chainproof"',
        *([error] if error else []),
        f'scope="{" ".join(SCOPES)}"',
        f'resource_metadata="{issuer}{METADATA_PATH}{PATH}"',
    ]
    schemes = ", ".join(parts)
    refusal.headers["WWW-Authenticate"] = (
        f'{schemes}, ApiKey realm="chainproof"' if isinstance(refusal, Unauthorized) else schemes
    )
