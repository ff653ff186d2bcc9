"""The gate: judges a request by its headers alone, before a byte of its body is read.

A dependency would be too late for this: the framework reads and parses the body first, so that
malformed JSON would be answered before a missing key. The order is 401, 403, 415, 413, then what is
wrong with the JSON and whatever the endpoint finds (400). Declare what a route needs where it is made::

    router = gated_router(scope="read", tags=["topics"])

    @router.get("/topics")                      # needs read, as the router says
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
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from backend.auth.principal import SCOPES, CredentialSource, Place, Principal, Scope, UnknownCredential
from backend.errors import Forbidden, Unauthorized
from backend.http.body_headers import judge_body
from backend.http.json_body import JsonRequest
from backend.http.query_string import judge_query

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

CREDENTIAL_HEADERS = {
    b"cp-x-api-key": Place.API_KEY_HEADER,
    b"authorization": Place.BEARER,
    b"x-cp-terminal-api-key": Place.TERMINAL_HEADER,
}

# For the document alone, hence no auto_error: the gate judges the headers, and earlier than these would.
# A component's name may hold no space (OpenAPI 3.1, Components Object), so "API key" is in the description.
API_KEY = APIKeyHeader(
    name=Place.API_KEY_HEADER.value,
    scheme_name="ApiKey",
    description="API key in header.",
    auto_error=False,
)
BEARER = HTTPBearer(scheme_name="Bearer", description="An access token, or an API key.", auto_error=False)
TERMINAL_KEY = APIKeyHeader(
    name=Place.TERMINAL_HEADER.value,
    scheme_name="TerminalApiKey",
    description="A terminal key, which opens this alone.",
    auto_error=False,
)


@dataclass(frozen=True, slots=True)
class Access:
    """What a route asks of whoever calls it: a scope, or a terminal key where one serves too.

    ``or_scope`` opens it as well; the endpoint then asks with :func:`require` for the one that what is
    in the body needs.
    """

    scope: Scope
    also_terminal: bool = False
    or_scope: Scope | None = None

    def __post_init__(self) -> None:
        for scope in filter(None, (self.scope, self.or_scope)):
            if scope not in SCOPES:
                raise ValueError(f"there is no scope {scope!r}")


def authenticate(
    headers: Iterable[tuple[bytes, bytes]], source: CredentialSource, *, terminal: bool = False
) -> Principal:
    """The holder of the one credential in ``headers`` (names in lower case, as ASGI gives them).

    ``terminal`` says that a terminal key is accepted here. Raises :class:`Unauthorized` when there is
    no credential, when several disagree, and when the one there is is not valid.
    """
    place, credential = None, b""
    for name, value in headers:
        if name in CREDENTIAL_HEADERS:
            here, text = _credential(CREDENTIAL_HEADERS[name], value)
            if place is not None and (text != credential or _families_differ(here, place)):
                raise Unauthorized("The request carries several credentials that disagree. Send one.")
            place, credential = here, text
    if place is None:
        raise Unauthorized(_how_to(terminal))
    if place is Place.TERMINAL_HEADER and not terminal:
        raise Unauthorized(f"A terminal key does not open this. {_how_to(terminal)}")
    return source.find(credential, place)


def require(principal: Principal, scope: Scope) -> None:
    """Raise :class:`Forbidden` unless ``principal`` has ``scope``."""
    if scope not in principal.scopes:
        challenge = f'Bearer realm="chainproof", error="insufficient_scope", scope="{scope}"'
        raise Forbidden(
            f"This needs the scope '{scope}', which the credential does not have.",
            headers={"WWW-Authenticate": challenge} if principal.kind == "oauth" else None,
        )


def current_principal(request: Request) -> Principal:
    """Who is asking, for endpoints behind the gate: ``Depends(current_principal)``."""
    principal: Principal = request.state.principal
    return principal


def needs(
    scope: Scope, *, also_terminal: bool = False, or_scope: Scope | None = None
) -> Callable[[Endpoint], Endpoint]:
    """Let one endpoint of a gated router need something else; goes below the line that makes the route."""
    access = Access(scope, also_terminal, or_scope)

    def mark(endpoint: Endpoint) -> Endpoint:
        if getattr(endpoint, "gate_is_built", False):
            raise TypeError(
                "needs(...) goes below the line that makes the route: above it, it would come too late"
            )
        endpoint.gate_access = access  # type: ignore[attr-defined]
        return endpoint

    return mark


class GatedRoute(APIRoute):
    """A route that lets nobody in without the access that it declares."""

    default_access: ClassVar[Access | None] = None

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        access = getattr(endpoint, "gate_access", None) or self.default_access
        if access is None:
            raise TypeError(
                f"the route {path} declares no scope: make it with gated_router(...) or needs(...)"
            )
        self.access: Access = access  # before the rest, which asks for the handler
        options["dependencies"] = [*_documented(access), *(options.get("dependencies") or ())]
        super().__init__(path, endpoint, **options)
        endpoint.gate_is_built = True  # type: ignore[attr-defined]

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        access, takes_body = self.access, self.body_field is not None

        async def judge_then_handle(request: Request) -> Response:
            try:
                _judge_caller(request, access)
            except UnknownCredential as unknown:
                if not await run_in_threadpool(unknown.look_again):
                    raise
                _judge_caller(request, access)
            if takes_body:
                judge_body(request.scope["headers"], limit=request.app.state.body_limit)
            judge_query(request.scope["query_string"])
            if not takes_body:
                return await handle(request)
            with_json = JsonRequest(request.scope, request.receive)
            await with_json.read()
            return await handle(with_json)

        return judge_then_handle


def gated_router(
    *, scope: Scope, prefix: str = "", tags: Sequence[str] = (), also_terminal: bool = False
) -> APIRouter:
    """A router whose routes need ``scope``, unless one says otherwise by :func:`needs`."""

    class Route(GatedRoute):
        default_access = Access(scope, also_terminal)

    return APIRouter(prefix=prefix, tags=list(tags), route_class=Route)


def _judge_caller(request: Request, access: Access) -> None:
    source: CredentialSource = request.app.state.keyring
    principal = authenticate(request.scope["headers"], source, terminal=access.also_terminal)
    request.state.principal = principal
    # Before the scope is judged: the access log names the credential of a 403 too.
    request.state.credential_id = principal.credential_id
    if principal.kind == "terminal":  # comes this far only where it serves
        return
    if access.or_scope is None or access.or_scope not in principal.scopes:
        require(principal, access.scope)


def _credential(place: Place, value: bytes) -> tuple[Place, bytes]:
    value = value.strip(b" \t")
    if place is not Place.BEARER:
        return place, value
    scheme, _, token = value.partition(b" ")
    if scheme.lower() != b"bearer":
        raise Unauthorized(
            "The Authorization header takes the scheme Bearer, with an access token or an API key."
        )
    return place, token.strip(b" \t")


def _families_differ(one: Place, other: Place) -> bool:
    return (one is Place.TERMINAL_HEADER) is not (other is Place.TERMINAL_HEADER)


def _how_to(terminal: bool) -> str:
    ways = f"Send an API key in {Place.API_KEY_HEADER.value} or as {Place.BEARER.value}"
    return f"{ways}, or a terminal key in {Place.TERMINAL_HEADER.value}." if terminal else f"{ways}."


def _documented(access: Access) -> list[params.Security]:
    schemes = [params.Security(scheme, scopes=[access.scope]) for scheme in (API_KEY, BEARER)]
    return [*schemes, params.Security(TERMINAL_KEY)] if access.also_terminal else schemes
