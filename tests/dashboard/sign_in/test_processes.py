"""Real dashboards are stopped and killed, and whoever was signed in goes on; the service is the real one."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from backend.auth.oauth import apps, passwords
from dashboard.sign_in.desk import Cookies
from dashboard.sign_in.folder import Folder, Held
from dashboard.sign_in.seal import Seal
from tests.support import running
from tests.support.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.oauth_app import CHEAP, person, post
from tests.support.serving import served
from tests.support.sign_in import DASHBOARD, Browser
from tests.support.waiting import LIMIT_SECONDS, wait_for

pytestmark = pytest.mark.processes
COOKIE = Cookies.of(DASHBOARD).session


@dataclass
class Watched:
    """The service, and in whose name it was asked."""

    app: ASGIApp
    asked: list[tuple[str, str, int]] = field(default_factory=list)
    """Path, credential and status."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = dict(scope["headers"]).get(b"authorization", b"").decode()
                self.asked.append((scope["path"], sent, message["status"]))
            await send(message)

        await self.app(scope, receive, note)

    def tokens(self, path: str) -> set[str]:
        """Those that were answered at ``path``."""
        told = {token for where, token, status in self.asked if where == path and status == 200}
        return {token.removeprefix("Bearer ") for token in told}


def reached_at(url: Callable[[], str]) -> ASGIApp:
    """What answers at an address, as an application; no cookie of one request is sent with the next."""
    line = httpx.HTTPTransport(verify=False)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        query = scope["query_string"].decode()
        request = httpx.Request(
            scope["method"],
            f"{url()}{scope['path']}{'?' if query else ''}{query}",
            headers=scope["headers"],
            content=(await receive())["body"],
        )
        answer = line.handle_request(request)
        headers = answer.headers.raw
        await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": b"".join(answer.iter_raw())})

    return app


@dataclass
class Installation:
    """A service in this process, and a dashboard that is started as often as a test wants."""

    home: Path
    service: Running
    watched: Watched
    environment: dict[str, str]
    url: str = ""
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        port = running.free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "backend.cli", "dashboard"],
            env={**self.environment, "CHAINPROOF_DASHBOARD_PORT": str(port)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        wait_for(lambda: running.answers(f"{self.url}/_stcore/health"), "A dashboard that answers")

    def stop(self, number: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(LIMIT_SECONDS)
            self.process = None

    def seal_of(self, browser: Browser) -> Seal:
        return Seal(browser.cookies[COOKIE], self.environment["CHAINPROOF_BASE_URL"])

    def file(self, name: str) -> Path:
        """Where a session is kept."""
        (found,) = (self.home / "dashboard-sessions").glob(f"*/{name}")
        return found

    def browser(self) -> Browser:
        """It knows dashboard and service by the addresses that people open, wherever they listen."""
        return Browser(reached_at(lambda: self.url), self.service)

    def socket(self, secret: str) -> AbstractContextManager[ClientConnection]:
        """As a page opens it that was open before."""
        return connect(
            f"{self.url.replace('http', 'ws', 1)}/_stcore/stream",
            origin=Origin(DASHBOARD),
            additional_headers={"Cookie": f"{COOKIE}={secret}"},
            proxy=None,
        )

    def tokens_asked_with(self, browser: Browser) -> set[str]:
        """Those with which the dashboard asks for a coin whose reader presses a button."""
        self.watched.asked.clear()
        assert browser.get(f"{DASHBOARD}/assets/bitcoin/ahead", {}).status == 204
        wait_for(lambda: bool(self.watched.tokens("/assets/bitcoin")), "A call to the service")
        return self.watched.tokens("/assets/bitcoin")


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installation]:
    """With the accounts ``ada`` and ``ben``."""
    home = tmp_path / "home"
    enable_only(home, ("bitcoin",))
    monkeypatch.setattr(passwords, "hasher", CHEAP)
    inner = run_app(settings_in(home), Clock())
    for name in ("ada", "ben"):
        person(inner, name, scopes=("read", "write"))
    uri = f"{DASHBOARD}/sign-in/callback"
    app = apps.create(inner.database, name="Chainproof dashboard", redirect_uris=[uri], now=inner.clock())
    watched = Watched(inner.app)
    with served(watched) as url:
        environment = running.environment(
            home,
            CHAINPROOF_BASE_URL=url,
            CHAINPROOF_DASHBOARD_SIGN_IN="always",
            CHAINPROOF_DASHBOARD_PUBLIC_URL=DASHBOARD,
            CHAINPROOF_DASHBOARD_CLIENT_ID=app.client_id,
        )
        made = Installation(home, replace(inner, app=reached_at(lambda: url)), watched, environment)
        yield made
        made.stop(signal.SIGKILL)


def test_a_dashboard_that_is_stopped_or_killed_signs_nobody_out_and_nobody_in(
    installation: Installation,
) -> None:
    ada, ben, service = installation.browser(), installation.browser(), installation.service
    installation.start()
    assert ada.sign_in("/topics")[1].status == 200
    (token,) = installation.tokens_asked_with(ada)
    told = post(service, "/oauth/introspect", {"token": token}, {"CP-X-API-KEY": service.key}).json()
    assert (told["active"], told["username"]) == (True, "ada")

    ben.sign_in("/", "ben")
    former = dict(ben.cookies)
    seal = installation.seal_of(ben)
    kept = seal.open(installation.file(seal.name).read_bytes())
    assert kept is not None
    assert "why=signed_out" in ben.post(f"{DASHBOARD}/sign-out", {"csrf": kept.csrf}).headers["location"]

    seal = installation.seal_of(ada)
    other = Folder(installation.home / "dashboard-sessions")  # this process is another than the dashboard's
    for end in (signal.SIGTERM, signal.SIGKILL):
        with pytest.raises(Held):
            other.adopt(seal.name)
        installation.stop(end)
        assert installation.file(seal.name).exists()
        installation.start()
        assert ada.get(f"{DASHBOARD}/topics").status == 200
        assert ada.get(f"{DASHBOARD}/sign-in/session").status == 204, "what an open page asks"
        with installation.socket(ada.cookies[COOKIE]):
            pass
        assert installation.tokens_asked_with(ada) == {token}
        ben.cookies = dict(former)
        assert ben.get(f"{DASHBOARD}/sign-in/session").status == 401
        with pytest.raises(InvalidStatus, match="403"), installation.socket(former[COOKIE]):
            pass
    assert not [path for path, _, _ in installation.watched.asked if path == "/oauth/revoke"]

    words = [token, kept.csrf, ada.cookies[COOKIE], '"ada"', "write"]
    for file in (installation.home / "dashboard-sessions").rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        assert not [word for word in words if word.encode() in content or word in str(file.name)]
    installation.stop(signal.SIGTERM)
    assert other.adopt(seal.name) is not None, "it is free for whoever is shown the cookie next"
    other.close()
