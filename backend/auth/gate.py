"""Authenticates and authorises a request by its headers, before its body is read.

A FastAPI dependency would run too late: the framework parses the body first, and would report malformed
JSON before a missing key. The order of errors is 401, 403, 415, 413, then 400 for malformed JSON and
for the endpoint's own checks. Declare the scope of a route where the route is made::

    router = gated_router(scope="read", tags=["topics"])

    @router.get("/topics")                      # needs read, the router's scope
    def list_topics(...): ...

    @router.post("/topics")
    @needs("ingest")                            # needs ingest instead
    def add_topics(...): ...
"""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from fastapi import APIRouter, Request, params
from fastapi.routing import APIRoute
from fastapi.security import APIKeyHeader, APIKeyQuery, HTTPBearer
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from backend.auth.principal import (
    FEED_SCOPE,
    SCOPES,
    CredentialHeader,
    CredentialSource,
    Principal,
    Scope,
    UnknownCredential,
)
from backend.errors import Forbidden, Unauthorized, Unavailable
from backend.http.body_headers import validate_body_headers
from backend.http.json_body import JsonRequest
from backend.http.query_string import validate_query_string

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

CREDENTIAL_HEADERS = {
    b"cp-x-api-key": CredentialHeader.API_KEY,
    b"authorization": CredentialHeader.BEARER,
    b"x-cp-terminal-api-key": CredentialHeader.TERMINAL_KEY,
}

# These describe the OpenAPI document only, hence no auto_error: the gate checks the headers, and earlier.
# A component name may hold no space (OpenAPI 3.1, Components Object), so "API key" is in the description.
API_KEY_SCHEME = APIKeyHeader(
    name=CredentialHeader.API_KEY.value,
    scheme_name="ApiKey",
    description="API key in header.",
    auto_error=False,
)
BEARER_SCHEME = HTTPBearer(
    scheme_name="Bearer", description="An access token, or an API key.", auto_error=False
)
TERMINAL_KEY_SCHEME = APIKeyHeader(
    name=CredentialHeader.TERMINAL_KEY.value,
    scheme_name="TerminalApiKey",
    description="A terminal key, which opens this alone.",
    auto_error=False,
)
FEED_TOKEN_PARAMETER = "token"  # noqa: S105 - the name of a parameter
FEED_TOKEN_SCHEME = APIKeyQuery(
    name=FEED_TOKEN_PARAMETER,
    scheme_name="FeedToken",
    description="A feed token in the address, which opens web feeds alone.",
    auto_error=False,
)

BAD_BEARER_CHALLENGE = 'Bearer realm="chainproof", error="invalid_token", ApiKey realm="chainproof"'
"""The challenge of RFC 6750 section 3.1, which tells clients to refresh the token."""


@dataclass(frozen=True, slots=True)
class Access:
    """The access that a route requires: a scope, or with ``also_terminal`` a terminal key.

    ``also_feed`` accepts feed tokens, which may be the parameter ``token`` of the address.
    ``or_scope`` is an alternative scope; the endpoint then calls :func:`require` for the scope that the
    content of the body needs.
    """

    scope: Scope
    also_terminal: bool = False
    or_scope: Scope | None = None
    also_feed: bool = False

    def __post_init__(self) -> None:
        for scope in filter(None, (self.scope, self.or_scope)):
            if scope not in SCOPES:
                raise ValueError(f"there is no scope {scope!r}; the scopes are {', '.join(SCOPES)}")


def authenticate(
    headers: Iterable[tuple[bytes, bytes]],
    source: CredentialSource,
    *,
    terminal: bool = False,
    feed_tokens: Sequence[str] | None = None,
) -> Principal:
    """Return the holder of the credential in ``headers`` (names in lower case, as ASGI gives them).

    ``terminal`` accepts terminal keys. ``feed_tokens`` are the tokens in the address; None where the route
    accepts none. Raises :class:`Unauthorized` for no credential, for several that
    disagree, and for an invalid one.
    """
    sent = [
        _parse_credential(CREDENTIAL_HEADERS[name], value)
        for name, value in headers
        if name in CREDENTIAL_HEADERS
    ]
    sent += [(CredentialHeader.FEED_TOKEN, token.encode()) for token in feed_tokens or ()]
    header, credential = None, b""
    for next_header, text in sent:
        if header is not None and (text != credential or _have_different_kinds(next_header, header)):
            raise Unauthorized("The request carries several credentials that disagree. Send one.")
        header, credential = next_header, text
    instructions = _send_instructions(terminal=terminal, feed=feed_tokens is not None)
    if header is None:
        raise Unauthorized(instructions)
    if header is CredentialHeader.TERMINAL_KEY and not terminal:
        raise Unauthorized(f"A terminal key does not open this. {instructions}")
    try:
        principal = source.find(credential, header)
    except Unauthorized as refusal:
        if header is CredentialHeader.BEARER:
            refusal.headers["WWW-Authenticate"] = BAD_BEARER_CHALLENGE
        raise
    if header is CredentialHeader.FEED_TOKEN and FEED_SCOPE not in principal.scopes:
        raise Unauthorized(f"Only a feed token may be part of an address. {instructions}")
    return principal


def is_still_authorized(request: Request) -> bool:
    """Return whether the credential of a request that was admitted is still valid.

    May query the store, so call it in a worker thread. A store that fails withdraws nothing.
    """
    access: Access = request.state.access
    try:
        try:
            _authorize(request, access)
        except UnknownCredential as unknown:
            if not unknown.load_from_store():
                return False
            _authorize(request, access)
    except (Unauthorized, Forbidden):
        return False
    except (Unavailable, SQLAlchemyError):
        return True
    return True


