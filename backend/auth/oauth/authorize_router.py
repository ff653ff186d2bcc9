"""``/oauth/authorize``: the page on which a person signs in and allows, and what follows from its buttons."""

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
    ASKED,
    Answered,
    AuthorizationRequest,
    Shown,
    answer_address,
    judge,
)
from backend.auth.oauth.cookies import csrf_token, is_own, new_session
from backend.auth.oauth.errors import OAuthError
from backend.auth.oauth.openapi import AUTHORIZE_GET, AUTHORIZE_POST
from backend.auth.oauth.parameters import Parameters, read_form
from backend.auth.oauth.service import OAuth
from backend.auth.oauth.translations import CATALOGUES
from backend.errors import Unavailable
from backend.http.pages.languages import Language, chosen

router = APIRouter(tags=["oauth"])
log = structlog.get_logger(__name__)
STORE_FAILED = (OperationalError, InterfaceError, PoolTimeoutError, Unavailable)
RETRY_SECONDS = 5
Form = Annotated[Parameters, Depends(read_form)]


@router.get("/oauth/authorize", response_class=HTMLResponse, **AUTHORIZE_GET)
def show(request: Request) -> Response:
    """The page that asks a person for name, password and consent.

    The dashboard gets its code at once if the person stays signed in in this browser, unless `prompt` is
    `login`. What is wrong with a request is answered at its `redirect_uri`. A `client_id` or `redirect_uri`
    that is not registered is shown and never redirected to.
    """
    try:
        sent = parameters.read(request.scope["query_string"])
    except OAuthError:
        language = chosen(None, request.headers.get("accept-language"))
        return HTMLResponse(sign_in_page.problem("unreadable", language, {}), 400, sign_in_page.headers())
    return _answer(request, sent, lambda asked: _resumed(request, asked) or _page(request, sent, asked))


@router.post("/oauth/authorize", response_class=HTMLResponse, **AUTHORIZE_POST)
def decide(request: Request, sent: Form) -> Response:
    """What the page's form sends: the request again, a CSRF token, and `approve` with name and password, or
    `deny`. The browser is sent to the `redirect_uri`, with a code or with the error `access_denied`."""
    return _answer(request, sent, lambda asked: _decided(request, sent, asked))


def _answer(
    request: Request, sent: Parameters, go_on: Callable[[AuthorizationRequest], Response]
) -> Response:
    """What ``go_on`` makes of a request that may be put before a person, or the answer to any other."""
    oauth: OAuth = request.app.state.oauth
    repeated = {name: value for name, value in sent.values.items() if name in ASKED}
    try:
        return go_on(judge(sent, oauth.app(sent.get("client_id"))))
    except Shown as shown:
        return HTMLResponse(
            sign_in_page.problem(shown.fault, _language(request, sent), repeated), 400, sign_in_page.headers()
        )
    except Answered as told:
        answer = {"error": told.error, "error_description": told.description}
        return _redirect(answer_address(told.redirect_uri, told.state, oauth.issuer, answer))
    except STORE_FAILED as error:
        log.warning("authorization_not_looked_up", error=type(error).__name__)
        headers = sign_in_page.headers() | {"Retry-After": str(RETRY_SECONDS)}
        return HTMLResponse(sign_in_page.unavailable(_language(request, sent), repeated), 503, headers)


def _resumed(request: Request, asked: AuthorizationRequest) -> Response | None:
    """The answer to a browser that stays signed in.

    A frame or a script, as far as the browser tells, gets none and ends nothing; nor does another site end
    anything.
    """
    if request.headers.get("sec-fetch-dest", "document") != "document":
        return None
    oauth: OAuth = request.app.state.oauth
    session = oauth.session_cookie.read(request)
    if asked.wants_password and request.headers.get("sec-fetch-site") != "cross-site":
        oauth.sign_out(asked, session)
    address = oauth.resume(asked, session)
    return None if address is None else _redirect(address)


def _decided(request: Request, sent: Parameters, asked: AuthorizationRequest) -> Response:
    oauth: OAuth = request.app.state.oauth
    words = CATALOGUES[_language(request, sent)]
    if not is_own(oauth.cookie.read(request), asked.parameters, sent.get("csrf_token")):
        return _page(request, sent, asked, words.stale, 403)
    if "deny" in sent.names:
        raise asked.refused("access_denied", "The person refused.")
    username, password = sent.get("username"), sent.get("password")
    if username is None or password is None or "approve" not in sent.names:
        return _page(request, sent, asked, words.incomplete, 400)
    address = request.client.host if request.client else ""
    outcome = oauth.approve(
        asked,
        username,
        password,
        address=address,
        session=oauth.session_cookie.read(request),
        user_agent=request.headers.get("user-agent", ""),
    )
    if isinstance(outcome, Throttled):
        wait = outcome.retry_after
        answer = _page(request, sent, asked, words.throttled.format(seconds=wait), 429)
        answer.headers["Retry-After"] = str(wait)
        return answer
    if outcome is None:
        return _page(request, sent, asked, words.wrong, 403)
    answer = _redirect(outcome.address)
    if outcome.session is not None:
        oauth.session_cookie.put(answer, outcome.session)
    return answer


def _page(
    request: Request,
    sent: Parameters,
    asked: AuthorizationRequest,
    complaint: str | None = None,
    status: int = 200,
) -> Response:
    cookie = request.app.state.oauth.cookie
    session = cookie.read(request) or new_session()
    html = sign_in_page.consent(
        asked,
        _language(request, sent),
        csrf_token=csrf_token(session, asked.parameters),
        username=sent.get("username") or "" if complaint else "",
        complaint=complaint,
    )
    answer = HTMLResponse(html, status, sign_in_page.headers(asked.redirect_uri))
    cookie.put(answer, session)
    return answer


def _redirect(address: str) -> Response:
    """303, so that a browser never sends the password on (RFC 9700 section 4.12)."""
    headers = {
        "Location": address,
        "Cache-Control": "no-store",
        "Pragma": "no-cache",
        "Referrer-Policy": "no-referrer",
    }
    return Response(status_code=303, headers=headers)


def _language(request: Request, sent: Parameters) -> Language:
    return chosen(sent.get("ui_locales"), request.headers.get("accept-language"))
