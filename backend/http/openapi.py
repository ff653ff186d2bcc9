"""Completes FastAPI's OpenAPI document with errors, headers and credentials of the service, and serves it.

FastAPI describes a 422 that this service never sends, and omits its errors, headers and credentials. One
pass over the generated document corrects this, based on the declarations of each route.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from types import MappingProxyType
from typing import Any, Protocol

import orjson
from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from backend.http.openapi_components import list_operations, remove_null, share_components, simplify_schema
from backend.http.openapi_examples import add_examples
from backend.http.prepared_responses import Prepared
from backend.http.responses import PreparedResponse

PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "An RFC 9457 problem.",
    "required": ["type", "title", "status", "detail", "instance", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence that says what to do."},
        "instance": {"type": "string", "description": "Names the request, as in X-Request-ID."},
        "code": {"type": "string", "description": "A stable word for programs."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["loc", "msg", "type"],
                "properties": {
                    "loc": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
                    "msg": {"type": "string"},
                    "type": {"type": "string"},
                },
            },
        },
    },
}

STATUS_DESCRIPTIONS = {
    "400": "The input is malformed or out of range; `errors` lists every fault.",
    "401": "The credential is missing or not valid.",
    "403": "The credential lacks the scope that this needs.",
    "404": "There is no such thing.",
    "408": "The body came too slowly; the connection ends.",
    "413": "The body is over the size limit.",
    "415": "The body is not `application/json`, or is compressed.",
    "429": "The caller's limit is reached; `Retry-After` says when to ask again.",
    "500": "A fault of the service.",
    "503": "A dependency is down, or there is more to do than can be done in time; `Retry-After` says when "
    "to ask again.",
}

NO_STORE: dict[str, Any] = {
    "Cache-Control": {"description": "Nobody may keep the answer.", "schema": {"const": "no-store"}},
    "Pragma": {"description": "The same, for what is old.", "schema": {"const": "no-cache"}},
}
TEXT_HEADER = {"schema": {"type": "string"}}
COMMON_HEADERS = {
    "Cache-Control": {
        "description": "Who may keep the answer, and for how long: nobody keeps an error.",
        **TEXT_HEADER,
    },
    "X-Request-ID": {"description": "Names this request in the logs.", **TEXT_HEADER},
    "X-Content-Type-Options": {
        "description": "The declared type is the type.",
        "schema": {"type": "string", "enum": ["nosniff"]},
    },
    "X-Data-Mode": {
        "description": "Whether figures are the sample market's or live.",
        "schema": {"type": "string", "enum": ["sample", "live", "replay"]},
    },
    "Content-Security-Policy": {"description": "What a browser may do with the answer.", **TEXT_HEADER},
    "Cross-Origin-Resource-Policy": {
        "description": "Whether pages of other origins may embed the answer.",
        "schema": {"type": "string", "enum": ["same-origin", "cross-origin"]},
    },
    "Referrer-Policy": {
        "description": "What a browser tells others of the address.",
        "schema": {"type": "string", "enum": ["no-referrer"]},
    },
    "Strict-Transport-Security": {
        "description": "RFC 6797; sent if the public address of the service is one of https.",
        **TEXT_HEADER,
    },
}
"""Headers of every kind of response, described once: they would be half of the document otherwise."""
_COUNT = {"type": "integer", "minimum": 0}
LIMIT_HEADERS: dict[str, dict[str, Any]] = {
    "RateLimit-Policy": {
        "description": 'The limit that the request was counted to, as in `"key";q=600;w=60`: 600 requests in '
        '60 seconds for each key; `"address"` where none was valid. These five headers are sent where a '
        "limit holds.",
        **TEXT_HEADER,
    },
    "RateLimit": {
        "description": 'What is left of it, as in `"key";r=599;t=42`: 599 requests, counted anew in 42 '
        "seconds.",
        **TEXT_HEADER,
    },
    "RateLimit-Limit": {"description": "The `q` of the former.", "schema": _COUNT},
    "RateLimit-Remaining": {"description": "The `r` of the former.", "schema": _COUNT},
    "RateLimit-Reset": {"description": "The `t` of the former.", "schema": _COUNT},
}
HEADERS_DESCRIPTION = (
    f"Responses have the headers {', '.join(COMMON_HEADERS)}, and where a rate limit holds "
    f"{', '.join(LIMIT_HEADERS)}; `components/headers` describes them. Each response lists its other headers."
)
ALWAYS_ANSWERED = frozenset({"/healthz", "/readyz", "/metrics"})
"""Paths without limits."""
CACHE_HEADERS = {
    "ETag": {"description": "Strong, one per encoding.", **TEXT_HEADER},
    "Vary": TEXT_HEADER,
}
WRONG_METHOD: dict[str, Any] = {
    "description": "The path does not take this method; `Allow` names those it takes.",
    "headers": {"Allow": {"description": "The methods that the path takes.", **TEXT_HEADER}},
}
TAG_HEADERS = {
    "articles": {
        "X-Rules-Version": {"description": "Hash of the naming rules that were in force.", **TEXT_HEADER}
    }
}
"""Headers of every response of a group, by tag."""
DEPRECATION_HEADERS = {
    "Deprecation": {"description": "RFC 9745: since when this is deprecated.", **TEXT_HEADER},
    "Link": {"description": 'The successor, `rel="successor-version"`.', **TEXT_HEADER},
}


PATH = "/openapi.json"
BEARER, OAUTH2 = "Bearer", "OAuth2"
_GENERATED_SCHEMAS = ("HTTPValidationError", "ValidationError")
EMPTY: Mapping[str, Any] = MappingProxyType({})


class NamedRoute(Protocol):
    name: str


def build_operation_id(route: NamedRoute) -> str:
    """Build the ``operationId`` from the name of the endpoint's function: ``read_topic`` is ``getTopic``."""
    verb, *rest = route.name.split("_")
    return ("get" if verb == "read" else verb) + "".join(word.capitalize() for word in rest)


