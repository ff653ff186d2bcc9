"""Signing in and out with the real service: redirects, cookies, and forged requests."""

import re
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest

from dashboard.sign_in import oauth_client, routes
from dashboard.sign_in.oauth_client import Tokens
from dashboard.sign_in.service import SignInService
from tests.support.apps.market_app import Running
from tests.support.apps.oauth_app import post
from tests.support.dashboard.sign_in import DASHBOARD, SERVICE, Browser, RecordingTransport

DEEP = "/topics?topic=5&lang=ja&find=%E3%83%93+x"


def get_reason(address: str) -> str:
    """The reason in the URL of the sign-in."""
    parts = urlsplit(address)
    assert parts.path == "/sign-in", address
    return parse_qs(parts.query)["why"][0]


def get_callback_url(
    browser: Browser, username: str = "ada", path: str = "/", button: str = "approve"
) -> str:
    """The URL to which the service redirects the browser."""
    _, page = browser.open(path)
    answer = browser.decide(page, username, button)
    assert answer.status == 303
    return answer.headers["location"]


def with_changes(address: str, **changes: str) -> str:
    parts = urlsplit(address)
    return f"{DASHBOARD}{parts.path}?{urlencode({**dict(parse_qsl(parts.query)), **changes})}"


def test_a_deep_link_survives_the_sign_in(browser: Browser, sign_in_service: SignInService) -> None:
    address, page = browser.sign_in(DEEP)
    assert address == DASHBOARD + DEEP
    assert page.text == b"<p>ada</p>"
    session = browser.session(sign_in_service)
    assert (session.name, session.scopes) == ("ada", ("read", "write"))


def test_the_authorization_request_is_of_a_public_client_with_pkce(
    browser: Browser, sign_in_service: SignInService
) -> None:
    address, _ = browser.open("/topics?lang=ja")
    request_parameters = dict(parse_qsl(urlsplit(address).query))
    assert request_parameters.pop("state")
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", request_parameters.pop("code_challenge"))
    assert request_parameters == {
        "response_type": "code",
        "client_id": sign_in_service.load_client_id(),
        "redirect_uri": f"{DASHBOARD}/sign-in/callback",
        "scope": "read write",
        "code_challenge_method": "S256",
        "ui_locales": "ja",
    }


def test_a_session_has_only_the_scopes_of_the_account(
    browser: Browser, sign_in_service: SignInService
) -> None:
    browser.sign_in(username="ben")
    assert browser.session(sign_in_service).scopes == ("read",)


def test_cookies_are_http_only_and_contain_no_token(browser: Browser, sign_in_service: SignInService) -> None:
    browser.sign_in()
    own = [cookie for cookie in browser.set_cookies if cookie.startswith("chainproof-s")]
    assert own
    assert all("httponly" in cookie.lower() and "samesite=lax" in cookie.lower() for cookie in own)
    access = browser.session(sign_in_service).credential()["Authorization"].removeprefix("Bearer ")
    assert not any(access in cookie for cookie in browser.set_cookies)
    assert not any(name.startswith(sign_in_service.cookies.attempt_prefix) for name in browser.cookies), (
        "the attempt is over"
    )


def test_another_browser_cannot_use_a_response(browser: Browser, sign_in_service: SignInService) -> None:
    location = get_callback_url(browser)
    other_browser = Browser(browser.app, browser.service)
    address, _ = other_browser.follow(other_browser.get(location))
    assert get_reason(address) == "lost"
    assert sign_in_service.find_session(other_browser.cookies) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"state": "another"}, "lost"),
        ({"state": ""}, "lost"),
        ({"iss": "https://evil.test"}, "failed"),
        ({"code": "another"}, "failed"),
        ({"code": ""}, "failed"),
        ({"error": "server_error"}, "failed"),
    ],
)
def test_a_forged_response_starts_no_session(
    browser: Browser, sign_in_service: SignInService, changes: dict[str, str], reason: str
) -> None:
    address, page = browser.follow(browser.get(with_changes(get_callback_url(browser, path=DEEP), **changes)))
    assert get_reason(address) == reason
    assert page.status == 200
    assert sign_in_service.find_session(browser.cookies) is None


