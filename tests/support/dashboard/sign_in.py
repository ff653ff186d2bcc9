"""Uses the dashboard's sign-in as a browser: the real service and guard, without a server."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from backend.auth.oauth import apps
from backend.settings import Settings
from dashboard.client import callers
from dashboard.client.http import ApiClient
from dashboard.sign_in import routes
from dashboard.sign_in.guard import SignInGuard, get_session
from dashboard.sign_in.service import SignInService
from dashboard.sign_in.session import Session
from tests.support.apps.market_app import Running
from tests.support.apps.oauth_app import PASSWORD, Form
from tests.support.http.asgi import Answer, send
from tests.support.waiting import LIMIT_SECONDS

DASHBOARD = "http://127.0.0.1:8501"
SERVICE = "http://127.0.0.1:8000"
PAGE = {"accept": "text/html", "accept-language": "en"}


class RecordingTransport(httpx.BaseTransport):
    """Connects the dashboard to the service; a test may cut it. Records the requests."""

    def __init__(self, running: Running) -> None:
        self.is_cut = False
        self.requests: list[str] = []
        self._running = running

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.is_cut:
            raise httpx.ConnectError("connection refused", request=request)
        path = request.url.raw_path.decode()
        self.requests.append(f"{request.method} {path.partition('?')[0]}")
        answer = send(
            self._running.app,
            path,
            method=request.method,
            headers=request.headers.items(),
            body=[request.read()],
        )
        headers = [pair for pair in answer.raw_headers if pair[0].lower() != b"content-encoding"]
        return httpx.Response(answer.status, headers=headers, content=answer.text, request=request)


def build_sign_in_service(running: Running, transport: RecordingTransport, **settings: Any) -> SignInService:
    """Build the sign-in service of a dashboard that is registered at the service."""
    settings_of_service = Settings(
        home=running.inner.state.settings.home, dashboard_sign_in="always", **settings
    )
    app = apps.create(
        running.database,
        name="Chainproof dashboard",
        redirect_uris=[settings_of_service.dashboard_redirect_uri],
        first_party=True,
        now=running.clock(),
    )
    return SignInService(
        settings_of_service.model_copy(update={"dashboard_client_id": app.client_id}), transport=transport
    )


def dashboard() -> ASGIApp:
    """Build the dashboard's routes and guard around pages that show the name of the user."""

    def page(request: Request) -> Response:
        session = get_session(request.scope)
        return HTMLResponse(
            f"<p>{session.name if session else 'nobody'}</p>", headers={"Cache-Control": "no-cache"}
        )

    def file(_: Request) -> Response:
        return PlainTextResponse("a,b")

    async def stream(socket: WebSocket) -> None:
        await socket.accept()
        try:
            while True:
                await socket.send_text(f"heard {await socket.receive_text()}")
        except WebSocketDisconnect as gone:
            assert gone.code in (1000, 4401)  # noqa: PT017 - the one way out of the loop

    pages = [Route(path, page) for path in ("/", "/topics", "/research")]
    other_routes = [
        Route("/media/export.csv", file),
        Route("/_stcore/health", file),
        Route("/static/app.js", file),
    ]
    socket = WebSocketRoute("/_stcore/stream", stream)
    return Starlette(
        routes=[*routes.ROUTES, *pages, *other_routes, socket], middleware=[Middleware(SignInGuard)]
    )


