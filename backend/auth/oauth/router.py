"""Serves the OAuth endpoints for programs: token, revocation, introspection and metadata."""

import base64
from typing import Annotated
from urllib.parse import unquote_plus

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from backend.auth.credentials import Credentials
from backend.auth.gate import gated_router
from backend.auth.oauth import grants
from backend.auth.oauth.apps import CLIENT_ID
from backend.auth.oauth.errors import OAuthError, unknown_client
from backend.auth.oauth.grants import IssuedTokens
from backend.auth.oauth.openapi import INTROSPECT, METADATA, REVOKE, TOKEN
from backend.auth.oauth.parameters import Parameters, read_form
from backend.auth.oauth.service import OAuth

router = APIRouter(tags=["oauth"])
introspection = gated_router(scope="read", tags=["oauth"])
Form = Annotated[Parameters, Depends(read_form)]
NO_STORE_HEADERS = {"Cache-Control": "no-store", "Pragma": "no-cache"}
VERIFIER_LENGTH_RANGE = (43, 128)
VERIFIER_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
GRANT_TYPES = ("authorization_code", "refresh_token")


@router.post("/oauth/token", **TOKEN)
def exchange_token(request: Request, sent: Form) -> Response:
    """Exchange an authorization code or a refresh token for tokens (RFC 6749 sections 4.1.3 and 6)."""
    sent.refuse_repeated(
        ("grant_type", "client_id", "code", "redirect_uri", "code_verifier", "refresh_token", "scope")
    )
    grant = sent.require("grant_type")
    if grant not in GRANT_TYPES:
        raise OAuthError("unsupported_grant_type", f"The grant_type is one of {', '.join(GRANT_TYPES)}.")
    client_id = _parse_client_id(request, sent)
    issued = (
        _exchange_code(request, sent, client_id)
        if grant == GRANT_TYPES[0]
        else _exchange_refresh_token(request, sent, client_id)
    )
    if isinstance(issued, OAuthError):
        _forget_revoked_tokens(request)  # a code or refresh token that is used again revokes its family
        raise issued
    return JSONResponse(issued.to_json(), headers=NO_STORE_HEADERS)


@router.post("/oauth/revoke", **REVOKE)
def revoke_token(request: Request, sent: Form) -> Response:
    """Revoke a token (RFC 7009). A refresh token is revoked with all tokens of its grant.

    `end_session=true` also signs out the browser in which the dashboard got the token.
    """
    sent.refuse_repeated(("token", "token_type_hint", "client_id", "end_session"))
    oauth: OAuth = request.app.state.oauth
    refusal = grants.revoke(
        oauth.database,
        token=sent.require("token"),
        client_id=_parse_client_id(request, sent),
        end_session=_parse_end_session(sent),
        now=oauth.now(),
    )
    if refusal is not None:
        raise refusal
    _forget_revoked_tokens(request)
    return Response(headers=NO_STORE_HEADERS)


@introspection.post("/oauth/introspect", **INTROSPECT)
def introspect_token(request: Request, sent: Form) -> Response:
    """Describe a token (RFC 7662). The answer comes from the store, so a revoked token is never active."""
    sent.refuse_repeated(("token", "token_type_hint"))
    oauth: OAuth = request.app.state.oauth
    claims = grants.introspect(oauth.database, sent.require("token"), oauth.now())
    return JSONResponse(
        {**claims, "iss": oauth.issuer} if claims["active"] else claims, headers=NO_STORE_HEADERS
    )


@router.get("/.well-known/oauth-authorization-server", **METADATA)
def read_oauth_metadata(request: Request) -> Response:
    """Return the endpoints and their supported parameters (RFC 8414)."""
    oauth: OAuth = request.app.state.oauth
    return JSONResponse(oauth.metadata(), headers={"Cache-Control": "public, max-age=3600"})


def _exchange_code(request: Request, sent: Parameters, client_id: str | None) -> IssuedTokens | OAuthError:
    if client_id is None:
        sent.require("client_id")
    code, uri, verifier = sent.require("code"), sent.require("redirect_uri"), sent.require("code_verifier")
    shortest, longest = VERIFIER_LENGTH_RANGE
    if not shortest <= len(verifier) <= longest or not VERIFIER_CHARS.issuperset(verifier):
        raise OAuthError(
            "invalid_request",
            f"The code_verifier has {shortest} to {longest} characters of A-Z, a-z, 0-9, -, ., _ and ~.",
        )
    oauth: OAuth = request.app.state.oauth
    return grants.exchange_code(
        oauth.database,
        client_id=client_id or "",
        code=code,
        redirect_uri=uri,
        code_verifier=verifier,
        scope=sent.get("scope"),
        now=oauth.now(),
    )


def _exchange_refresh_token(
    request: Request, sent: Parameters, client_id: str | None
) -> IssuedTokens | OAuthError:
    oauth: OAuth = request.app.state.oauth
    return grants.refresh(
        oauth.database,
        refresh_token=sent.require("refresh_token"),
        client_id=client_id,
        scope=sent.get("scope"),
        now=oauth.now(),
    )


def _forget_revoked_tokens(request: Request) -> None:
    """Refuse revoked tokens before the response is sent. Other processes follow within a second or two."""
    credentials: Credentials = request.app.state.credentials
    credentials.reload_tokens()


def _parse_end_session(sent: Parameters) -> bool:
    value = sent.get("end_session")
    if value not in (None, "true"):
        raise OAuthError("invalid_request", "The end_session is 'true' or absent.")
    return value is not None


def _parse_client_id(request: Request, sent: Parameters) -> str | None:
    """Return the client_id of the form, or of Basic authentication with an empty password.

    Some libraries send it in the latter way (RFC 6749 section 2.3.1).
    """
    client_id = sent.get("client_id")
    scheme, _, encoded = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            name, _, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
        except ValueError:  # neither base64 nor UTF-8
            raise OAuthError("invalid_client", "The Basic credentials cannot be read.", status=401) from None
        if secret or (client_id is not None and client_id != unquote_plus(name)):
            raise OAuthError(
                "invalid_client",
                "Applications are public here: they have a client_id and no secret.",
                status=401,
            )
        client_id = unquote_plus(name)
    if client_id is None:
        return None
    if not CLIENT_ID.fullmatch(client_id):
        raise unknown_client()
    return client_id.lower()
