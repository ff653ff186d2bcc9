"""Handles ``/sign-in``, ``/sign-in/callback``, ``/sign-in/session`` and ``/sign-out``."""

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
from dashboard.sign_in.guard import is_same_origin
from dashboard.sign_in.oauth_client import OAuthError, ServiceUnavailableError, Tokens
from dashboard.sign_in.page import REASONS, Reason, find_language, render_page
from dashboard.sign_in.service import NotRegisteredError, SignInService, find_service
from dashboard.sign_in.session_store import MAX_SESSION_SECONDS

log = logging.getLogger(__name__)
MAX_FORM_BYTES = 4096
NO_STORE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


async def sign_in(request: Request) -> Response:
    """Redirect to the service's sign-in, or first show why a sign-in is needed."""
    service, return_path = find_service(), return_url.validate_path(request.query_params.get("next"))
    if service is None:
        return _redirect(return_path)
    if service.find_session(request.cookies) is not None:
        return _redirect(return_path)
    reason = next((reason for reason in REASONS if reason == request.query_params.get("why")), None)
    other_origin = _redirect_to_registered_origin(request, service, return_path)
    if other_origin is not None:
        return other_origin
    if reason is not None:
        return render_page(request, reason, return_path)
    return await run_in_threadpool(_start_sign_in, request, service, return_path)


async def callback(request: Request) -> Response:
    """Handle the service's authorization response (RFC 6749 section 4.1.2)."""
    service, params = find_service(), request.query_params
    if service is None:
        return _redirect(return_url.HOME)
    state = params.get("state", "")
    attempt = oauth_state.find_attempt(request.cookies, service.cookies.attempt_prefix, state)
    if attempt is None:  # from another browser or expired: its content is ignored
        is_signed_in = service.find_session(request.cookies) is not None
        return _redirect(
            return_url.HOME if is_signed_in else return_url.build_sign_in_url(return_url.HOME, "lost")
        )
    return await run_in_threadpool(_finish_sign_in, request, service, attempt)


async def check_session(request: Request) -> Response:
    """Respond with 204 if the browser is signed in, else 401."""
    service = find_service()
    is_signed_in = service is None or service.find_session(request.cookies) is not None
    status = HTTPStatus.NO_CONTENT if is_signed_in else HTTPStatus.UNAUTHORIZED
    return Response(status_code=status, headers=NO_STORE)


async def sign_out(request: Request) -> Response:
    """End the session here and at the service.

    The form contains the session's CSRF token, so that other sites cannot sign people out. The next sign-in
    asks for the password, even if the service did not get the request.
    """
    service = find_service()
    if service is None:
        return _redirect(return_url.HOME)
    site = request.headers.get("sec-fetch-site", "same-origin")
    is_foreign = site != "same-origin" or not is_same_origin(request.scope, service)
    session = service.find_session(request.cookies)
    if session is None:
        # An open page after a restart of the dashboard: the service ends the session at the next sign-in.
        response = _redirect(return_url.build_sign_in_url(return_url.HOME))
        if not is_foreign:
            _set_cookie(response, service, service.cookies.signed_out, "1", int(MAX_SESSION_SECONDS))
        return response
    form = await _read_form(request)
    if is_foreign or not hmac.compare_digest(form.get("csrf", "").encode(), session.csrf.encode()):
        response_page = render_page(request, "foreign", return_url.HOME)
        response_page.status_code = HTTPStatus.FORBIDDEN
        return response_page
    revoked = await run_in_threadpool(service.sessions.sign_out, session)
    response = _redirect(
        return_url.build_sign_in_url(return_url.HOME, "signed_out" if revoked else "unrevoked")
    )
    _delete_cookie(response, service, service.cookies.session)
    _set_cookie(response, service, service.cookies.signed_out, "1", int(MAX_SESSION_SECONDS))
    return response


ROUTES = (
    Route("/sign-in", sign_in, methods=["GET"]),
    Route("/sign-in/callback", callback, methods=["GET"]),
    Route("/sign-in/session", check_session, methods=["GET"]),
    Route("/sign-out", sign_out, methods=["POST"]),
)


def _start_sign_in(request: Request, service: SignInService, return_path: str) -> Response:
    attempt = oauth_state.create_attempt(return_path)
    try:
        client_id = service.load_client_id()
        address = service.oauth_client.build_authorization_url(
            attempt,
            client_id=client_id,
            redirect_uri=service.redirect_uri,
            language=HTML_LANG[find_language(request, return_path)],
            ask_password=service.cookies.signed_out in request.cookies,
        )
    except NotRegisteredError as error:
        return render_page(request, "unregistered", return_path, note=str(error))
    except ServiceUnavailableError:
        return render_page(request, "unreachable", return_path)
    response = RedirectResponse(address, HTTPStatus.SEE_OTHER, headers=NO_STORE)
    started = [name for name in request.cookies if name.startswith(service.cookies.attempt_prefix)]
    for name in started[: max(0, len(started) - oauth_state.MAX_ATTEMPTS + 1)]:
        _delete_cookie(response, service, name)
    name = oauth_state.cookie_name(service.cookies.attempt_prefix, attempt.state)
    _set_cookie(response, service, name, attempt.to_cookie(), oauth_state.LIFETIME_SECONDS)
    return response