def test_a_response_works_once(browser: Browser, sign_in_service: SignInService) -> None:
    location = get_callback_url(browser)
    browser.get(location)
    first = browser.session(sign_in_service)
    del browser.cookies[sign_in_service.cookies.session]
    address, _ = browser.follow(browser.get(location))
    assert get_reason(address) == "lost"
    assert not first.ended


def test_a_denied_sign_in_can_be_repeated_with_the_same_return_path(
    browser: Browser, sign_in_service: SignInService
) -> None:
    address, page = browser.follow(browser.get(get_callback_url(browser, path=DEEP, button="deny")))
    assert get_reason(address) == "denied"
    assert "許可されなかった" in page.text.decode()
    retry_link = re.search(r'href="([^"]+)"', page.text.decode())
    assert retry_link is not None
    assert parse_qs(urlsplit(retry_link[1].replace("&amp;", "&")).query)["next"] == [DEEP]


def test_an_account_without_read_scope_is_rejected_and_its_tokens_are_revoked(
    browser: Browser, sign_in_service: SignInService, transport: RecordingTransport
) -> None:
    address, _ = browser.sign_in(username="cat")
    assert get_reason(address) == "no_read"
    transport.requests.clear()
    sign_in_service.sessions.cleanup()
    assert transport.requests == ["POST /oauth/revoke"] * 2


def test_two_tabs_can_sign_in_at_once(browser: Browser, sign_in_service: SignInService) -> None:
    _, first_page = browser.open("/topics?topic=1")
    _, second_page = browser.open("/research?job=2")
    assert browser.follow(browser.decide(second_page))[0] == f"{DASHBOARD}/research?job=2"
    first = browser.session(sign_in_service)
    assert browser.follow(browser.decide(first_page))[0] == f"{DASHBOARD}/topics?topic=1"
    assert browser.session(sign_in_service) is first, "one browser, one session: pages that are open go on"
    assert first.credential()


def test_a_sign_in_as_somebody_else_applies_to_all_tabs(
    browser: Browser, sign_in_service: SignInService
) -> None:
    _, first_page = browser.open("/topics")
    _, second_page = browser.open("/research")
    browser.follow(browser.decide(first_page))
    first = browser.session(sign_in_service)
    browser.follow(browser.decide(second_page, "ben"))
    assert first.ended
    assert browser.session(sign_in_service).name == "ben"


def test_the_number_of_abandoned_attempts_is_limited(
    browser: Browser, sign_in_service: SignInService
) -> None:
    for _ in range(20):
        browser.open("/")
    attempts = [name for name in browser.cookies if name.startswith(sign_in_service.cookies.attempt_prefix)]
    assert len(attempts) <= 8


@pytest.mark.parametrize("target", ["//evil.test", "https://evil.test/", "/\\evil.test", "javascript:1"])
def test_the_sign_in_never_redirects_to_another_host(browser: Browser, target: str) -> None:
    page = browser.get(f"{DASHBOARD}/sign-in?{urlencode({'next': target, 'why': 'ended'})}")
    assert b"evil" not in page.text
    browser.sign_in()
    response = browser.get(f"{DASHBOARD}/sign-in?{urlencode({'next': target})}")
    assert response.headers["location"] == "/"