def require(principal: Principal, scope: Scope) -> None:
    """Raise :class:`Forbidden` unless ``principal`` has ``scope``."""
    if scope not in principal.scopes:
        challenge = f'Bearer realm="chainproof", error="insufficient_scope", scope="{scope}"'
        raise Forbidden(
            f"This needs the scope '{scope}', which the credential does not have.",
            headers={"WWW-Authenticate": challenge} if principal.kind == "oauth" else None,
        )


def current_principal(request: Request) -> Principal:
    """Return the authenticated caller, for endpoints of gated routers: ``Depends(current_principal)``."""
    principal: Principal = request.state.principal
    return principal


def needs(
    scope: Scope, *, also_terminal: bool = False, or_scope: Scope | None = None, also_feed: bool = False
) -> Callable[[Endpoint], Endpoint]:
    """Decorate an endpoint that needs other access than its router; stands below the route decorator."""
    access = Access(scope, also_terminal, or_scope, also_feed)

    def mark(endpoint: Endpoint) -> Endpoint:
        if getattr(endpoint, "gate_is_built", False):
            raise TypeError(
                "needs(...) goes below the line that makes the route: above it, the route is built already"
            )
        endpoint.gate_access = access  # type: ignore[attr-defined]
        return endpoint

    return mark


class GatedRoute(APIRoute):
    """A route that refuses callers without its declared access."""

    default_access: ClassVar[Access | None] = None

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        access = getattr(endpoint, "gate_access", None) or self.default_access
        if access is None:
            raise TypeError(
                f"the route {path} declares no scope: make it with gated_router(...) or needs(...)"
            )
        self.access: Access = access  # before super().__init__, which calls get_route_handler
        options["dependencies"] = [*_build_security_schemes(access), *(options.get("dependencies") or ())]
        super().__init__(path, endpoint, **options)
        endpoint.gate_is_built = True  # type: ignore[attr-defined]

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        access, takes_body = self.access, self.body_field is not None

        async def authorize_then_handle(request: Request) -> Response:
            try:
                _authorize(request, access)
            except UnknownCredential as unknown:
                if not await run_in_threadpool(unknown.load_from_store):
                    raise
                _authorize(request, access)
            if takes_body:
                validate_body_headers(request.scope["headers"], limit=request.app.state.body_limit)
            validate_query_string(request.scope["query_string"])
            if not takes_body:
                return await handle(request)
            with_json = JsonRequest(request.scope, request.receive)
            await with_json.read()
            return await handle(with_json)

        return authorize_then_handle


def gated_router(
    *, scope: Scope, prefix: str = "", tags: Sequence[str] = (), also_terminal: bool = False
) -> APIRouter:
    """Build a router whose routes need ``scope``, except those marked with :func:`needs`."""

    class Route(GatedRoute):
        default_access = Access(scope, also_terminal)

    return APIRouter(prefix=prefix, tags=list(tags), route_class=Route)


def _authorize(request: Request, access: Access) -> None:
    source: CredentialSource = request.app.state.credentials
    feed_tokens = _find_feed_tokens(request) if access.also_feed else None
    principal = authenticate(
        request.scope["headers"], source, terminal=access.also_terminal, feed_tokens=feed_tokens
    )
    request.state.principal, request.state.access = principal, access
    # Before the scope check: the access log names the credential of a 403 too.
    request.state.credential_id = principal.credential_id
    if principal.kind == "terminal":  # authenticate() refuses terminal keys where they are not accepted
        return
    if access.also_feed and FEED_SCOPE in principal.scopes:
        return
    if access.or_scope is None or access.or_scope not in principal.scopes:
        require(principal, access.scope)


def _find_feed_tokens(request: Request) -> list[str]:
    tokens = request.query_params.getlist(FEED_TOKEN_PARAMETER)
    return [token for token in tokens if token]


def _parse_credential(header: CredentialHeader, value: bytes) -> tuple[CredentialHeader, bytes]:
    value = value.strip(b" \t")
    if header is not CredentialHeader.BEARER:
        return header, value
    scheme, _, token = value.partition(b" ")
    if scheme.lower() != b"bearer":
        raise Unauthorized(
            "The Authorization header takes the scheme Bearer, with an access token or an API key."
        )
    return header, token.strip(b" \t")


def _have_different_kinds(first: CredentialHeader, second: CredentialHeader) -> bool:
    return (first is CredentialHeader.TERMINAL_KEY) is not (second is CredentialHeader.TERMINAL_KEY)


def _send_instructions(*, terminal: bool, feed: bool) -> str:
    ways = f"Send an API key in {CredentialHeader.API_KEY.value} or as {CredentialHeader.BEARER.value}"
    if feed:
        return f"{ways}, or a feed token in {CredentialHeader.FEED_TOKEN.value}."
    return f"{ways}, or a terminal key in {CredentialHeader.TERMINAL_KEY.value}." if terminal else f"{ways}."


def _build_security_schemes(access: Access) -> list[params.Security]:
    schemes = [params.Security(scheme, scopes=[access.scope]) for scheme in (API_KEY_SCHEME, BEARER_SCHEME)]
    if access.also_terminal:
        schemes.append(params.Security(TERMINAL_KEY_SCHEME))
    if access.also_feed:
        schemes.append(params.Security(FEED_TOKEN_SCHEME))
    return schemes
