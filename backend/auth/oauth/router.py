"""The endpoints that programs call: tokens for codes, revocation, introspection, metadata."""

import base64
from typing import Annotated
from urllib.parse import unquote_plus

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from backend.auth.gate import gated_router
from backend.auth.oauth import grants
from backend.auth.oauth.apps import CLIENT_ID
from backend.auth.oauth.errors import OAuthError, unknown_client
from backend.auth.oauth.grants import Issued
from backend.auth.oauth.openapi import INTROSPECT, METADATA, REVOKE, TOKEN
from backend.auth.oauth.parameters import Parameters, read_form
from backend.auth.oauth.service import OAuth

router = APIRouter(tags=["oauth"])
introspection = gated_router(scope="read", tags=["oauth"])
Form = Annotated[Parameters, Depends(read_form)]
UNSTORED = {"Cache-Control": "no-store", "Pragma": "no-cache"}
VERIFIER_LENGTH = (43, 128)
VERIFIER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
GRANTS = ("authorization_code", "refresh_token")


@router.post("/oauth/token", **TOKEN)
def exchange(request: Request, sent: Form) -> Response:
    """Tokens for an authorization code, or for a refresh token (RFC 6749 sections 4.1.3 and 6)."""
    sent.refuse_repeated(
        ("grant_type", "client_id", "code", "redirect_uri", "code_verifier", "refresh_token", "scope")
    )
    grant = sent.need("grant_type")
    if grant not in GRANTS:
        raise OAuthError("unsupported_grant_type", f"The grant_type is one of {', '.join(GRANTS)}.")
    client_id = _client_id(request, sent)
    issued = (
        _for_code(request, sent, client_id) if grant == GRANTS[0] else _for_refresh(request, sent, client_id)
    )
    if isinstance(issued, OAuthError):
        raise issued
    return JSONResponse(issued.to_json(), headers=UNSTORED)


@router.post("/oauth/revoke", **REVOKE)
def revoke(request: Request, sent: Form) -> Response:
    """Revoke a token (RFC 7009). With a refresh token all that was issued under its grant is revoked.

    With `end_session=true` the browser in which the dashboard got the token is signed out.
    """
    sent.refuse_repeated(("token", "token_type_hint", "client_id", "end_session"))
    oauth: OAuth = request.app.state.oauth
    refusal = grants.revoke(
        oauth.database,
        token=sent.need("token"),
        client_id=_client_id(request, sent),
        end_session=sent.get("end_session") == "true",
        now=oauth.now(),
    )
    if refusal is not None:
        raise refusal
    return Response(headers=UNSTORED)


@introspection.post("/oauth/introspect", **INTROSPECT)
def introspect(request: Request, sent: Form) -> Response:
    """What a token is good for now (RFC 7662): asked of the store, so that a revoked one never passes."""
    sent.refuse_repeated(("token", "token_type_hint"))
    oauth: OAuth = request.app.state.oauth
    told = grants.introspect(oauth.database, sent.need("token"), oauth.now())
    return JSONResponse({**told, "iss": oauth.issuer} if told["active"] else told, headers=UNSTORED)


@router.get("/.well-known/oauth-authorization-server", **METADATA)
def metadata(request: Request) -> Response:
    """Where the endpoints are and what they take (RFC 8414)."""
    oauth: OAuth = request.app.state.oauth
    return JSONResponse(oauth.metadata(), headers={"Cache-Control": "public, max-age=3600"})


def _for_code(request: Request, sent: Parameters, client_id: str | None) -> Issued | OAuthError:
    if client_id is None:
        sent.need("client_id")
    code, uri, verifier = sent.need("code"), sent.need("redirect_uri"), sent.need("code_verifier")
    shortest, longest = VERIFIER_LENGTH
    if not shortest <= len(verifier) <= longest or not VERIFIER.issuperset(verifier):
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


def _for_refresh(request: Request, sent: Parameters, client_id: str | None) -> Issued | OAuthError:
    oauth: OAuth = request.app.state.oauth
    return grants.refresh(
        oauth.database,
        refresh_token=sent.need("refresh_token"),
        client_id=client_id,
        scope=sent.get("scope"),
        now=oauth.now(),
    )


def _client_id(request: Request, sent: Parameters) -> str | None:
    """The client_id of the form, or the one that stands with an empty password in Basic authentication, in
    which some libraries send it (RFC 6749 section 2.3.1)."""
    named = sent.get("client_id")
    scheme, _, encoded = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            name, _, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
        except ValueError:  # neither base64 nor UTF-8
            raise OAuthError("invalid_client", "The Basic credentials cannot be read.", status=401) from None
        if secret or (named is not None and named != unquote_plus(name)):
            raise OAuthError(
                "invalid_client",
                "Applications are public here: they have a client_id and no secret.",
                status=401,
            )
        named = unquote_plus(name)
    if named is None:
        return None
    if not CLIENT_ID.fullmatch(named):
        raise unknown_client()
    return named.lower()
