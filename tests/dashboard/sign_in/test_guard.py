"""The guard admits only signed-in people, and closes pages when a session ends."""

import pytest

from backend.auth.oauth import accounts
from dashboard.client import callers
from dashboard.client.callers import ANONYMOUS
from dashboard.client.http import ApiClient
from dashboard.sign_in import service as service_module
from dashboard.sign_in import session as sessions
from dashboard.sign_in.guard import SESSION_ENDED_CODE
from dashboard.sign_in.oauth_client import Tokens
from dashboard.sign_in.service import SignInService
from dashboard.sign_in.session import Session
from dashboard.sign_in.session_maintenance import SessionMaintenance
from tests.support.apps.market_app import Running
from tests.support.apps.oauth_app import post
from tests.support.dashboard.sign_in import (
    DASHBOARD,
    PAGE,
    Browser,
    RecordingTransport,
    Socket,
    request_status,
)
from tests.support.http.asgi import send
from tests.support.waiting import LIMIT_SECONDS

A_MOMENT = LIMIT_SECONDS


@pytest.mark.parametrize("path", ["/topics", "/", "/no-such-page", "/research?job=1"])
def test_a_page_redirects_to_the_sign_in_with_its_url(browser: Browser, path: str) -> None:
    answer = browser.get(DASHBOARD + path)
    assert answer.status == 303
    assert answer.headers["location"].startswith("/sign-in?next=%2F")
    assert answer.body == b""
    assert "no-store" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    "path", ["/media/export.csv", "/static/app.js", "/_stcore/host-config", "/_stcore/upload_file/1/2"]
)
def test_other_resources_are_rejected(browser: Browser, path: str) -> None:
    assert browser.get(DASHBOARD + path, {"accept": "*/*"}).status == 401
    assert browser.post(DASHBOARD + path, {}).status == 401


def test_the_health_check_needs_no_sign_in(browser: Browser) -> None:
    assert browser.get(f"{DASHBOARD}/_stcore/health", {}).status == 200
    assert browser.get(f"{DASHBOARD}/sign-in/session", {}).status == 401


@pytest.mark.parametrize(
    "path", ["/sign-in/../topics", "/sign-in/", "/sign-in/callback/x", "//sign-in", "/SIGN-IN"]
)
def test_paths_similar_to_the_sign_in_are_protected(browser: Browser, path: str) -> None:
    assert b"ada" not in browser.get(DASHBOARD + path).body
    assert browser.get(DASHBOARD + path, {"accept": "*/*"}).status == 401


def test_pages_are_not_cached(browser: Browser) -> None:
    browser.sign_in()
    answer = browser.get(f"{DASHBOARD}/topics")
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
    assert browser.get(f"{DASHBOARD}/media/export.csv", {}).status == 200
    assert browser.get(f"{DASHBOARD}/sign-in/session", {}).status == 204


def test_an_invalid_cookie_is_no_session(browser: Browser, sign_in_service: SignInService) -> None:
    for value in ("", "x", '"', "a" * 5000, "\xff"):
        headers = {
            "accept": "text/html",
            "host": "127.0.0.1:8501",
            "cookie": f"{sign_in_service.cookies.session}={value}",
        }
        assert send(browser.app, "/topics", headers=headers).status == 303


def test_without_sign_in_everybody_is_admitted(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "get_service", lambda: None)
    assert browser.get(f"{DASHBOARD}/topics").text == b"<p>nobody</p>"
    assert browser.get(f"{DASHBOARD}/sign-in?next=/topics").headers["location"] == "/topics"
    assert browser.get(f"{DASHBOARD}/sign-in/session").status == 204
    assert browser.post(f"{DASHBOARD}/sign-out", {}).status == 303


def test_a_websocket_needs_a_session(browser: Browser, sign_in_service: SignInService) -> None:
    messages = Socket(browser.app, {sign_in_service.cookies.session: "none"}).run("anything")
    assert [message["type"] for message in messages] == ["websocket.close"]


@pytest.mark.parametrize("origin", ["https://evil.test", "http://127.0.0.1:9999", "http://localhost", "null"])
def test_a_websocket_of_another_origin_is_rejected(browser: Browser, origin: str) -> None:
    """A program on the same host would receive the cookies."""
    browser.sign_in()
    messages = Socket(browser.app, browser.cookies, origin).run("anything")
    assert [message["type"] for message in messages] == ["websocket.close"]


def test_cookies_of_other_programs_on_the_host_are_ignored(browser: Browser) -> None:
    browser.sign_in()
    browser.cookies = {"theirs": '{"a": [1, 2]}', "odd name": "\u00e9", **browser.cookies}
    assert browser.get(f"{DASHBOARD}/topics").text == b"<p>ada</p>"
    assert Socket(browser.app, {"theirs": '{"a":1}', **browser.cookies}).run("one")[-1]["text"] == "heard one"