def _finish_sign_in(request: Request, service: SignInService, attempt: oauth_state.SignInAttempt) -> Response:
    """Finish an attempt of this browser and delete its cookie."""
    try:
        name, tokens = _exchange_code(request, service, attempt)
    except SignInFailedError as error:
        # Shown at a separate URL, so that a reload does not send the code again.
        response = _redirect(return_url.build_sign_in_url(attempt.return_path, error.reason))
    else:
        response = _redirect(attempt.return_path)
        previous = service.find_session(request.cookies)
        if previous is not None and name and previous.name == name:
            service.sessions.queue_revocation(tokens)  # another tab was faster: keep its session
        else:
            if previous is not None:
                service.sessions.end(previous)
            secret = service.start_session(name, tokens)
            _set_cookie(response, service, service.cookies.session, secret, int(MAX_SESSION_SECONDS))
        _delete_cookie(response, service, service.cookies.signed_out)
    _delete_cookie(response, service, oauth_state.cookie_name(service.cookies.attempt_prefix, attempt.state))
    return response


class SignInFailedError(Exception):
    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def _exchange_code(
    request: Request, service: SignInService, attempt: oauth_state.SignInAttempt
) -> tuple[str, Tokens]:
    """Exchange the code for the person's name and tokens. Raises :class:`SignInFailedError`."""
    params = request.query_params
    try:
        issuer = service.oauth_client.fetch_metadata().issuer
        if params.get("iss") != issuer:  # RFC 9207: response of another server
            log.warning("A sign-in response has an unexpected issuer.")
            raise SignInFailedError("failed")
        if "error" in params or not params.get("code"):
            raise SignInFailedError("denied" if params.get("error") == "access_denied" else "failed")
        client_id = service.load_client_id()
        tokens = service.oauth_client.exchange_code(
            params["code"], attempt, client_id=client_id, redirect_uri=service.redirect_uri
        )
        if "read" not in tokens.scopes:
            service.sessions.queue_revocation(tokens)
            raise SignInFailedError("no_read")
        try:
            name = service.oauth_client.fetch_username(tokens)
        except ServiceUnavailableError:  # they are signed in nevertheless
            name = ""
    except ServiceUnavailableError:
        raise SignInFailedError("unreachable") from None
    except NotRegisteredError:
        raise SignInFailedError("unregistered") from None
    except OAuthError as error:
        log.warning("The service rejected an authorization code: %s.", error.error[:40])
        raise SignInFailedError("failed") from None
    return name, tokens


def _redirect_to_registered_origin(
    request: Request, service: SignInService, return_path: str
) -> Response | None:
    """Redirect or point to the registered origin if the browser uses another one.

    Returns None if the origins are equal, or if the settings name a public URL.
    """
    host, registered_origin = request.headers.get("host", ""), urlsplit(service.origin)
    if service.has_public_url or host.lower() == registered_origin.netloc:
        return None
    both_here = is_loopback(_parse_hostname(host)) and is_loopback(registered_origin.hostname or "")
    if both_here:
        return RedirectResponse(
            f"{service.origin}{return_url.build_sign_in_url(return_path)}",
            HTTPStatus.SEE_OTHER,
            headers=NO_STORE,
        )
    return render_page(request, "elsewhere", return_path, origin=service.origin)


def _parse_hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def _read_form(request: Request) -> dict[str, str]:
    form = bytearray()
    async for part in request.stream():
        form += part
        if len(form) > MAX_FORM_BYTES:
            return {}
    fields: dict[str, Any] = parse_qs(form.decode("utf-8", "replace"))
    return {name: values[0] for name, values in fields.items()}


def _redirect(address: str) -> RedirectResponse:
    return RedirectResponse(address, HTTPStatus.SEE_OTHER, headers=NO_STORE)


def _set_cookie(response: Response, service: SignInService, name: str, value: str, seconds: int) -> None:
    response.set_cookie(
        name, value, max_age=seconds, path="/", secure=service.cookies.secure, httponly=True, samesite="lax"
    )


def _delete_cookie(response: Response, service: SignInService, name: str) -> None:
    response.delete_cookie(name, path="/", secure=service.cookies.secure, httponly=True, samesite="lax")
