"""The way in and the way out: ``/sign-in``, ``/sign-in/callback``, ``/sign-in/session``, ``/sign-out``."""

import hmac
import logging
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from backend.settings import is_loopback
from dashboard.i18n import HTML_LANG
from dashboard.sign_in import oauth_state, return_url
from dashboard.sign_in.guard import is_own
from dashboard.sign_in.oauth_client import Refused, Tokens, Unavailable
from dashboard.sign_in.page import WHYS, Why, language_of, page
from dashboard.sign_in.service import Desk, NotRegistered, open_desk
from dashboard.sign_in.session_store import LONGEST_SECONDS

log = logging.getLogger(__name__)
LONGEST_FORM = 4096
NO_STORE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


async def sign_in(request: Request) -> Response:
    """Lead to the service's sign-in, or tell why somebody is here first."""
    there, to = open_desk(), return_url.kept(request.query_params.get("next"))
    if there is None:
        return _to(to)
    if there.session_of(request.cookies) is not None:
        return _to(to)
    why = next((why for why in WHYS if why == request.query_params.get("why")), None)
    elsewhere = _elsewhere(request, there, to)
    if elsewhere is not None:
        return elsewhere
    if why is not None:
        return page(request, why, to)
    return await run_in_threadpool(_begin, request, there, to)


async def callback(request: Request) -> Response:
    """Where the service sends people back to (RFC 6749 section 4.1.2)."""
    there, told = open_desk(), request.query_params
    if there is None:
        return _to(return_url.HOME)
    state = told.get("state", "")
    attempt = oauth_state.find(request.cookies, there.cookies.attempt, state)
    if attempt is None:  # another browser's, or too long ago; and what it says is not looked at
        known = there.session_of(request.cookies) is not None
        return _to(return_url.HOME if known else return_url.sign_in(return_url.HOME, "lost"))
    return await run_in_threadpool(_end, request, there, attempt)


async def session(request: Request) -> Response:
    """Whether this browser is signed in: 204, or 401."""
    there = open_desk()
    known = there is None or there.session_of(request.cookies) is not None
    return Response(status_code=HTTPStatus.NO_CONTENT if known else HTTPStatus.UNAUTHORIZED, headers=NO_STORE)


async def sign_out(request: Request) -> Response:
    """End the session here and at the service. The form carries the session's own word, so that no other site
    can sign anybody out. The next sign-in asks for the password, whatever the service has heard by then."""
    there = open_desk()
    if there is None:
        return _to(return_url.HOME)
    site = request.headers.get("sec-fetch-site", "same-origin")
    foreign = site != "same-origin" or not is_own(request.scope, there)
    known = there.session_of(request.cookies)
    if known is None:  # a page that was open while the dashboard was restarted: the service ends the session
        response = _to(return_url.sign_in(return_url.HOME))
        if not foreign:
            _keep(response, there, there.cookies.signed_out, "1", int(LONGEST_SECONDS))
        return response
    sent = await _form(request)
    if foreign or not hmac.compare_digest(sent.get("csrf", "").encode(), known.csrf.encode()):
        refused = page(request, "foreign", return_url.HOME)
        refused.status_code = HTTPStatus.FORBIDDEN
        return refused
    revoked = await run_in_threadpool(there.sessions.sign_out, known)
    response = _to(return_url.sign_in(return_url.HOME, "signed_out" if revoked else "unrevoked"))
    _drop(response, there, there.cookies.session)
    _keep(response, there, there.cookies.signed_out, "1", int(LONGEST_SECONDS))
    return response


ROUTES = (
    Route("/sign-in", sign_in, methods=["GET"]),
    Route("/sign-in/callback", callback, methods=["GET"]),
    Route("/sign-in/session", session, methods=["GET"]),
    Route("/sign-out", sign_out, methods=["POST"]),
)