def test_a_websocket_stays_open_while_the_session_lasts(browser: Browser) -> None:
    browser.sign_in()
    messages = Socket(browser.app, browser.cookies).run("one", "two")
    assert [message.get("text") for message in messages] == [None, "heard one", "heard two"]


def test_a_websocket_is_closed_when_its_session_ends(
    browser: Browser, sign_in_service: SignInService
) -> None:
    browser.sign_in()
    session = browser.session(sign_in_service)
    messages = Socket(browser.app, browser.cookies).run("one", lambda: sign_in_service.sessions.end(session))
    assert messages[-1]["type"] == "websocket.close"
    assert messages[-1]["code"] == SESSION_ENDED_CODE
    assert not session.has_open_page


def test_every_request_is_sent_with_the_token_of_its_caller(
    browser: Browser, sign_in_service: SignInService, client: ApiClient, service: Running
) -> None:
    browser.sign_in(username="ben")
    session = browser.session(sign_in_service)
    assert request_status(client, session) is None
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
        response = client.get("/assets", "array")
    assert (response.data, response.error and response.error.status) == (None, 401)


def test_requests_outside_of_a_page_have_no_caller(client: ApiClient) -> None:
    assert client.caller() is ANONYMOUS


def get_access_token(session: Session) -> str:
    return session.credential()["Authorization"].removeprefix("Bearer ")


def test_a_revoked_token_ends_the_session_and_the_url_is_kept(
    browser: Browser,
    sign_in_service: SignInService,
    client: ApiClient,
    service: Running,
    transport: RecordingTransport,
) -> None:
    browser.sign_in()
    session = browser.session(sign_in_service)
    assert request_status(client, session) is None
    post(service, "/oauth/revoke", {"token": get_access_token(session)})
    service.poll_changes()
    SessionMaintenance(sign_in_service, client.probe).run_once()
    assert not session.ended, "nobody has a page open"

    def run_maintenance() -> None:
        session._verified_at -= 60  # a minute in which nothing was heard
        SessionMaintenance(sign_in_service, client.probe).run_once()

    messages = Socket(browser.app, browser.cookies).run("one", run_maintenance)
    assert messages[-1]["code"] == SESSION_ENDED_CODE
    assert session.ended
    assert request_status(client, session) == 401
    answer = browser.get(f"{DASHBOARD}/topics?topic=5")
    assert browser.get(f"{DASHBOARD}/sign-in/session", {}).status == 401, "what the page asks then"
    address, page = browser.follow(answer)
    assert (address, page.text) == (f"{DASHBOARD}/topics?topic=5", b"<p>ada</p>"), (
        "who is still signed in there"
    )


def test_a_disabled_account_gets_no_cached_responses(
    browser: Browser,
    sign_in_service: SignInService,
    client: ApiClient,
    service: Running,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "VERIFIED_SECONDS", A_MOMENT)
    monkeypatch.setattr(client, "_lifetime", A_MOMENT)
    browser.sign_in(username="ben")
    session = browser.session(sign_in_service)
    assert request_status(client, session) is None
    accounts.set_disabled(service.database, "ben", disabled=True, now=service.clock())
    service.poll_changes()
    assert request_status(client, session) is None, "for a moment what was kept is given"
    session._verified_at -= A_MOMENT
    assert request_status(client, session) == 401
    assert session.ended
    accounts.set_disabled(service.database, "ben", disabled=False, now=service.clock())


def test_an_expired_token_is_refreshed_and_the_page_stays(
    browser: Browser,
    sign_in_service: SignInService,
    client: ApiClient,
    service: Running,
    transport: RecordingTransport,
) -> None:
    browser.sign_in()
    session = browser.session(sign_in_service)
    before = get_access_token(session)
    service.clock.move(seconds=3601)
    session._expires_at -= 3601
    session._refresh_at -= 3601
    transport.requests.clear()
    assert request_status(client, session) is None
    assert transport.requests == ["POST /oauth/token", "GET /assets"]
    assert get_access_token(session) != before
    assert browser.get(f"{DASHBOARD}/topics", PAGE).text == b"<p>ada</p>"


def test_a_reused_refresh_token_ends_the_session(
    browser: Browser, sign_in_service: SignInService, client: ApiClient, service: Running
) -> None:
    browser.sign_in()
    session = browser.session(sign_in_service)
    tokens = session._tokens
    assert isinstance(tokens, Tokens)
    post(service, "/oauth/token", {"grant_type": "refresh_token", "refresh_token": str(tokens.refresh)})
    session._expires_at = session._refresh_at = 0.0
    assert request_status(client, session) == 401
    assert session.ended
    assert browser.get(f"{DASHBOARD}/").headers["location"] == "/sign-in?next=%2F"