@dataclass
class Browser:
    """One browser for the dashboard and the service. As in real browsers, cookies ignore the port."""

    app: ASGIApp
    service: Running
    cookies: dict[str, str] = field(default_factory=dict)
    set_cookies: list[str] = field(default_factory=list)
    """All received ``Set-Cookie`` headers, in order."""

    def get(self, address: str, headers: Mapping[str, str] = PAGE) -> Answer:
        """Send one request without following redirects."""
        return self._send("GET", address, headers)

    def post(self, address: str, form: Mapping[str, str], headers: Mapping[str, str] | None = None) -> Answer:
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return self._send("POST", address, {**PAGE, **kind, **(headers or {})}, urlencode(form).encode())

    def follow(self, answer: Answer, at: str = DASHBOARD) -> tuple[str, Answer]:
        """Follow redirects; returns the final URL and its response."""
        address = at
        for _ in range(10):
            if answer.status not in (302, 303, 307):
                break
            address = urljoin(address, answer.headers["location"])
            answer = self.get(address)
        return address, answer

    def open(self, path: str) -> tuple[str, Answer]:
        return self.follow(self.get(DASHBOARD + path), DASHBOARD + path)

    def decide(self, page: Answer, username: str = "ada", button: str = "approve") -> Answer:
        """Fill in the service's page and press a button, without following redirects."""
        hidden = Form(page.text.decode()).hidden
        form = {**hidden, "username": username, "password": PASSWORD, button: button}
        return self.post(f"{SERVICE}/oauth/authorize", form)

    def sign_in(self, path: str = "/", username: str = "ada") -> tuple[str, Answer]:
        """Open ``path`` and sign in when redirected."""
        address, page = self.open(path)
        assert address.startswith(f"{SERVICE}/oauth/authorize"), address
        return self.follow(self.decide(page, username))

    def session(self, service: SignInService) -> Session:
        found = service.find_session(self.cookies)
        assert found is not None
        return found

    def _send(self, method: str, address: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        parts = urlsplit(address)
        app = self.service.app if parts.netloc == urlsplit(SERVICE).netloc else self.app
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        request_headers = {"host": parts.netloc, **headers}
        if self.cookies:
            request_headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = send(app, path, method=method, headers=request_headers, body=[body])
        for name, value in answer.raw_headers:
            if name.lower() == b"set-cookie":
                self._store_cookie(value.decode("latin-1"))
        return answer

    def _store_cookie(self, cookie: str) -> None:
        self.set_cookies.append(cookie)
        name, _, attributes = cookie.partition("=")
        value, _, traits = attributes.partition(";")
        if "max-age=0" in traits.lower():
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value


class Socket:
    """A page's WebSocket, from the handshake on."""

    def __init__(self, app: ASGIApp, cookies: dict[str, str], origin: str = DASHBOARD) -> None:
        self._app = app
        self._origin = origin.encode()
        self._cookie = "; ".join(f"{name}={value}" for name, value in cookies.items()).encode()
        self.sent: list[dict[str, Any]] = []

    def run(self, *steps: str | Callable[[], object]) -> list[dict[str, Any]]:
        """Run the steps: a text that the page sends, or a function to call between texts."""
        headers = [(b"host", b"127.0.0.1:8501"), (b"origin", self._origin), (b"cookie", self._cookie)]
        scope = {"type": "websocket", "path": "/_stcore/stream", "query_string": b"", "headers": headers}
        remaining: list[str | Callable[[], object]] = list(steps)
        connected = False

        async def receive() -> dict[str, Any]:
            nonlocal connected
            if not connected:
                connected = True
                return {"type": "websocket.connect"}
            while remaining:
                step = remaining.pop(0)
                if isinstance(step, str):
                    return {"type": "websocket.receive", "text": step}
                await asyncio.to_thread(step)
                await asyncio.Event().wait()  # the page sends nothing more
            return {"type": "websocket.disconnect", "code": 1000}

        async def record(message: Any) -> None:
            self.sent.append(message)

        asyncio.run(asyncio.wait_for(self._app(dict(scope), receive, record), LIMIT_SECONDS))
        return self.sent


def request_status(client: ApiClient, session: Session, path: str = "/assets") -> int | None:
    """Send a request; returns None for success, otherwise the status of the error."""
    with callers.acting_as(session):
        fetched = client.get(path, "array")
    assert (fetched.data is None) is (fetched.error is not None)
    return fetched.error.status if fetched.error else None
