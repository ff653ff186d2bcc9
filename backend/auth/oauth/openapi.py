"""Describes the OAuth endpoints for the OpenAPI document, since the framework does not know their forms."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from backend.formats.field_types import Url
from backend.http.openapi import NO_STORE

TEXT: dict[str, Any] = {"schema": {"type": "string"}}
RETRY_AFTER: dict[str, Any] = {"description": "Seconds.", "schema": {"type": "integer"}}
UUID: dict[str, Any] = {"type": "string", "format": "uuid"}
STRING: dict[str, Any] = {"type": "string"}


SCOPE_DESCRIPTIONS = {
    "read": "Read everything, and check articles without storing findings.",
    "write": "Submit and cancel jobs, and store findings.",
    "ingest": "Add topics and runs.",
    "admin": "Nothing yet that the others do not.",
}


def build_oauth2_scheme(issuer: str) -> dict[str, Any]:
    """Build the security scheme of access tokens. ``issuer`` is the URL in front of the endpoints."""
    return {
        "type": "oauth2",
        "description": "Authorization code with PKCE: `code_challenge_method` is `S256`. Applications are "
        "public and have no secret. Send the access token as `Authorization: Bearer`.",
        "flows": {
            "authorizationCode": {
                "authorizationUrl": f"{issuer}/oauth/authorize",
                "tokenUrl": f"{issuer}/oauth/token",
                "refreshUrl": f"{issuer}/oauth/token",
                "scopes": SCOPE_DESCRIPTIONS,
            }
        },
    }


class OAuthProblem(BaseModel):
    """RFC 6749 section 5.2. The description is a sentence."""

    error: Literal[
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "invalid_scope",
        "invalid_token",
        "insufficient_scope",
        "unauthorized_client",
        "unsupported_grant_type",
        "temporarily_unavailable",
        "server_error",
    ]
    error_description: str


class TokenResponse(BaseModel):
    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int
    refresh_token: str
    scope: str


class ServerMetadata(BaseModel):
    """RFC 8414 section 2."""

    model_config = ConfigDict(extra="forbid")

    issuer: Url
    authorization_endpoint: Url
    token_endpoint: Url
    revocation_endpoint: Url
    introspection_endpoint: Url
    scopes_supported: list[str]
    response_types_supported: list[str]
    response_modes_supported: list[str]
    grant_types_supported: list[str]
    token_endpoint_auth_methods_supported: list[str]
    revocation_endpoint_auth_methods_supported: list[str]
    introspection_endpoint_auth_methods_supported: list[str]
    code_challenge_methods_supported: list[str]
    authorization_response_iss_parameter_supported: bool
    ui_locales_supported: list[str]
    service_documentation: Url


def _describe_error(description: str, **headers: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/OAuthProblem"}}}
    return {"description": description, "content": content, "headers": {**NO_STORE, **headers}}


def _describe_html(description: str, **headers: Any) -> dict[str, Any]:
    content = {"text/html": {"schema": {"type": "string"}}}
    return {"description": description, "content": content, "headers": {**PAGE_HEADERS, **headers}}


PAGE_HEADERS: dict[str, Any] = {
    **NO_STORE,
    "Content-Security-Policy": TEXT,
    "X-Frame-Options": {"schema": {"const": "DENY"}},
    "Referrer-Policy": {"schema": {"const": "no-referrer"}},
    "Cross-Origin-Resource-Policy": {"schema": {"const": "same-origin"}},
    "Vary": TEXT,
}
COOKIE: dict[str, Any] = {
    "description": "Ties the form to this browser; no sign-in is kept.",
    "schema": {"type": "string"},
}
SESSION_COOKIE: dict[str, Any] = {
    "description": "At the dashboard's sign-in: keeps this browser signed in.",
    "schema": {"type": "string"},
}
ERRORS: dict[int | str, dict[str, Any]] = {
    413: _describe_error("The body is over the limit of 64 KiB."),
    415: _describe_error("The body is not `application/x-www-form-urlencoded` in UTF-8."),
    500: _describe_error("A fault of the service."),
    503: _describe_error("A dependency is down; `Retry-After` says when to ask again."),
}
UNKNOWN_CLIENT = _describe_error("`invalid_client`: no such application.", **{"WWW-Authenticate": TEXT})
REDIRECT: dict[str, Any] = {
    "description": "To the `redirect_uri`: with `code`, or with `error` and `error_description`; always with "
    "`iss`, and with `state` if it was sent.",
    "headers": {
        **NO_STORE,
        "Location": {"schema": {"type": "string", "format": "uri"}},
        "Referrer-Policy": {"schema": {"const": "no-referrer"}},
    },
}
AUTHORIZATION: dict[str, dict[str, Any]] = {
    "response_type": {"type": "string", "enum": ["code"], "description": "An authorization code."},
    "client_id": {**UUID, "description": "The application, as it was registered."},
    "redirect_uri": {"type": "string", "format": "uri", "description": "Exactly as registered."},
    "code_challenge": {
        "type": "string",
        "pattern": "^[A-Za-z0-9_-]{43}$",
        "description": "The SHA-256 of the code verifier in base64url (RFC 7636).",
    },
    "code_challenge_method": {"type": "string", "enum": ["S256"], "description": "How it was made."},
    "scope": {"type": "string", "default": "read", "description": "Scopes with single spaces between them."},
    "state": {"type": "string", "description": "Returned unchanged with the redirect."},
    "response_mode": {
        "type": "string",
        "enum": ["query"],
        "description": "The code is returned in the query of the redirect.",
    },
    "prompt": {
        "type": "string",
        "description": "With `login` the password is asked for although the browser stays signed in.",
    },
    "ui_locales": {"type": "string", "description": "Languages of the page, the most wanted first."},
}
REQUIRED = ["response_type", "client_id", "redirect_uri", "code_challenge", "code_challenge_method"]


def _describe_form(properties: dict[str, dict[str, Any]], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "required": required, "properties": properties}
    content = {"application/x-www-form-urlencoded": {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}


AUTHORIZE_GET: dict[str, Any] = {
    "responses": {
        200: _describe_html("The page.", **{"Set-Cookie": COOKIE}),
        303: REDIRECT,
        400: _describe_html("Why the request cannot go on; nobody is redirected."),
        500: ERRORS[500],
        503: _describe_html("The store does not answer.", **{"Retry-After": RETRY_AFTER}),
    },
    "openapi_extra": {
        "parameters": [
            {
                "name": name,
                "in": "query",
                "required": name in REQUIRED,
                "description": schema["description"],
                "schema": {key: value for key, value in schema.items() if key != "description"},
            }
            for name, schema in AUTHORIZATION.items()
        ]
    },
}
AUTHORIZE_POST: dict[str, Any] = {
    "responses": {
        303: {**REDIRECT, "headers": {**REDIRECT["headers"], "Set-Cookie": SESSION_COOKIE}},
        400: {
            **_describe_html(
                "Why the request cannot go on, or that the form is not complete.", **{"Set-Cookie": COOKIE}
            ),
            "content": {
                "text/html": {"schema": {"type": "string"}},
                "application/json": {"schema": {"$ref": "#/components/schemas/OAuthProblem"}},
            },
        },
        403: _describe_html(
            "Wrong name or password, or a stale form; the page again.", **{"Set-Cookie": COOKIE}
        ),
        429: _describe_html(
            "Too many attempts; the page again.", **{"Set-Cookie": COOKIE, "Retry-After": RETRY_AFTER}
        ),
        503: _describe_html("The store does not answer.", **{"Retry-After": RETRY_AFTER}),
        **{status: ERRORS[status] for status in (413, 415, 500)},
    },
    "openapi_extra": _describe_form(
        {
            **AUTHORIZATION,
            "csrf_token": STRING,
            "username": STRING,
            "password": {"type": "string", "format": "password"},
            "approve": STRING,
            "deny": STRING,
        },
        [*REQUIRED, "csrf_token"],
    ),
}
TOKEN: dict[str, Any] = {
    "response_model": TokenResponse,
    "responses": {
        200: {"description": "Tokens.", "headers": NO_STORE},
        400: {
            **_describe_error(
                "What is wrong with the request or its grant, by the words of RFC 6749 section 5.2."
            ),
            "model": OAuthProblem,  # once, for the schema to be among the components
        },
        401: UNKNOWN_CLIENT,
        **ERRORS,
    },
    "openapi_extra": _describe_form(
        {
            "grant_type": {"type": "string", "enum": ["authorization_code", "refresh_token"]},
            "client_id": UUID,
            "code": STRING,
            "redirect_uri": {"type": "string", "format": "uri"},
            "code_verifier": {"type": "string", "pattern": "^[A-Za-z0-9._~-]{43,128}$"},
            "refresh_token": STRING,
            "scope": {"type": "string", "description": "May only narrow what was granted."},
        },
        ["grant_type"],
    ),
}
TOKEN_OF_THE_FORM: dict[str, dict[str, Any]] = {
    "token": STRING,
    "token_type_hint": {"type": "string", "description": "`access_token` or `refresh_token`; not needed."},
}
REVOKE: dict[str, Any] = {
    "response_class": Response,
    "responses": {
        200: {"description": "The token is revoked, or was over before.", "headers": NO_STORE},
        400: _describe_error("What is wrong with the request."),
        401: UNKNOWN_CLIENT,
        **ERRORS,
    },
    "openapi_extra": _describe_form(
        {
            **TOKEN_OF_THE_FORM,
            "client_id": UUID,
            "end_session": {
                "type": "string",
                "enum": ["true"],
                "description": "Also signs the person out of the browser in which the token was granted.",
            },
        },
        ["token"],
    ),
}
INTROSPECTION: dict[str, Any] = {
    "type": "object",
    "description": "Of a token that is over, `active` alone; of a refresh token there is no `token_type`.",
    "required": ["active"],
    "additionalProperties": False,
    "properties": {
        "active": {"type": "boolean"},
        "scope": STRING,
        "client_id": UUID,
        "username": STRING,
        "sub": {**UUID, "description": "The account."},
        "token_type": {"const": "Bearer"},
        "iat": {"type": "integer", "description": "Seconds since the epoch."},
        "exp": {"type": "integer", "description": "Seconds since the epoch."},
        "iss": {"type": "string", "format": "uri"},
    },
}
INTROSPECT: dict[str, Any] = {
    "response_class": Response,
    "responses": {
        200: {
            "description": "The token.",
            "headers": NO_STORE,
            "content": {"application/json": {"schema": INTROSPECTION}},
        },
        400: _describe_error("What is wrong with the request."),
        401: _describe_error("The caller's credential is missing or not valid."),
        403: _describe_error("The caller's credential lacks the scope `read`."),
        **ERRORS,
    },
    "openapi_extra": _describe_form(TOKEN_OF_THE_FORM, ["token"]),
}
METADATA: dict[str, Any] = {
    "response_model": ServerMetadata,
    "responses": {200: {"description": "The metadata.", "headers": {"Cache-Control": TEXT}}},
}
