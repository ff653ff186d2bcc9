"""A disk that does not answer holds up who is looked for on it, and nobody else."""

import asyncio
import os
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.settings import Settings
from dashboard.sign_in.desk import Desk
from dashboard.sign_in.folder import Folder
from tests.support.asgi import answer_of
from tests.support.market_app import Running
from tests.support.sign_in import PAGE, Browser
from tests.support.waiting import LIMIT_SECONDS

HOST = {"host": "127.0.0.1:8501"}


class Disk:
    """One on which no look into ``folder`` ends before it ``goes_on``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.begun, self.goes_on = threading.Event(), threading.Event()
        self._lexists = os.path.lexists

    def look(self, path: str) -> bool:
        if not Path(path).is_relative_to(self.folder):
            return self._lexists(path)
        assert threading.current_thread() is not threading.main_thread(), "where the event loop runs"
        self.begun.set()
        self.goes_on.wait(LIMIT_SECONDS)
        return self._lexists(path)


@pytest.fixture
def disk(desk: Desk, service: Running, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    """With the folder of a dashboard that is gone."""
    settings: Settings = service.inner.state.settings
    folder = settings.home / "dashboard-sessions"
    former = Folder(folder)
    assert former.save("0" * 32, b"sealed")
    former.close()
    slow = Disk(folder)
    monkeypatch.setattr(os.path, "lexists", slow.look)
    yield slow
    slow.goes_on.set()


def test_whoever_sends_an_unknown_cookie_keeps_nobody_else_waiting(
    browser: Browser, desk: Desk, disk: Disk
) -> None:
    browser.sign_in()
    known = f"{desk.cookies.session}={browser.cookies[desk.cookies.session]}"

    async def status(path: str, cookie: str = "", method: str = "GET") -> int:
        headers = {**PAGE, **HOST, **({"cookie": cookie} if cookie else {})}
        return (await answer_of(browser.app, path, method=method, headers=headers)).status

    async def run() -> tuple[list[int], list[int]]:
        ways = [("GET", "/topics"), ("GET", "/sign-in"), ("GET", "/sign-in/callback?state=x")]
        ways += [("GET", "/sign-in/session"), ("POST", "/sign-out")]
        strangers = [
            asyncio.create_task(status(path, f"{desk.cookies.session}={secrets.token_urlsafe(32)}", method))
            for method, path in ways * 10  # more than there are threads for all else
        ]
        await asyncio.sleep(0)
        await asyncio.to_thread(disk.begun.wait, LIMIT_SECONDS)
        others = [
            await status("/_stcore/health"),
            await status("/topics", known),
            await status("/sign-in/session", known),
            await status("/sign-in?next=/topics"),
        ]
        assert not any(stranger.done() for stranger in strangers)
        disk.goes_on.set()
        return others, [await stranger for stranger in strangers]

    others, strangers = asyncio.run(run())
    assert others == [200, 200, 204, 303]
    assert strangers == [303, 303, 303, 401, 303] * 10
