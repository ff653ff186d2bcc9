"""Tests that a browser stays signed in for the dashboard alone, until it signs out or its account changes."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from backend.auth.oauth import accounts, apps, retention
from backend.auth.oauth.accounts import list_sessions
from backend.auth.oauth.cookies import Cookie
from backend.auth.oauth.sign_in_sessions import IDLE_SESSION_LIFETIME, MAX_SESSION_LIFETIME, name_browser
from backend.auth.oauth.tables import sign_in_sessions as sessions
from backend.errors import BadRequest, NotFound
from tests.support.apps.market_app import Running
from tests.support.apps.oauth_app import (
    PASSWORD,
    Desk,
    Form,
    create_desk,
    create_person,
    post,
    read_redirect_parameters,
)

COOKIE = "chainproof-login-8000"
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36"


@pytest.fixture
def dashboard(service: Running) -> Desk:
    """The dashboard's application, and a browser in which nobody is signed in."""
    accounts.end_all_sessions(service.database, "ada", service.clock())
    return create_desk(service, first_party=True)


def list_active_sessions(service: Running, name: str = "ada") -> list[str]:
    return [session.id for session in list_sessions(service.database, service.clock(), name)]


def shows_page(at: Desk, **changes: Any) -> bool:
    answer = at.open(**changes)
    assert answer.status in (200, 303)
    return answer.status == 200


def test_second_request_of_a_signed_in_browser_skips_the_page(dashboard: Desk) -> None:
    first = dashboard.tokens()
    payload = read_redirect_parameters(dashboard.open(scope="read"))
    assert payload["state"] == "a state & more"
    second = dashboard.exchange(payload["code"]).json()
    assert second["scope"] == "read"
    assert [dashboard.introspect(tokens["access_token"])["username"] for tokens in (first, second)] == [
        "ada"
    ] * 2
    assert len(list_active_sessions(dashboard.running)) == 1


def test_invalid_requests_are_rejected_during_a_session(dashboard: Desk) -> None:
    dashboard.code()
    assert dashboard.open(redirect_uri="https://evil.example/").status == 400
    assert dashboard.open(client_id="00000000-0000-4000-8000-000000000000").status == 400
    assert read_redirect_parameters(dashboard.open(code_challenge=None))["error"] == "invalid_request"
    apps.revoke(dashboard.running.database, dashboard.app.client_id, dashboard.running.clock())
    assert dashboard.open().status == 400


def test_other_applications_ask_for_the_password_each_time(dashboard: Desk) -> None:
    dashboard.code()
    other_app = create_desk(dashboard.running)
    other_app.cookies = dashboard.cookies
    assert shows_page(other_app)
    assert b"each time" in other_app.open().body
    assert "set-cookie" not in other_app.decide().headers
    assert shows_page(other_app)
    assert len(list_active_sessions(dashboard.running)) == 1


def test_page_states_that_the_browser_stays_signed_in(dashboard: Desk) -> None:
    page = dashboard.open().text
    assert b"stays signed in until you sign out" in page
    assert b"each time" not in page


@pytest.mark.parametrize(
    ("headers", "changes"),
    [
        ({}, {"prompt": "login"}),
        ({}, {"prompt": "consent login"}),
        ({"Sec-Fetch-Dest": "iframe"}, {}),
        ({"Sec-Fetch-Dest": "empty"}, {}),
    ],
)
def test_page_is_shown_for_prompt_login_and_embedded_requests_during_a_session(
    dashboard: Desk, headers: dict[str, str], changes: dict[str, str]
) -> None:
    dashboard.code()
    assert shows_page(dashboard, headers=headers, **changes)


@pytest.mark.parametrize("cookie", ["", "x", "a" * 43, "a" * 5000, "é", "../" * 14 + "x"])
def test_invalid_session_cookie_shows_the_page(dashboard: Desk, cookie: str) -> None:
    dashboard.code()
    dashboard.cookies[COOKIE] = cookie
    assert shows_page(dashboard)


def test_language_links_keep_the_prompt_parameter(dashboard: Desk) -> None:
    dashboard.code()
    text = dashboard.open(prompt="login").text.decode()
    assert text.count("prompt=login") == 2, "each link of the other languages"
    assert Form(text).hidden["prompt"] == "login"


