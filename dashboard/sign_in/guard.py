"""Lets nobody past who is not signed in: to pages, their socket, media, exports, all but the sign-in.

A page that is asked for leads to the sign-in and from there back to its address. The socket of a page that is
open is closed at the moment in which its session ends.
"""

import asyncio
from http import HTTPStatus
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.sign_in import return_url
from dashboard.sign_in.service import Desk, open_desk
from dashboard.sign_in.session import Session

OPEN = ("/sign-in", "/sign-in/callback", "/sign-in/session", "/sign-out", "/_stcore/health")
"""What answers everybody: the way in, the way out, and whether the dashboard is up."""
SESSION_ENDED = 4401
"""The code with which a socket is closed whose session has ended."""
NO_STORE = {"Cache-Control": "no-store"}


class Guard:
    """ASGI middleware. It puts the session of who asks into ``scope["session_of_person"]``."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        there = open_desk()
        if there is None or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        session = there.session_of(HTTPConnection(scope).cookies)
        if session is None or (scope["type"] == "websocket" and not is_own(scope, there)):
            await _refuse(scope, receive, send)
            return
        scope["session_of_person"] = session
        if scope["type"] == "websocket":
            await self._attend(session, scope, receive, send)
        else:
            await self._app(scope, receive, _unstored(send))

    async def _attend(self, session: Session, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass messages on until the session ends, and none after that."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            loop.call_soon_threadsafe(over.set)

        take_back = session.when_ended(tell)
        end = asyncio.create_task(over.wait())

        async def receive_until_end() -> Message:
            message = asyncio.ensure_future(receive())
            await asyncio.wait({message, end}, return_when=asyncio.FIRST_COMPLETED)
            if not over.is_set():
                return message.result()
            message.cancel()
            await send({"type": "websocket.close", "code": SESSION_ENDED, "reason": "The session has ended."})
            return {"type": "websocket.disconnect", "code": SESSION_ENDED}

        async def send_until_end(message: Message) -> None:
            if not over.is_set():
                await send(message)

        try:
            await self._app(scope, receive_until_end, send_until_end)
        finally:
            take_back()
            end.cancel()


def caller_of(scope: Scope) -> Session | None:
    """Who sent a request that was let past; null where nobody signs in."""
    session: Session | None = scope.get("session_of_person")
    return session


def is_own(scope: Scope, desk: Desk) -> bool:
    """Whether a page of this dashboard sent this, as far as the browser tells.

    Cookies do not tell the ports of a host apart, so that another program's page on the same host would be
    taken for this one's by its cookies alone.
    """
    headers = HTTPConnection(scope).headers
    origin, host = headers.get("origin"), headers.get("host", "")
    return origin is None or origin == desk.origin or origin in (f"http://{host}", f"https://{host}")


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": SESSION_ENDED})  # before it is accepted: 403
        return
    response: Response
    if _is_page(scope):
        path = quote(scope["path"], safe="/~!$&'()*+,;=:@-._")
        query = scope["query_string"].decode("latin-1")
        to = return_url.sign_in(f"{path}?{query}" if query else path)
        response = RedirectResponse(to, HTTPStatus.SEE_OTHER, headers=NO_STORE)
    else:
        words = "Sign in first: this is for people who are signed in."
        response = Response(words, HTTPStatus.UNAUTHORIZED, media_type="text/plain", headers=NO_STORE)
    await response(scope, receive, send)


def _is_page(scope: Scope) -> bool:
    wanted = any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])
    return wanted and scope["method"] in ("GET", "HEAD")


def _unstored(send: Send) -> Send:
    """Pages are kept by no cache: whoever signed out does not find them by the button that goes back."""

    async def pass_on(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            if headers.get("content-type", "").startswith("text/html"):
                headers["cache-control"] = "no-store"
                message = {**message, "headers": headers.raw}
        await send(message)

    return pass_on
