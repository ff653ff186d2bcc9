"""Signing in and out, against the real service: what leads where, and what cannot be forged."""

import re
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest

from dashboard.sign_in import oauth_client, routes
from dashboard.sign_in.oauth_client import Tokens
from dashboard.sign_in.service import Desk
from tests.support.market_app import Running
from tests.support.oauth_app import post
from tests.support.sign_in import DASHBOARD, SERVICE, Browser, Line

DEEP = "/topics?topic=5&lang=ja&find=%E3%83%93+x"


def why(address: str) -> str:
    """The reason with which a browser was led to the sign-in."""
    parts = urlsplit(address)
    assert parts.path == "/sign-in", address
    return parse_qs(parts.query)["why"][0]


def answered(browser: Browser, username: str = "ada", path: str = "/", button: str = "approve") -> str:
    """The address to which the service sends a browser back."""
    _, page = browser.open(path)
    answer = browser.decide(page, username, button)
    assert answer.status == 303
    return answer.headers["location"]


def with_changes(address: str, **changes: str) -> str:
    parts = urlsplit(address)
    return f"{DASHBOARD}{parts.path}?{urlencode({**dict(parse_qsl(parts.query)), **changes})}"


def test_a_deep_link_survives_the_way_to_the_service_and_back(browser: Browser, desk: Desk) -> None:
    address, page = browser.sign_in(DEEP)
    assert address == DASHBOARD + DEEP
    assert page.text == b"<p>ada</p>"
    session = browser.session(desk)
    assert (session.name, session.scopes) == ("ada", ("read", "write"))


def test_the_request_is_one_of_a_public_client_with_pkce(browser: Browser, desk: Desk) -> None:
    address, _ = browser.open("/topics?lang=ja")
    asked = dict(parse_qsl(urlsplit(address).query))
    assert asked.pop("state")
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", asked.pop("code_challenge"))
    assert asked == {
        "response_type": "code",
        "client_id": desk.client_id(),
        "redirect_uri": f"{DASHBOARD}/sign-in/callback",
        "scope": "read write",
        "code_challenge_method": "S256",
        "ui_locales": "ja",
    }


def test_a_reader_is_given_what_the_account_may_and_no_more(browser: Browser, desk: Desk) -> None:
    browser.sign_in(username="ben")
    assert browser.session(desk).scopes == ("read",)


def test_cookies_are_out_of_reach_of_scripts_and_hold_no_token(browser: Browser, desk: Desk) -> None:
    browser.sign_in()
    own = [cookie for cookie in browser.set_cookies if cookie.startswith("chainproof-s")]
    assert own
    assert all("httponly" in cookie.lower() and "samesite=lax" in cookie.lower() for cookie in own)
    access = browser.session(desk).credential()["Authorization"].removeprefix("Bearer ")
    assert not any(access in cookie for cookie in browser.set_cookies)
    assert not any(name.startswith(desk.cookies.attempt) for name in browser.cookies), "the attempt is over"


def test_another_browser_cannot_use_an_answer(browser: Browser, desk: Desk) -> None:
    location = answered(browser)
    other = Browser(browser.app, browser.service)
    address, _ = other.follow(other.get(location))
    assert why(address) == "lost"
    assert desk.session_of(other.cookies) is None


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"state": "another"}, "lost"),
        ({"state": ""}, "lost"),
        ({"iss": "https://evil.test"}, "failed"),
        ({"code": "another"}, "failed"),
        ({"code": ""}, "failed"),
        ({"error": "server_error"}, "failed"),
    ],
)
def test_a_forged_answer_admits_nobody(
    browser: Browser, desk: Desk, changes: dict[str, str], told: str
) -> None:
    address, page = browser.follow(browser.get(with_changes(answered(browser, path=DEEP), **changes)))
    assert why(address) == told
    assert page.status == 200
    assert desk.session_of(browser.cookies) is None