def _begin(request: Request, there: Desk, to: str) -> Response:
    attempt = oauth_state.begin(to)
    try:
        client_id = there.client_id()
        address = there.authority.address(
            attempt,
            client_id=client_id,
            redirect_uri=there.redirect_uri,
            language=HTML_LANG[language_of(request, to)],
            ask_password=there.cookies.signed_out in request.cookies,
        )
    except NotRegistered as fault:
        return page(request, "unregistered", to, note=str(fault))
    except Unavailable:
        return page(request, "unreachable", to)
    response = RedirectResponse(address, HTTPStatus.SEE_OTHER, headers=NO_STORE)
    begun = [name for name in request.cookies if name.startswith(there.cookies.attempt)]
    for name in begun[: max(0, len(begun) - oauth_state.MOST + 1)]:
        _drop(response, there, name)
    name = oauth_state.cookie_name(there.cookies.attempt, attempt.state)
    _keep(response, there, name, attempt.cookie(), oauth_state.LIFE_SECONDS)
    return response


def _end(request: Request, there: Desk, attempt: oauth_state.Attempt) -> Response:
    """What came of an attempt of this browser, whose cookie is taken back whatever it was."""
    try:
        name, tokens = _exchanged(request, there, attempt)
    except NotAdmitted as refusal:
        # Told on a page of its own address, so that a reload does not send the code again.
        response = _to(return_url.sign_in(attempt.to, refusal.why))
    else:
        response = _to(attempt.to)
        former = there.session_of(request.cookies)
        if former is not None and name and former.name == name:
            there.sessions.discard(tokens)  # another tab was first; its pages go on
        else:
            if former is not None:
                there.sessions.end(former)
            secret = there.admit(name, tokens)
            _keep(response, there, there.cookies.session, secret, int(LONGEST_SECONDS))
        _drop(response, there, there.cookies.signed_out)
    _drop(response, there, oauth_state.cookie_name(there.cookies.attempt, attempt.state))
    return response


class NotAdmitted(Exception):
    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why


def _exchanged(request: Request, there: Desk, attempt: oauth_state.Attempt) -> tuple[str, Tokens]:
    """Who signed in, and their tokens. Raises :class:`NotAdmitted`."""
    told = request.query_params
    try:
        if told.get("iss") != there.authority.metadata().issuer:  # RFC 9207: another server's answer
            log.warning("A sign-in was answered in the name of another issuer.")
            raise NotAdmitted("failed")
        if "error" in told or not told.get("code"):
            raise NotAdmitted("denied" if told.get("error") == "access_denied" else "failed")
        client_id = there.client_id()
        tokens = there.authority.exchange(
            told["code"], attempt, client_id=client_id, redirect_uri=there.redirect_uri
        )
        if "read" not in tokens.scopes:
            there.sessions.discard(tokens)
            raise NotAdmitted("no_read")
        try:
            name = there.authority.name_of(tokens)
        except Unavailable:  # they are signed in all the same
            name = ""
    except Unavailable:
        raise NotAdmitted("unreachable") from None
    except NotRegistered:
        raise NotAdmitted("unregistered") from None
    except Refused as refusal:
        log.warning("The service gave no tokens for a code: %s.", refusal.error[:40])
        raise NotAdmitted("failed") from None
    return name, tokens


def _elsewhere(request: Request, there: Desk, to: str) -> Response | None:
    """For who opened another address than the one that the service sends people back to, and that nobody
    named in the settings."""
    host, own = request.headers.get("host", ""), urlsplit(there.origin)
    if there.named_origin or host.lower() == own.netloc:
        return None
    both_here = is_loopback(_name(host)) and is_loopback(own.hostname or "")
    if both_here:
        return RedirectResponse(
            f"{there.origin}{return_url.sign_in(to)}", HTTPStatus.SEE_OTHER, headers=NO_STORE
        )
    return page(request, "elsewhere", to, origin=there.origin)


def _name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def _form(request: Request) -> dict[str, str]:
    sent = bytearray()
    async for part in request.stream():
        sent += part
        if len(sent) > LONGEST_FORM:
            return {}
    fields: dict[str, Any] = parse_qs(sent.decode("utf-8", "replace"))
    return {name: values[0] for name, values in fields.items()}


def _to(address: str) -> RedirectResponse:
    return RedirectResponse(address, HTTPStatus.SEE_OTHER, headers=NO_STORE)


def _keep(response: Response, there: Desk, name: str, value: str, seconds: int) -> None:
    response.set_cookie(
        name, value, max_age=seconds, path="/", secure=there.cookies.secure, httponly=True, samesite="lax"
    )


def _drop(response: Response, there: Desk, name: str) -> None:
    response.delete_cookie(name, path="/", secure=there.cookies.secure, httponly=True, samesite="lax")