def test_prompt_login_ends_the_session_except_from_another_site(
    dashboard: Desk,
) -> None:
    tokens = dashboard.tokens()
    dashboard.open(prompt="login", headers={"Sec-Fetch-Site": "cross-site"})
    assert not shows_page(dashboard)
    dashboard.open(prompt="login", headers={"Sec-Fetch-Site": "same-site"})
    assert shows_page(dashboard)
    assert dashboard.introspect(tokens["access_token"]) == {"active": False}


def test_session_cookie_is_http_only_and_same_site(dashboard: Desk) -> None:
    cookie = dashboard.decide().headers["set-cookie"].lower()
    assert cookie.startswith(COOKIE)
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "max-age=2592000" in cookie
    assert "path=/oauth/authorize" in cookie
    https = Cookie.for_session("https://api.example/chainproof")
    assert (https.name, https.path, https.secure) == ("__Host-chainproof-login", "/", True)


def test_database_stores_the_session_digest_and_the_browser_name(dashboard: Desk) -> None:
    form = Form(dashboard.open().text.decode()).hidden
    filled = {**form, "username": "ada", "password": PASSWORD, "approve": "approve"}
    dashboard.submit(filled, **{"user-agent": CHROME})
    with dashboard.running.database.read() as connection:
        rows = connection.execute(sa.select(sessions)).all()
    assert dashboard.cookies[COOKIE] not in repr(rows)
    assert "Chrome on Linux" in repr(rows)
    assert "Chrome/" not in repr(rows)


def test_session_ends_after_the_idle_and_the_maximum_lifetime(dashboard: Desk) -> None:
    clock = dashboard.running.clock
    dashboard.code()
    began, used = clock(), 0
    while clock() + IDLE_SESSION_LIFETIME < began + MAX_SESSION_LIFETIME:
        clock.move(seconds=IDLE_SESSION_LIFETIME.total_seconds() - 1)
        assert not shows_page(dashboard)
        used += 1
    assert used > 50
    clock.move(seconds=(began + MAX_SESSION_LIFETIME - clock()).total_seconds() - 1)
    assert not shows_page(dashboard)
    clock.move(seconds=1)
    assert shows_page(dashboard)
    dashboard.code()
    clock.move(seconds=IDLE_SESSION_LIFETIME.total_seconds())
    assert shows_page(dashboard)
    assert list_active_sessions(dashboard.running) == []


def test_token_refresh_extends_the_session_and_fails_after_it_ends(dashboard: Desk) -> None:
    clock = dashboard.running.clock
    tokens = dashboard.tokens()
    for _ in range(3):
        clock.move(hours=12)
        tokens = dashboard.refresh(tokens["refresh_token"]).json()
    assert not shows_page(dashboard)
    clock.move(seconds=IDLE_SESSION_LIFETIME.total_seconds())
    payload = dashboard.refresh(tokens["refresh_token"]).json()
    assert (payload["error"], "session" in payload["error_description"]) == ("invalid_grant", True)
    assert retention.delete_expired(dashboard.running.database, clock() + timedelta(hours=2))["sessions"] == 1
    assert dashboard.refresh(tokens["refresh_token"]).status == 400


def ended_by_sign_out(at: Desk, tokens: dict[str, Any]) -> None:
    answer = post(
        at.running,
        "/oauth/revoke",
        {"token": tokens["refresh_token"], "client_id": at.app.client_id, "end_session": "true"},
    )
    assert answer.status == 200


def test_another_value_of_end_session_is_refused_and_revokes_nothing(dashboard: Desk) -> None:
    tokens = dashboard.tokens()
    form = {"token": tokens["refresh_token"], "client_id": dashboard.app.client_id, "end_session": "yes"}
    answer = post(dashboard.running, "/oauth/revoke", form)
    assert (answer.status, answer.json()["error"]) == (400, "invalid_request")
    assert dashboard.refresh(tokens["refresh_token"]).status == 200


def ended_by_password(at: Desk, _: object) -> None:
    accounts.set_password(at.running.database, "ada", PASSWORD, at.running.clock())


def ended_by_disabling(at: Desk, _: object) -> None:
    for disabled in (True, False):
        accounts.set_disabled(at.running.database, "ada", disabled=disabled, now=at.running.clock())