def test_url_parameters_are_never_interpreted_as_markup(browser: Browser) -> None:
    page = browser.get(f"{DASHBOARD}/sign-in?why=%3Cscript%3E&next=/topics%3Fq=%22%3E%3Cscript%3E")
    assert page.status == 303
    page = browser.get(f"{DASHBOARD}/sign-in?why=ended&next=/topics%3Fq='%2522")
    assert b"<script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_signing_out_revokes_both_tokens_and_ends_the_session(
    browser: Browser, sign_in_service: SignInService, transport: RecordingTransport, service: Running
) -> None:
    browser.sign_in()
    session = browser.session(sign_in_service)
    tokens = session._tokens
    assert isinstance(tokens, Tokens)
    transport.requests.clear()
    answer = browser.post(f"{DASHBOARD}/sign-out", {"csrf": session.csrf}, {"origin": DASHBOARD})
    assert get_reason(browser.follow(answer)[0]) == "signed_out"
    assert transport.requests == ["POST /oauth/revoke"] * 2
    assert (session.ended, sign_in_service.cookies.session in browser.cookies) == (True, False)
    service.poll_changes()
    for token in (tokens.access, tokens.refresh):
        response = post(
            service, "/oauth/introspect", {"token": str(token)}, {"CP-X-API-KEY": service.key}
        ).json()
        assert response == {"active": False}
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
def test_another_site_cannot_sign_anybody_out(
    browser: Browser, sign_in_service: SignInService, csrf: str | None, headers: dict[str, str]
) -> None:
    browser.sign_in()
    session = browser.session(sign_in_service)
    answer = browser.post(f"{DASHBOARD}/sign-out", {"csrf": session.csrf if csrf is None else csrf}, headers)
    assert answer.status == 403
    assert not session.ended
    assert browser.get(f"{DASHBOARD}/sign-out").status == 405


def test_a_form_above_the_limit_is_ignored(browser: Browser, sign_in_service: SignInService) -> None:
    browser.sign_in()
    form = {"csrf": browser.session(sign_in_service).csrf, "more": "x" * routes.MAX_FORM_BYTES}
    assert browser.post(f"{DASHBOARD}/sign-out", form).status == 403


def test_a_sign_out_without_the_service_ends_the_session_and_revokes_later(
    browser: Browser, sign_in_service: SignInService, transport: RecordingTransport
) -> None:
    browser.sign_in()
    session = browser.session(sign_in_service)
    transport.is_cut = True
    answer = browser.post(f"{DASHBOARD}/sign-out", {"csrf": session.csrf})
    assert get_reason(answer.headers["location"]) == "unrevoked"
    assert sign_in_service.find_session(browser.cookies) is None
    transport.is_cut = False
    transport.requests.clear()
    sign_in_service.sessions.cleanup()
    assert transport.requests == ["POST /oauth/revoke"] * 2


def test_an_unreachable_service_is_reported_without_a_redirect(
    browser: Browser, transport: RecordingTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oauth_client, "METADATA_ERROR_CACHE_SECONDS", 0.0)
    transport.is_cut = True
    address, page = browser.open("/topics")
    assert address == f"{DASHBOARD}/sign-in?next=%2Ftopics"
    assert page.status == 503
    assert b"does not respond" in page.text
    transport.is_cut = False
    assert browser.open("/topics")[0].startswith(SERVICE)


def test_a_service_that_goes_down_before_the_code_is_exchanged_is_told(
    browser: Browser, transport: RecordingTransport
) -> None:
    location = get_callback_url(browser)
    transport.is_cut = True
    address, _ = browser.follow(browser.get(location))
    assert get_reason(address) == "unreachable"


def test_the_page_uses_the_language_of_the_reader(browser: Browser) -> None:
    headers = {"accept": "text/html", "accept-language": "ja-JP,en;q=0.5"}
    page = browser.get(f"{DASHBOARD}/sign-in?why=signed_out", headers).text.decode()
    assert '<html lang="ja">' in page
    assert "サインアウトしました" in page
    browser.cookies["chainproof"] = "lang=zh"
    assert "您已退出登录" in browser.get(f"{DASHBOARD}/sign-in?why=signed_out", headers).text.decode()


def test_another_loopback_name_is_redirected_to_the_registered_one(
    browser: Browser,
) -> None:
    answer = browser.get("http://localhost:8501/sign-in?next=/topics")
    assert answer.headers["location"] == f"{DASHBOARD}/sign-in?next=%2Ftopics"


def test_an_unregistered_address_shows_a_link_to_the_registered_one(browser: Browser) -> None:
    page = browser.get("http://192.168.1.5:8501/sign-in?next=/topics")
    assert page.status == 421
    assert f'href="{DASHBOARD}/sign-in?next=%2Ftopics"' in page.text.decode()
