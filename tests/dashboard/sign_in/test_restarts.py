"""Who is signed in stays so when the dashboard starts anew: against the real service."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.settings import Settings
from dashboard import asgi
from dashboard.client.http import ApiClient
from dashboard.sign_in import desk as desks
from dashboard.sign_in import session as sessions
from dashboard.sign_in.authority import Tokens
from dashboard.sign_in.desk import Desk
from dashboard.sign_in.folder import LOCK
from dashboard.sign_in.guard import SESSION_ENDED, TRY_AGAIN
from dashboard.sign_in.rounds import Rounds
from dashboard.sign_in.seal import Seal
from tests.support import sign_in
from tests.support.market_app import Running
from tests.support.oauth_app import post
from tests.support.sign_in import DASHBOARD, SERVICE, Browser, Line, Socket, asked
from tests.support.waiting import LIMIT_SECONDS

Start = Callable[[], Desk]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """That of the dashboard, which shares none with the service."""
    return tmp_path / "home"


@pytest.fixture
def start(home: Path, service: Running, line: Line, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts a dashboard over the same data; it is the one that browsers reach."""
    service.clock.move(minutes=2)
    registered = sign_in.desk_of(service, line)
    settings = Settings(home=home, dashboard_sign_in="always", dashboard_client_id=registered.client_id())
    started = [registered]

    def one() -> Desk:
        own = Desk(settings, transport=line)
        started.append(own)
        monkeypatch.setattr(desks, "desk", lambda: own)
        return own

    yield one
    for each in started:
        each.close()


@pytest.fixture
def desk(start: Start) -> Desk:
    return start()


def restarted(desk: Desk, start: Start) -> Desk:
    desk.close()
    return start()


def kept(home: Path) -> list[Path]:
    return [file for file in home.rglob("*") if file.is_file() and file.name != LOCK]


def held(browser: Browser, desk: Desk) -> Tokens:
    tokens = browser.session(desk)._tokens
    assert tokens is not None
    return tokens


def test_the_same_cookie_opens_the_page_and_asks_with_the_same_token(
    browser: Browser,
    desk: Desk,
    start: Start,
    client: ApiClient,
    line: Line,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "SURE_SECONDS", LIMIT_SECONDS)
    browser.sign_in()
    before, csrf = held(browser, desk), browser.session(desk).csrf
    line.asked.clear()
    later = restarted(desk, start)
    assert line.asked == [], "nothing is revoked or refreshed"
    assert browser.get(f"{DASHBOARD}/topics").text == b"<p>ada</p>"
    assert browser.get(f"{DASHBOARD}/sign-in/session").status == 204
    session = browser.session(later)
    assert (held(browser, later).access, session.scopes) == (before.access, ("read", "write"))
    assert not session.certain
    assert asked(client, session) is None
    assert session.certain
    answer = browser.post(f"{DASHBOARD}/sign-out", {"csrf": csrf})
    assert "signed_out" in answer.headers["location"], "by a page that was open all the time"