def ended_by_its_id(at: Desk, _: object) -> None:
    (session_id,) = list_active_sessions(at.running)
    accounts.end_session(at.running.database, session_id, at.running.clock())


def ended_with_all(at: Desk, _: object) -> None:
    assert accounts.end_all_sessions(at.running.database, "ada", at.running.clock()) == 1


@pytest.mark.parametrize(
    "end", [ended_by_sign_out, ended_by_password, ended_by_disabling, ended_by_its_id, ended_with_all]
)
def test_ending_a_session_revokes_all_its_tokens(
    dashboard: Desk, end: Callable[[Desk, dict[str, Any]], None]
) -> None:
    first = dashboard.tokens()
    second = dashboard.exchange(read_redirect_parameters(dashboard.open())["code"]).json()
    end(dashboard, second)
    assert shows_page(dashboard)
    for tokens in (first, second):
        assert dashboard.introspect(tokens["access_token"]) == {"active": False}
        assert dashboard.refresh(tokens["refresh_token"]).status == 400


def test_signing_out_keeps_the_sessions_of_other_accounts(dashboard: Desk) -> None:
    create_person(dashboard.running, "bea")
    other_desk = create_desk(dashboard.running, first_party=True)
    other_desk.decide(username="bea")
    ended_by_sign_out(dashboard, dashboard.tokens())
    assert not shows_page(other_desk)
    with pytest.raises(NotFound):
        accounts.end_session(dashboard.running.database, "none", dashboard.running.clock())


def test_revoking_tokens_keeps_the_browser_signed_in(dashboard: Desk) -> None:
    tokens = dashboard.tokens()
    post(dashboard.running, "/oauth/revoke", {"token": tokens["refresh_token"]})
    assert not shows_page(dashboard)


def test_each_sign_in_issues_a_new_session_cookie_and_invalidates_the_old_one(dashboard: Desk) -> None:
    page = Form(dashboard.open().text.decode()).hidden
    dashboard.cookies[COOKIE] = planted = "a" * 43
    filled = {**page, "username": "ada", "password": PASSWORD, "approve": "approve"}
    tokens = dashboard.exchange(read_redirect_parameters(dashboard.submit(filled))["code"]).json()
    first = dashboard.cookies[COOKIE]
    dashboard.submit(filled)
    second = dashboard.cookies[COOKIE]
    assert len({planted, first, second}) == 3
    assert len(list_active_sessions(dashboard.running)) == 1
    assert dashboard.refresh(tokens["refresh_token"]).status == 200, "its pages go on"
    for secret, is_signed_out in ((planted, True), (first, True), (second, False)):
        dashboard.cookies[COOKIE] = secret
        assert shows_page(dashboard) is is_signed_out


def test_sign_in_by_another_account_ends_the_previous_session(dashboard: Desk) -> None:
    create_person(dashboard.running, "bob")
    page = Form(dashboard.open().text.decode()).hidden
    tokens = dashboard.tokens()
    dashboard.submit({**page, "username": "bob", "password": PASSWORD, "approve": "approve"})
    assert dashboard.introspect(tokens["access_token"]) == {"active": False}
    assert (list_active_sessions(dashboard.running), len(list_active_sessions(dashboard.running, "bob"))) == (
        [],
        1,
    )


def test_application_with_a_private_uri_scheme_cannot_be_first_party(dashboard: Desk) -> None:
    with pytest.raises(BadRequest, match="http"):
        create_desk(dashboard.running, uris=("com.example.desk:/callback",), first_party=True)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (CHROME, "Chrome on Linux"),
        (CHROME + " Edg/142.0", "Edge on Linux"),
        (CHROME.replace("Chrome", "HeadlessChrome"), "Chrome on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Windows"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1",
            "Safari on iPhone",
        ),
        ("Mozilla/5.0 (Linux; Android 16) Chrome/142.0 Mobile Safari/537.36", "Chrome on Android"),
        ("curl/8.5", "Unknown browser"),
        ("", "Unknown browser"),
        ("Linux" + "\x1b[2J" * 1000, "Browser on Linux"),
    ],
)
def test_browser_name_is_derived_from_the_user_agent(user_agent: str, name: str) -> None:
    assert name_browser(user_agent) == name