def test_an_answer_counts_once(browser: Browser, desk: Desk) -> None:
    location = answered(browser)
    browser.get(location)
    first = browser.session(desk)
    del browser.cookies[desk.cookies.session]
    address, _ = browser.follow(browser.get(location))
    assert why(address) == "lost"
    assert not first.ended


def test_who_refuses_is_told_so_and_may_begin_anew_at_the_same_place(browser: Browser, desk: Desk) -> None:
    address, page = browser.follow(browser.get(answered(browser, path=DEEP, button="deny")))
    assert why(address) == "denied"
    assert "許可されなかった" in page.text.decode()
    again = re.search(r'href="([^"]+)"', page.text.decode())
    assert again is not None
    assert parse_qs(urlsplit(again[1].replace("&amp;", "&")).query)["next"] == [DEEP]


def test_an_account_that_may_not_read_is_told_so_and_its_tokens_are_taken_back(
    browser: Browser, desk: Desk, line: Line
) -> None:
    address, _ = browser.sign_in(username="cat")
    assert why(address) == "no_read"
    line.asked.clear()
    desk.sessions.tidy()
    assert line.asked == ["POST /oauth/revoke"] * 2


def test_two_tabs_that_are_led_to_the_sign_in_at_once_both_come_back(browser: Browser, desk: Desk) -> None:
    _, one = browser.open("/topics?topic=1")
    _, other = browser.open("/research?job=2")
    assert browser.follow(browser.decide(other))[0] == f"{DASHBOARD}/research?job=2"
    first = browser.session(desk)
    assert browser.follow(browser.decide(one))[0] == f"{DASHBOARD}/topics?topic=1"
    assert browser.session(desk) is first, "one browser, one session: pages that are open go on"
    assert first.credential()


def test_who_signs_in_as_somebody_else_in_another_tab_is_that_one_in_both(
    browser: Browser, desk: Desk
) -> None:
    _, one = browser.open("/topics")
    _, other = browser.open("/research")
    browser.follow(browser.decide(one))
    first = browser.session(desk)
    browser.follow(browser.decide(other, "ben"))
    assert first.ended
    assert browser.session(desk).name == "ben"


def test_attempts_that_nobody_ends_do_not_pile_up(browser: Browser, desk: Desk) -> None:
    for _ in range(20):
        browser.open("/")
    begun = [name for name in browser.cookies if name.startswith(desk.cookies.attempt)]
    assert len(begun) <= 8


@pytest.mark.parametrize("target", ["//evil.test", "https://evil.test/", "/\\evil.test", "javascript:1"])
def test_the_sign_in_leads_to_no_other_host(browser: Browser, target: str) -> None:
    page = browser.get(f"{DASHBOARD}/sign-in?{urlencode({'next': target, 'why': 'ended'})}")
    assert b"evil" not in page.text
    browser.sign_in()
    there = browser.get(f"{DASHBOARD}/sign-in?{urlencode({'next': target})}")
    assert there.headers["location"] == "/"


def test_what_stands_in_a_link_is_no_markup(browser: Browser) -> None:
    page = browser.get(f"{DASHBOARD}/sign-in?why=%3Cscript%3E&next=/topics%3Fq=%22%3E%3Cscript%3E")
    assert page.status == 303
    page = browser.get(f"{DASHBOARD}/sign-in?why=ended&next=/topics%3Fq='%2522")
    assert b"<script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_signing_out_takes_both_tokens_back_and_shows_nothing_after(
    browser: Browser, desk: Desk, line: Line, service: Running
) -> None:
    browser.sign_in()
    session = browser.session(desk)
    held = session._tokens
    assert isinstance(held, Tokens)
    line.asked.clear()
    answer = browser.post(f"{DASHBOARD}/sign-out", {"csrf": session.csrf}, {"origin": DASHBOARD})
    assert why(browser.follow(answer)[0]) == "signed_out"
    assert line.asked == ["POST /oauth/revoke"] * 2
    assert (session.ended, desk.cookies.session in browser.cookies) == (True, False)
    service.poll_changes()
    for token in (held.access, held.refresh):
        told = post(service, "/oauth/introspect", {"token": str(token)}, {"CP-X-API-KEY": service.key}).json()
        assert told == {"active": False}
    assert browser.open("/topics")[0].startswith(f"{SERVICE}/oauth/authorize")


