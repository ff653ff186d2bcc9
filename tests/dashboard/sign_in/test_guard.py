"""Nobody is let past who is not signed in, and who no longer is, is put out at once."""

import pytest

from backend.auth.oauth import accounts
from dashboard.client import callers
from dashboard.client.callers import ANONYMOUS
from dashboard.client.http import ApiClient
from dashboard.sign_in import service as desks
from dashboard.sign_in import session as sessions
from dashboard.sign_in.guard import SESSION_ENDED
from dashboard.sign_in.oauth_client import Tokens
from dashboard.sign_in.service import Desk
from dashboard.sign_in.session import Session
from dashboard.sign_in.session_maintenance import Rounds
from tests.support.asgi import send
from tests.support.market_app import Running
from tests.support.oauth_app import post
from tests.support.sign_in import DASHBOARD, PAGE, Browser, Line, Socket, asked
from tests.support.waiting import LIMIT_SECONDS

A_MOMENT = LIMIT_SECONDS


@pytest.mark.parametrize("path", ["/topics", "/", "/no-such-page", "/research?job=1"])
def test_a_page_leads_to_the_sign_in_with_its_address(browser: Browser, path: str) -> None:
    answer = browser.get(DASHBOARD + path)
    assert answer.status == 303
    assert answer.headers["location"].startswith("/sign-in?next=%2F")
    assert answer.body == b""
    assert "no-store" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    "path", ["/media/export.csv", "/static/app.js", "/_stcore/host-config", "/_stcore/upload_file/1/2"]
)
def test_what_is_no_page_is_refused(browser: Browser, path: str) -> None:
    assert browser.get(DASHBOARD + path, {"accept": "*/*"}).status == 401
    assert browser.post(DASHBOARD + path, {}).status == 401


def test_whether_the_dashboard_is_up_is_told_to_all(browser: Browser) -> None:
    assert browser.get(f"{DASHBOARD}/_stcore/health", {}).status == 200
    assert browser.get(f"{DASHBOARD}/sign-in/session", {}).status == 401


@pytest.mark.parametrize(
    "path", ["/sign-in/../topics", "/sign-in/", "/sign-in/callback/x", "//sign-in", "/SIGN-IN"]
)
def test_what_only_looks_like_the_sign_in_is_not_open(browser: Browser, path: str) -> None:
    assert b"ada" not in browser.get(DASHBOARD + path).body
    assert browser.get(DASHBOARD + path, {"accept": "*/*"}).status == 401


def test_pages_of_who_is_signed_in_are_kept_by_no_cache(browser: Browser) -> None:
    browser.sign_in()
    answer = browser.get(f"{DASHBOARD}/topics")
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
    assert browser.get(f"{DASHBOARD}/media/export.csv", {}).status == 200
    assert browser.get(f"{DASHBOARD}/sign-in/session", {}).status == 204


def test_a_cookie_that_is_none_of_ours_is_nobodys(browser: Browser, desk: Desk) -> None:
    for value in ("", "x", '"', "a" * 5000, "\xff"):
        headers = {
            "accept": "text/html",
            "host": "127.0.0.1:8501",
            "cookie": f"{desk.cookies.session}={value}",
        }
        assert send(browser.app, "/topics", headers=headers).status == 303


def test_without_a_sign_in_everybody_is_let_past(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "desk", lambda: None)
    assert browser.get(f"{DASHBOARD}/topics").text == b"<p>nobody</p>"
    assert browser.get(f"{DASHBOARD}/sign-in?next=/topics").headers["location"] == "/topics"
    assert browser.get(f"{DASHBOARD}/sign-in/session").status == 204
    assert browser.post(f"{DASHBOARD}/sign-out", {}).status == 303


def test_a_socket_is_not_opened_to_nobody(browser: Browser, desk: Desk) -> None:
    sent = Socket(browser.app, {desk.cookies.session: "none"}).run("anything")
    assert [message["type"] for message in sent] == ["websocket.close"]


@pytest.mark.parametrize("origin", ["https://evil.test", "http://127.0.0.1:9999", "http://localhost", "null"])
def test_a_socket_is_not_opened_to_a_page_of_another_program(browser: Browser, origin: str) -> None:
    """Which would send the cookies along where it stands on the same host."""
    browser.sign_in()
    sent = Socket(browser.app, browser.cookies, origin).run("anything")
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_what_other_programs_of_the_host_keep_in_cookies_locks_nobody_out(browser: Browser) -> None:
    browser.sign_in()
    browser.cookies = {"theirs": '{"a": [1, 2]}', "odd name": "\u00e9", **browser.cookies}
    assert browser.get(f"{DASHBOARD}/topics").text == b"<p>ada</p>"
    assert Socket(browser.app, {"theirs": '{"a":1}', **browser.cookies}).run("one")[-1]["text"] == "heard one"