def test_who_is_signed_in_can_go_on_elsewhere_as_soon_as_a_dashboard_stops(
    browser: Browser, desk: Desk, start: Start, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not only when its process has ended: pages come back within a second."""
    monkeypatch.setattr(asgi, "USED_BY_PAGES", ())
    monkeypatch.setattr(asgi, "warm", lambda: None)

    async def run() -> None:
        async with asgi.lifespan(None):
            await asyncio.to_thread(browser.sign_in)

    asyncio.run(run())
    former = desk.sessions.all()
    assert [session.credential() for session in former] == [{}], "which it could refresh no more"
    assert "POST /oauth/revoke" not in line.asked
    assert start().session_of(browser.cookies) is not None


def test_signing_out_holds_although_the_service_did_not_hear_of_it(
    browser: Browser, desk: Desk, start: Start, line: Line, home: Path
) -> None:
    browser.sign_in()
    cookies = dict(browser.cookies)
    assert len(kept(home)) == 1
    line.cut = True
    browser.post(f"{DASHBOARD}/sign-out", {"csrf": browser.session(desk).csrf})
    assert kept(home) == []
    line.cut = False
    later = restarted(desk, start)
    browser.cookies = cookies
    assert later.session_of(cookies) is None
    assert browser.get(f"{DASHBOARD}/topics").status == 303


def test_a_token_that_was_revoked_meanwhile_closes_the_page_at_the_first_look(
    browser: Browser, desk: Desk, start: Start, client: ApiClient, service: Running, home: Path
) -> None:
    browser.sign_in()
    post(service, "/oauth/revoke", {"token": held(browser, desk).access})
    service.look()
    later = restarted(desk, start)
    sent = Socket(browser.app, browser.cookies).run("one", Rounds(later, client.look).once)
    assert sent[-1]["code"] == SESSION_ENDED
    assert kept(home) == []
    assert restarted(later, start).session_of(browser.cookies) is None


def test_nothing_is_shown_of_what_a_revoked_token_read_before(
    browser: Browser, desk: Desk, start: Start, client: ApiClient, service: Running
) -> None:
    browser.sign_in()
    assert asked(client, browser.session(desk)) is None
    post(service, "/oauth/revoke", {"token": held(browser, desk).access})
    service.look()
    session = browser.session(restarted(desk, start))
    assert asked(client, session) == 401
    assert session.ended


def test_after_a_restart_tokens_are_refreshed_once_and_each_restart_finds_the_newest(
    browser: Browser, desk: Desk, start: Start, client: ApiClient, service: Running
) -> None:
    browser.sign_in()
    seen = {held(browser, desk).refresh}
    for _ in range(3):
        desk = restarted(desk, start)
        session = browser.session(desk)
        service.clock.move(seconds=3601)
        session._expires_at -= 3601
        session._renew_at -= 3601
        assert asked(client, session) is None
        seen.add(held(browser, desk).refresh)
    assert len(seen) == 4


def test_who_was_killed_between_the_new_tokens_and_their_file_signs_in_again(
    browser: Browser, desk: Desk, start: Start, client: ApiClient, home: Path
) -> None:
    """The old refresh token counts as used twice, which revokes what came of it."""
    browser.sign_in()
    (file,) = kept(home)
    former, session = file.read_bytes(), browser.session(desk)
    session._renew_at = session._expires_at = 0.0
    assert asked(client, session) is None
    newest = held(browser, desk)
    file.write_bytes(former)
    later = restarted(desk, start)
    session = browser.session(later)
    session._renew_at = session._expires_at = 0.0
    assert asked(client, session) == 401
    told = post(
        browser.service, "/oauth/introspect", {"token": newest.access}, {"CP-X-API-KEY": browser.service.key}
    )
    assert told.json() == {"active": False}
    assert kept(home) == []
    assert browser.open("/topics")[0] == f"{DASHBOARD}/sign-in?next=%2Ftopics&why=ended"
    assert browser.sign_in("/topics")[0] == f"{DASHBOARD}/topics"


def test_of_two_dashboards_over_one_folder_one_holds_a_session(
    browser: Browser, desk: Desk, start: Start
) -> None:
    browser.sign_in()
    other = start()
    cookies = dict(browser.cookies)
    page = browser.get(f"{DASHBOARD}/topics")
    assert (page.status, page.headers["retry-after"], page.headers["refresh"]) == (503, "1", "1")
    told = browser.get(f"{DASHBOARD}/sign-in/session", {})
    assert (told.status, told.headers["retry-after"], "refresh" in told.headers) == (503, "1", False)
    assert browser.post(f"{DASHBOARD}/topics", {}).status == 503
    closed = {"type": "websocket.close", "code": TRY_AGAIN}
    assert Socket(browser.app, browser.cookies).run("one") == [closed]
    refused = Socket(browser.app, browser.cookies, extensions=("websocket.http.response",)).run("one")
    assert (refused[0]["type"], refused[0]["status"]) == ("websocket.http.response.start", 503)
    assert browser.post(f"{DASHBOARD}/sign-out", {"csrf": "x"}).status == 503, "nobody was signed out"
    assert browser.get(f"{DASHBOARD}/sign-in?why=ended").status == 200
    assert browser.get(f"{DASHBOARD}/sign-in/callback?state=x").status == 303
    assert browser.cookies == cookies
    assert browser.session(desk).credential(), "its own goes on"
    desk.close()
    assert browser.get(f"{DASHBOARD}/topics").text == b"<p>ada</p>"
    third = start()
    assert third.session_of(browser.cookies) is None
    assert browser.session(other).credential()


def test_a_dashboard_of_another_service_sends_it_no_token_of_this_one(
    browser: Browser, desk: Desk, home: Path, line: Line
) -> None:
    browser.sign_in()
    desk.close()
    elsewhere = Settings(home=home, dashboard_sign_in="always", base_url="http://127.0.0.1:9999")
    other = Desk(elsewhere, transport=line)
    assert other.session_of(browser.cookies) is None
    other.close()
    assert len(kept(home)) == 1


def test_a_stolen_folder_tells_nothing(browser: Browser, desk: Desk, home: Path) -> None:
    browser.sign_in()
    tokens, session = held(browser, desk), browser.session(desk)
    secret = browser.cookies[desk.cookies.session]
    words = [tokens.access, str(tokens.refresh), secret, session.csrf, '"ada"', "write", desk.client_id()]
    assert len(kept(home)) == 1
    for file in home.rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        assert not [word for word in words if word.encode() in content or word in str(file)]
    (file,) = kept(home)
    assert Seal(file.name, SERVICE).open(file.read_bytes()) is None
    assert Seal(secret, SERVICE).open(file.read_bytes()) is not None, "which the cookie opens"


def test_where_nothing_can_be_written_people_sign_in_as_ever_and_it_is_told_once(
    browser: Browser,
    desk: Desk,
    start: Start,
    home: Path,
    client: ApiClient,
    caplog: pytest.LogCaptureFixture,
) -> None:
    home.mkdir()
    (home / "dashboard-sessions").touch()  # stops root as well
    with caplog.at_level(logging.WARNING, "dashboard"):
        for _ in range(2):
            browser.sign_in()
            session = browser.session(desk)
            assert asked(client, session) is None
            desk.sessions.tidy()
            browser.post(f"{DASHBOARD}/sign-out", {"csrf": session.csrf})
    assert sum(record.name.startswith("dashboard.sign_in") for record in caplog.records) == 1
    assert "hold until the dashboard stops" in caplog.text
    browser.sign_in()
    restarted(desk, start)
    assert browser.get(f"{DASHBOARD}/topics").status == 303