@pytest.mark.parametrize(
    ("csrf", "headers"),
    [
        ("", {}),
        ("another", {}),
        (None, {"origin": "https://evil.test"}),
        (None, {"origin": "null"}),
        (None, {"sec-fetch-site": "cross-site"}),
    ],
)
def test_no_other_site_signs_anybody_out(
    browser: Browser, desk: Desk, csrf: str | None, headers: dict[str, str]
) -> None:
    browser.sign_in()
    session = browser.session(desk)
    answer = browser.post(f"{DASHBOARD}/sign-out", {"csrf": session.csrf if csrf is None else csrf}, headers)
    assert answer.status == 403
    assert not session.ended
    assert browser.get(f"{DASHBOARD}/sign-out").status == 405


def test_a_form_without_end_is_not_read(browser: Browser, desk: Desk) -> None:
    browser.sign_in()
    form = {"csrf": browser.session(desk).csrf, "more": "x" * routes.LONGEST_FORM}
    assert browser.post(f"{DASHBOARD}/sign-out", form).status == 403


def test_signing_out_while_the_service_is_down_ends_it_here_and_there_later(
    browser: Browser, desk: Desk, line: Line
) -> None:
    browser.sign_in()
    session = browser.session(desk)
    line.cut = True
    answer = browser.post(f"{DASHBOARD}/sign-out", {"csrf": session.csrf})
    assert why(answer.headers["location"]) == "unrevoked"
    assert desk.session_of(browser.cookies) is None
    line.cut = False
    line.asked.clear()
    desk.sessions.tidy()
    assert line.asked == ["POST /oauth/revoke"] * 2


def test_a_service_that_is_down_is_told_and_not_redirected_to(
    browser: Browser, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oauth_client, "FAILED_SECONDS", 0.0)
    line.cut = True
    address, page = browser.open("/topics")
    assert address == f"{DASHBOARD}/sign-in?next=%2Ftopics"
    assert page.status == 503
    assert b"does not respond" in page.text
    line.cut = False
    assert browser.open("/topics")[0].startswith(SERVICE)


def test_a_service_that_goes_down_before_the_code_is_exchanged_is_told(browser: Browser, line: Line) -> None:
    location = answered(browser)
    line.cut = True
    address, _ = browser.follow(browser.get(location))
    assert why(address) == "unreachable"


def test_the_page_speaks_as_its_reader_does(browser: Browser) -> None:
    headers = {"accept": "text/html", "accept-language": "ja-JP,en;q=0.5"}
    page = browser.get(f"{DASHBOARD}/sign-in?why=signed_out", headers).text.decode()
    assert '<html lang="ja">' in page
    assert "サインアウトしました" in page
    browser.cookies["chainproof"] = "lang=zh"
    assert "您已退出登录" in browser.get(f"{DASHBOARD}/sign-in?why=signed_out", headers).text.decode()


def test_who_comes_by_another_name_of_this_machine_is_led_to_the_one_that_is_registered(
    browser: Browser,
) -> None:
    answer = browser.get("http://localhost:8501/sign-in?next=/topics")
    assert answer.headers["location"] == f"{DASHBOARD}/sign-in?next=%2Ftopics"


def test_who_comes_by_an_address_that_nobody_registered_is_told_where_to_go(browser: Browser) -> None:
    page = browser.get("http://192.168.1.5:8501/sign-in?next=/topics")
    assert page.status == 421
    assert f'href="{DASHBOARD}/sign-in?next=%2Ftopics"' in page.text.decode()