def test_a_socket_carries_on_while_the_session_lasts(browser: Browser) -> None:
    browser.sign_in()
    sent = Socket(browser.app, browser.cookies).run("one", "two")
    assert [message.get("text") for message in sent] == [None, "heard one", "heard two"]


def test_a_socket_is_closed_when_its_session_ends(browser: Browser, desk: Desk) -> None:
    browser.sign_in()
    session = browser.session(desk)
    sent = Socket(browser.app, browser.cookies).run("one", lambda: desk.sessions.end(session))
    assert sent[-1]["type"] == "websocket.close"
    assert sent[-1]["code"] == SESSION_ENDED
    assert not session.watched


def test_every_call_is_made_with_the_token_of_who_asks(
    browser: Browser, desk: Desk, client: ApiClient, service: Running
) -> None:
    browser.sign_in(username="ben")
    session = browser.session(desk)
    assert asked(client, session) is None
    with callers.acting_as(session):
        stored = client.post(
            "/articles/scan",
            b'{"articles": [], "persist": true}',
            headers={"Content-Type": "application/json"},
            timeout=LIMIT_SECONDS,
        )
    assert stored.status_code == 403
    assert not session.ended, "a scope that is lacking is no end"
    with callers.acting_as(ANONYMOUS):
        told = client.get("/assets", "array")
    assert (told.data, told.error and told.error.status) == (None, 401)


def test_outside_of_a_page_nobody_asks(client: ApiClient) -> None:
    assert client.caller() is ANONYMOUS


def access_of(session: Session) -> str:
    return session.credential()["Authorization"].removeprefix("Bearer ")


def test_a_revoked_token_ends_the_session_and_leads_back_with_the_address_kept(
    browser: Browser, desk: Desk, client: ApiClient, service: Running, line: Line
) -> None:
    browser.sign_in()
    session = browser.session(desk)
    assert asked(client, session) is None
    post(service, "/oauth/revoke", {"token": access_of(session)})
    service.poll_changes()
    Rounds(desk, client.probe).once()
    assert not session.ended, "nobody has a page open"

    def look() -> None:
        session._sure_at -= 60  # a minute in which nothing was heard
        Rounds(desk, client.probe).once()

    sent = Socket(browser.app, browser.cookies).run("one", look)
    assert sent[-1]["code"] == SESSION_ENDED
    assert session.ended
    assert asked(client, session) == 401
    answer = browser.get(f"{DASHBOARD}/topics?topic=5")
    assert browser.get(f"{DASHBOARD}/sign-in/session", {}).status == 401, "what the page asks then"
    address, page = browser.follow(answer)
    assert (address, page.text) == (f"{DASHBOARD}/topics?topic=5", b"<p>ada</p>"), (
        "who is still signed in there"
    )


def test_an_account_that_is_disabled_sees_nothing_more_of_what_was_kept(
    browser: Browser, desk: Desk, client: ApiClient, service: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "SURE_SECONDS", A_MOMENT)
    monkeypatch.setattr(client, "_lifetime", A_MOMENT)
    browser.sign_in(username="ben")
    session = browser.session(desk)
    assert asked(client, session) is None
    accounts.set_disabled(service.database, "ben", disabled=True, now=service.clock())
    service.poll_changes()
    assert asked(client, session) is None, "for a moment what was kept is given"
    session._sure_at -= A_MOMENT
    assert asked(client, session) == 401
    assert session.ended
    accounts.set_disabled(service.database, "ben", disabled=False, now=service.clock())


def test_an_expired_token_is_refreshed_on_the_way_and_the_page_stays(
    browser: Browser, desk: Desk, client: ApiClient, service: Running, line: Line
) -> None:
    browser.sign_in()
    session = browser.session(desk)
    before = access_of(session)
    service.clock.move(seconds=3601)
    session._expires_at -= 3601
    session._renew_at -= 3601
    line.asked.clear()
    assert asked(client, session) is None
    assert line.asked == ["POST /oauth/token", "GET /assets"]
    assert access_of(session) != before
    assert browser.get(f"{DASHBOARD}/topics", PAGE).text == b"<p>ada</p>"


def test_a_refresh_token_that_was_used_by_another_ends_the_session(
    browser: Browser, desk: Desk, client: ApiClient, service: Running
) -> None:
    browser.sign_in()
    session = browser.session(desk)
    held = session._tokens
    assert isinstance(held, Tokens)
    post(service, "/oauth/token", {"grant_type": "refresh_token", "refresh_token": str(held.refresh)})
    session._expires_at = session._renew_at = 0.0
    assert asked(client, session) == 401
    assert session.ended
    assert browser.get(f"{DASHBOARD}/").headers["location"] == "/sign-in?next=%2F"
