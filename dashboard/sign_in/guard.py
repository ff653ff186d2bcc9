"""Admits only signed-in people to pages, WebSockets, media and exports; everything but the sign-in itself.

A request for a page is redirected to the sign-in, and from there back to its URL. The WebSocket of an open
page is closed when its session ends.
"""

import asyncio
from http import HTTPStatus
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.sign_in import return_url
from dashboard.sign_in.service import SignInService, find_service
from dashboard.sign_in.session import Session

PUBLIC_PATHS = ("/sign-in", "/sign-in/callback", "/sign-in/session", "/sign-out", "/_stcore/health")
"""Paths without a sign-in: sign-in, sign-out, and the health check."""
SESSION_ENDED_CODE = 4401
"""WebSocket close code for an ended session; ``session_watch.js`` has the same."""
NO_STORE = {"Cache-Control": "no-store"}


class SignInGuard:
    """ASGI middleware. It puts the sender's session into ``scope["sign_in_session"]``."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        service = find_service()
        if service is None or scope["path"] in PUBLIC_PATHS:
            await self._app(scope, receive, send)
            return
        session = service.find_session(HTTPConnection(scope).cookies)
        if session is None or (scope["type"] == "websocket" and not is_same_origin(scope, service)):
            await _reject(scope, receive, send)
            return
        scope["sign_in_session"] = session
        if scope["type"] == "websocket":
            await self._relay_until_end(session, scope, receive, send)
        else:
            await self._app(scope, receive, _disable_caching(send))

    async def _relay_until_end(self, session: Session, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay messages until the session ends."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def notify() -> None:
            loop.call_soon_threadsafe(ended.set)

        remove_listener = session.add_end_listener(notify)
        end = asyncio.create_task(ended.wait())

        async def receive_until_end() -> Message:
            message = asyncio.ensure_future(receive())
            await asyncio.wait({message, end}, return_when=asyncio.FIRST_COMPLETED)
            if not ended.is_set():
                return message.result()
            message.cancel()
            await send(
                {"type": "websocket.close", "code": SESSION_ENDED_CODE, "reason": "The session has ended."}
            )
            return {"type": "websocket.disconnect", "code": SESSION_ENDED_CODE}

        async def send_until_end(message: Message) -> None:
            if not ended.is_set():
                await send(message)

        try:
            await self._app(scope, receive_until_end, send_until_end)
        finally:
            remove_listener()
            end.cancel()


def get_session(scope: Scope) -> Session | None:
    """Return the session of an admitted request; None if the dashboard has no sign-in."""
    session: Session | None = scope.get("sign_in_session")
    return session


def is_same_origin(scope: Scope, service: SignInService) -> bool:
    """Whether a page of this dashboard sent the request, by the browser's ``Origin``.

    Cookies are not enough: they do not distinguish ports, so another program on the same host gets them, too.
    """
    headers = HTTPConnection(scope).headers
    origin, host = headers.get("origin"), headers.get("host", "")
    return origin is None or origin == service.origin or origin in (f"http://{host}", f"https://{host}")


async def _reject(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": SESSION_ENDED_CODE})  # before acceptance: 403
        return
    response: Response
    if _accepts_page(scope):
        path = quote(scope["path"], safe="/~!$&'()*+,;=:@-._")
        query = scope["query_string"].decode("latin-1")
        to = return_url.build_sign_in_url(f"{path}?{query}" if query else path)
        response = RedirectResponse(to, HTTPStatus.SEE_OTHER, headers=NO_STORE)
    else:
        message_text = "Sign in to use this."
        response = Response(message_text, HTTPStatus.UNAUTHORIZED, media_type="text/plain", headers=NO_STORE)
    await response(scope, receive, send)


def _accepts_page(scope: Scope) -> bool:
    accepts_html = any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])
    return accepts_html and scope["method"] in ("GET", "HEAD")


def _disable_caching(send: Send) -> Send:
    """Prevent caching of pages, so that the Back button does not show them after a sign-out."""

    async def pass_on(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            if headers.get("content-type", "").startswith("text/html"):
                headers["cache-control"] = "no-store"
                message = {**message, "headers": headers.raw}
        await send(message)

    return pass_on
