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
from backend.auth.oauth.cookies import compute_csrf_token, generate_secret, is_valid_csrf_token
from backend.auth.oauth.errors import OAuthError
from backend.auth.oauth.openapi import AUTHORIZE_GET, AUTHORIZE_POST
from backend.auth.oauth.parameters import Parameters, read_form
from backend.auth.oauth.service import OAuth
from backend.auth.oauth.translations import CATALOGUES
from backend.errors import Unavailable
from backend.http.pages.languages import Language, choose_language

router = APIRouter(tags=["oauth"])
log = structlog.get_logger(__name__)
STORE_ERRORS = (OperationalError, InterfaceError, PoolTimeoutError, Unavailable)
RETRY_AFTER_SECONDS = 5
FormParameters = Annotated[Parameters, Depends(read_form)]


@router.get("/oauth/authorize", response_class=HTMLResponse, **AUTHORIZE_GET)
def show_sign_in_page(request: Request) -> Response:
    """Show the page that asks a person for name, password and consent.

    The dashboard gets its code at once if this browser is signed in already, unless `prompt` is `login`.
    Errors of a request are redirected to its `redirect_uri`. An unregistered `client_id` or `redirect_uri`
    gets an error page and no redirect.
    """
    try:
        request_parameters = parameters.parse(request.scope["query_string"])
    except OAuthError:
        language = choose_language(None, request.headers.get("accept-language"))
        return HTMLResponse(
            sign_in_page.render_problem("unreadable", language, {}), 400, sign_in_page.build_headers()
        )
    return _respond(
        request,
        request_parameters,
        lambda authorization: (
            _redirect_if_signed_in(request, authorization)
            or _render_page(request, request_parameters, authorization)
        ),
    )


@router.post("/oauth/authorize", status_code=303, response_class=Response, **AUTHORIZE_POST)
def submit_sign_in_page(request: Request, request_parameters: FormParameters) -> Response:
    """Handle the form of the page.

    The form contains the parameters of the authorization request, a CSRF token, and either `approve` with
    username and password, or `deny`. The browser is redirected to the `redirect_uri` with a code or with the
    error `access_denied`.
    """
    return _respond(
        request,
        request_parameters,
        lambda authorization: _handle_form(request, request_parameters, authorization),
    )


def _respond(
    request: Request, request_parameters: Parameters, handle: Callable[[AuthorizationRequest], Response]
) -> Response:
    """Return the response of ``handle`` for a valid request, else an error page or redirect."""
    oauth: OAuth = request.app.state.oauth
    link_parameters = {
        name: value for name, value in request_parameters.values.items() if name in REQUEST_PARAMETERS
    }
    try:
        return handle(
            validate_request(request_parameters, oauth.find_app(request_parameters.get("client_id")))
        )
    except UnredirectableRequest as error:
        return HTMLResponse(
            sign_in_page.render_problem(
                error.problem, _choose_language(request, request_parameters), link_parameters
            ),
            400,
            sign_in_page.build_headers(),
        )
    except RedirectedError as error:
        error_parameters = {"error": error.error, "error_description": error.description}
        return _build_redirect(
            build_redirect_url(error.redirect_uri, error.state, oauth.issuer, error_parameters)
        )
    except STORE_ERRORS as error:
        log.warning("authorization_store_failed", error=type(error).__name__)
        headers = sign_in_page.build_headers() | {"Retry-After": str(RETRY_AFTER_SECONDS)}
        return HTMLResponse(
            sign_in_page.render_unavailable(_choose_language(request, request_parameters), link_parameters),
            503,
            headers,
        )


def _redirect_if_signed_in(request: Request, authorization: AuthorizationRequest) -> Response | None:
    """Return a redirect if the browser is signed in, else None.

    If the request requires the password again, the session is ended first, except for cross-site requests.
    Requests from frames or scripts (``Sec-Fetch-Dest``) get None and end no session.
    """
    if request.headers.get("sec-fetch-dest", "document") != "document":
        return None
    oauth: OAuth = request.app.state.oauth
    session = oauth.session_cookie.read(request)
    if authorization.requires_password and request.headers.get("sec-fetch-site") != "cross-site":
        oauth.sign_out(authorization, session)
    redirect_url = oauth.resume(authorization, session)
    return None if redirect_url is None else _build_redirect(redirect_url)


def _handle_form(
    request: Request, request_parameters: Parameters, authorization: AuthorizationRequest
) -> Response:
    oauth: OAuth = request.app.state.oauth
    texts = CATALOGUES[_choose_language(request, request_parameters)]
    if not is_valid_csrf_token(
        oauth.csrf_cookie.read(request), authorization.parameters, request_parameters.get("csrf_token")
    ):
        return _render_page(request, request_parameters, authorization, texts.stale_form, 403)
    if "deny" in request_parameters.names:
        raise authorization.build_error("access_denied", "The person refused.")
    username, password = request_parameters.get("username"), request_parameters.get("password")
    if username is None or password is None or "approve" not in request_parameters.names:
        return _render_page(request, request_parameters, authorization, texts.incomplete, 400)
    client_ip = request.client.host if request.client else ""
    outcome = oauth.approve(
        authorization,
        username,
        password,
        client_ip=client_ip,
        session=oauth.session_cookie.read(request),
        user_agent=request.headers.get("user-agent", ""),
    )
    if isinstance(outcome, Throttled):
        wait = outcome.retry_after
        response = _render_page(
            request, request_parameters, authorization, texts.throttled.format(seconds=wait), 429
        )
        response.headers["Retry-After"] = str(wait)
        return response
    if outcome is None:
        return _render_page(request, request_parameters, authorization, texts.wrong_credentials, 403)
    response = _build_redirect(outcome.redirect_url)
    if outcome.session is not None:
        oauth.session_cookie.set_on(response, outcome.session)
    return response


def _render_page(
    request: Request,
    request_parameters: Parameters,
    authorization: AuthorizationRequest,
    error_message: str | None = None,
    status: int = 200,
) -> Response:
    cookie = request.app.state.oauth.csrf_cookie
    csrf_secret = cookie.read(request) or generate_secret()
    html = sign_in_page.render_consent(
        authorization,
        _choose_language(request, request_parameters),
        csrf_token=compute_csrf_token(csrf_secret, authorization.parameters),
        username=request_parameters.get("username") or "" if error_message else "",
        error_message=error_message,
    )
    response = HTMLResponse(html, status, sign_in_page.build_headers(authorization.redirect_uri))
    cookie.set_on(response, csrf_secret)
    return response


def _build_redirect(redirect_url: str) -> Response:
    """Build a redirect with status 303, so that the password is not sent on (RFC 9700 section 4.12)."""
    headers = {
        "Location": redirect_url,
        "Cache-Control": "no-store",
        "Pragma": "no-cache",
        "Referrer-Policy": "no-referrer",
    }
    return Response(status_code=303, headers=headers)


def _choose_language(request: Request, request_parameters: Parameters) -> Language:
    return choose_language(request_parameters.get("ui_locales"), request.headers.get("accept-language"))