def install(
    app: FastAPI,
    components: Mapping[str, Any] = EMPTY,
    *,
    security_schemes: Mapping[str, Any] = EMPTY,
    servers: Sequence[Mapping[str, str]] = (),
) -> None:
    """Make ``app.openapi()`` return the completed document, which is built once, and serve it.

    ``components`` are the schemas of bodies that the framework does not read itself. ``security_schemes`` are
    those that no route declares: ``OAuth2``, whose tokens are accepted wherever ``Bearer`` is.
    """
    prepared: list[Prepared] = []

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            generated = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                servers=[dict(server) for server in servers] or None,
            )
            app.openapi_schema = complete_document(generated, components, security_schemes)
        return app.openapi_schema

    def read_document(request: Request) -> Response:
        if not prepared:
            answer = Prepared(orjson.dumps(document()), cache_control="no-cache")
            answer.compress()
            prepared.append(answer)
        return PreparedResponse(prepared[0], request)

    app.openapi = document  # type: ignore[method-assign]
    app.add_api_route(PATH, read_document, include_in_schema=False)


def complete_document(
    document: dict[str, Any],
    components: Mapping[str, Any] = EMPTY,
    security_schemes: Mapping[str, Any] = EMPTY,
) -> dict[str, Any]:
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for unused in _GENERATED_SCHEMAS:
        schemas.pop(unused, None)
    schemas["Problem"] = PROBLEM_SCHEMA
    schemas.update(components)
    document["components"].setdefault("securitySchemes", {}).update(security_schemes)
    document["components"]["headers"] = {**COMMON_HEADERS, **LIMIT_HEADERS}
    info = document.setdefault("info", {})
    info["description"] = f"{info.get('description', '')} {HEADERS_DESCRIPTION}".strip()
    for path, item in document["paths"].items():
        for operation in item.values():
            if OAUTH2 in security_schemes:
                _add_oauth2(operation)
            _complete_operation(operation, _build_error_content(path), is_limited=path not in ALWAYS_ANSWERED)
            if path.startswith("/oauth/"):
                operation["responses"]["405"]["headers"].update(NO_STORE)
    for schema in schemas.values():
        simplify_schema(schema)
    for operation in list_operations(document):
        for parameter in operation.get("parameters", ()):
            remove_null(parameter["schema"])
            simplify_schema(parameter["schema"])
            if "description" in parameter:
                parameter["schema"].pop("description", None)  # the framework writes it twice
            if not parameter.get("required"):
                parameter.pop("required", None)  # the default
        for body in (operation.get("requestBody", {}), *operation["responses"].values()):
            simplify_schema([content.get("schema") for content in body.get("content", {}).values()])
    add_examples(document)
    share_components(document)
    return document


def _add_oauth2(operation: dict[str, Any]) -> None:
    requirements = operation.get("security", [])
    requirements += [{OAUTH2: scopes[BEARER]} for scopes in requirements if BEARER in scopes]


def _build_error_content(path: str) -> dict[str, Any]:
    """Return the content of the framework's own errors at ``path``; see ``errors.render``."""
    if path.startswith("/oauth/"):
        return {"application/json": {"schema": {"$ref": "#/components/schemas/OAuthProblem"}}}
    return {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


def _complete_operation(
    operation: dict[str, Any], error_content: dict[str, Any], *, is_limited: bool
) -> None:
    responses = operation["responses"]
    had_input = responses.pop("422", None) is not None
    statuses = {"500"}
    if operation.get("security"):
        statuses |= {"401", "403"}
    if had_input:
        statuses.add("400")
    if "requestBody" in operation:
        statuses |= {"400", "408", "413", "415"}
    if is_limited:
        statuses |= {"429", "503"}
    content = _find_error_content(responses)
    for status in sorted(statuses):
        responses.setdefault(status, {"description": STATUS_DESCRIPTIONS[status], **deepcopy(content)})
    responses.setdefault("405", {**deepcopy(WRONG_METHOD), **deepcopy(content)})
    cacheable = "304" in responses
    for status, response in responses.items():
        if response["description"] == "Successful Response":  # the framework's words, for no reader
            response["description"] = "OK"
        headers = response.setdefault("headers", {})
        for tag in operation.get("tags", ()):
            headers.update(TAG_HEADERS.get(tag, {}))
        if status in ("200", "304") and cacheable:
            headers.update(CACHE_HEADERS)
        if status in ("200", "304") and operation.get("deprecated"):
            headers.update(DEPRECATION_HEADERS)
        if status == "401":
            headers["WWW-Authenticate"] = TEXT_HEADER
        if status == "403" and operation.get("security"):
            headers["WWW-Authenticate"] = {"description": "To access tokens: RFC 6750, 3.1.", **TEXT_HEADER}
        if status in ("429", "503"):
            headers["Retry-After"] = {"description": "Seconds.", "schema": {"type": "integer"}}
        if status[0] in "45" and "content" not in response:
            response.setdefault("description", STATUS_DESCRIPTIONS.get(status, ""))
            response["content"] = deepcopy(error_content)
    operation["responses"] = dict(sorted(responses.items()))


def _find_error_content(responses: dict[str, Any]) -> dict[str, Any]:
    """Return the error content that the group of the path declares itself, if any."""
    declared: dict[str, Any] = next(
        (responses[status] for status in ("401", "400") if "content" in responses.get(status, {})), {}
    )
    return {"content": declared["content"]} if declared else {}
