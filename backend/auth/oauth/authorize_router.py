"""Serves ``/oauth/authorize``: the page for sign-in and consent, and the redirect to the application."""

from collections.abc import Callable
from typing import Annotated

import structlog
from fastapi import APIRouter, Depends, Request
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.responses import HTMLResponse, Response

from backend.auth.oauth import parameters, sign_in_page
from backend.auth.oauth.accounts import Throttled
from backend.auth.oauth.authorization_request import (
    REQUEST_PARAMETERS,
    AuthorizationRequest,
    RedirectedError,
    UnredirectableRequest,
    build_redirect_url,
    validate_request,
)
from backend.auth.oauth.cookies import csrf_token, generate_secret, is_valid_csrf_token
from backend.auth.oauth.errors import OAuthError
from backend.auth.oauth.openapi import AUTHORIZE_GET, AUTHORIZE_POST
from backend.auth.oauth.parameters import Parameters, read_form
from backend.auth.oauth.service import OAuth
from backend.auth.oauth.translations import CATALOGUES
from backend.errors import Unavailable
from backend.http.pages.languages import Language, choose_language

router = APIRouter(tags=["oauth"])
log = structlog.get_logger(__name__)
STORE_FAILED = (OperationalError, InterfaceError, PoolTimeoutError, Unavailable)
RETRY_SECONDS = 5
Form = Annotated[Parameters, Depends(read_form)]


@router.get("/oauth/authorize", response_class=HTMLResponse, **AUTHORIZE_GET)
def show_sign_in_page(request: Request) -> Response:
    """Show the page that asks a person for name, password and consent.

    The dashboard gets its code at once if this browser is signed in already, unless `prompt` is `login`.
    Errors of a request are redirected to its `redirect_uri`. An unregistered `client_id` or `redirect_uri`
    gets an error page and no redirect.
    """
    try:
        sent = parameters.parse(request.scope["query_string"])
    except OAuthError:
        language = choose_language(None, request.headers.get("accept-language"))
        return HTMLResponse(
            sign_in_page.render_problem("unreadable", language, {}), 400, sign_in_page.build_headers()
        )
    return _respond(
        request,
        sent,
        lambda authorization: _resume(request, authorization) or _render_page(request, sent, authorization),
    )


@router.post("/oauth/authorize", status_code=303, response_class=Response, **AUTHORIZE_POST)
def submit_sign_in_page(request: Request, sent: Form) -> Response:
    """Handle the form of the page.

    It sends the request again, a CSRF token, and `approve` with name and password, or `deny`. The browser
    is redirected to the `redirect_uri` with a code or with the error `access_denied`.
    """
    return _respond(request, sent, lambda authorization: _handle_form(request, sent, authorization))


def _respond(
    request: Request, sent: Parameters, handle: Callable[[AuthorizationRequest], Response]
) -> Response:
    """Return the response of ``handle`` for a valid request, else an error page or redirect."""
    oauth: OAuth = request.app.state.oauth
    repeated = {name: value for name, value in sent.values.items() if name in REQUEST_PARAMETERS}
    try:
        return handle(validate_request(sent, oauth.find_app(sent.get("client_id"))))
    except UnredirectableRequest as error:
        return HTMLResponse(
            sign_in_page.render_problem(error.problem, _choose_language(request, sent), repeated),
            400,
            sign_in_page.build_headers(),
        )
    except RedirectedError as error:
        answer = {"error": error.error, "error_description": error.description}
        return _build_redirect(build_redirect_url(error.redirect_uri, error.state, oauth.issuer, answer))
    except STORE_FAILED as error:
        log.warning("authorization_lookup_failed", error=type(error).__name__)
        headers = sign_in_page.build_headers() | {"Retry-After": str(RETRY_SECONDS)}
        return HTMLResponse(
            sign_in_page.render_unavailable(_choose_language(request, sent), repeated), 503, headers
        )


def _resume(request: Request, authorization: AuthorizationRequest) -> Response | None:
    """Redirect a signed-in browser at once; null if the page must be shown.

    Requests of frames and scripts, by ``Sec-Fetch-Dest``, get null and end no session. Requests of other
    sites end no session either.
    """
    if request.headers.get("sec-fetch-dest", "document") != "document":
        return None
    oauth: OAuth = request.app.state.oauth
    session = oauth.session_cookie.read(request)
    if authorization.requires_password and request.headers.get("sec-fetch-site") != "cross-site":
        oauth.sign_out(authorization, session)
    address = oauth.resume(authorization, session)
    return None if address is None else _build_redirect(address)


def _handle_form(request: Request, sent: Parameters, authorization: AuthorizationRequest) -> Response:
    oauth: OAuth = request.app.state.oauth
    texts = CATALOGUES[_choose_language(request, sent)]
    if not is_valid_csrf_token(oauth.cookie.read(request), authorization.parameters, sent.get("csrf_token")):
        return _render_page(request, sent, authorization, texts.stale_form, 403)
    if "deny" in sent.names:
        raise authorization.build_error("access_denied", "The person refused.")
    username, password = sent.get("username"), sent.get("password")
    if username is None or password is None or "approve" not in sent.names:
        return _render_page(request, sent, authorization, texts.incomplete, 400)
    address = request.client.host if request.client else ""
    outcome = oauth.approve(
        authorization,
        username,
        password,
        address=address,
        session=oauth.session_cookie.read(request),
        user_agent=request.headers.get("user-agent", ""),
    )
    if isinstance(outcome, Throttled):
        wait = outcome.retry_after
        answer = _render_page(request, sent, authorization, texts.throttled.format(seconds=wait), 429)
        answer.headers["Retry-After"] = str(wait)
        return answer
    if outcome is None:
        return _render_page(request, sent, authorization, texts.wrong_credentials, 403)
    answer = _build_redirect(outcome.address)
    if outcome.session is not None:
        oauth.session_cookie.set_on(answer, outcome.session)
    return answer


def _render_page(
    request: Request,
    sent: Parameters,
    authorization: AuthorizationRequest,
    complaint: str | None = None,
    status: int = 200,
) -> Response:
    cookie = request.app.state.oauth.cookie
    session = cookie.read(request) or generate_secret()
    html = sign_in_page.render_consent(
        authorization,
        _choose_language(request, sent),
        csrf_token=csrf_token(session, authorization.parameters),
        username=sent.get("username") or "" if complaint else "",
        complaint=complaint,
    )
    answer = HTMLResponse(html, status, sign_in_page.build_headers(authorization.redirect_uri))
    cookie.set_on(answer, session)
    return answer


def _build_redirect(address: str) -> Response:
    """303, so that a browser never sends the password on (RFC 9700 section 4.12)."""
    headers = {
        "Location": address,
        "Cache-Control": "no-store",
        "Pragma": "no-cache",
        "Referrer-Policy": "no-referrer",
    }
    return Response(status_code=303, headers=headers)


def _choose_language(request: Request, sent: Parameters) -> Language:
    return choose_language(sent.get("ui_locales"), request.headers.get("accept-language"))
