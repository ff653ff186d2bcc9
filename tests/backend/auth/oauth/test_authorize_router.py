"""Tests the page for sign-in and consent, and its redirects."""

import re
from urllib.parse import quote, urlencode

import pytest

from backend.auth.oauth import accounts, apps
from backend.http.pages.languages import LANGUAGES
from tests.support.apps.market_app import Running
from tests.support.apps.oauth_app import (
    CALLBACK,
    PASSWORD,
    Desk,
    Form,
    challenge,
    create_desk,
    create_person,
    read_redirect_parameters,
)

REGISTERED = "https://desk.example:8443/cb?tenant=1"
HOSTILE = [
    "",
    "https://evil.example/",
    "https://desk.example:8443/cb",
    "https://desk.example:8443/cb?tenant=1&",
    "https://desk.example:8443/cb?tenant=1&x=2",
    "https://desk.example:8443/cb?tenant=2",
    "https://desk.example:8443/cb?tenant=1#",
    "https://desk.example:8443/cb?tenant=1#fragment",
    "https://desk.example:8443/cb?Tenant=1",
    "https://desk.example:8443/cb/?tenant=1",
    "https://desk.example:8443/cb/../cb?tenant=1",
    "https://desk.example:8443/./cb?tenant=1",
    "https://desk.example:8443//cb?tenant=1",
    "https://desk.example:8443/CB?tenant=1",
    "https://desk.example:8443/c%62?tenant=1",
    "https://desk.example:8443/cb%00?tenant=1",
    "https://desk.example:8443/cb?tenant=1\0",
    "https://desk.example:8443/cb?tenant=1 ",
    " https://desk.example:8443/cb?tenant=1",
    "https://desk.example:8443/cb?tenant=1\r\nSet-Cookie: a=b",
    "https://desk.example:8443/cb?tenant=%31",
    "https://desk.example/cb?tenant=1",
    "https://desk.example:443/cb?tenant=1",
    "https://desk.example:8444/cb?tenant=1",
    "https://desk.example:08443/cb?tenant=1",
    "https://desk.example.:8443/cb?tenant=1",
    "https://DESK.example:8443/cb?tenant=1",
    "HTTPS://desk.example:8443/cb?tenant=1",
    "http://desk.example:8443/cb?tenant=1",
    "//desk.example:8443/cb?tenant=1",
    "desk.example:8443/cb?tenant=1",
    "/cb?tenant=1",
    "https:\\\\desk.example:8443\\cb?tenant=1",
    "https://desk.example:8443\\@evil.example/cb?tenant=1",
    "https://desk.example:8443@evil.example/cb?tenant=1",
    "https://evil.example@desk.example:8443/cb?tenant=1",
    "https://desk.example.evil.example:8443/cb?tenant=1",
    "https://evil.example/?https://desk.example:8443/cb?tenant=1",
    "https://evil.desk.example:8443/cb?tenant=1",
    "https://dеsk.example:8443/cb?tenant=1",  # the second letter is Cyrillic
    "https://xn--dsk-bdd.example:8443/cb?tenant=1",
    "javascript:alert(1)//desk.example:8443/cb?tenant=1",
    "data:text/html,<script>alert(1)</script>",
    '"><script>alert(1)</script>',
    "https://desk.example:8443/cb?tenant=1" + "a" * 10_000,
]


@pytest.fixture(scope="module")
def strict(service: Running) -> Desk:
    return create_desk(service, uris=(REGISTERED,))


def test_form_has_its_fields_and_buttons_and_resubmits_the_request(at_desk: Desk) -> None:
    page = at_desk.open()
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    form = Form(page.text.decode())
    assert set(form.fields) == {"username", "password"}
    assert form.fields["password"]["type"] == "password"
    assert form.buttons == ["approve", "deny"]  # Enter presses the first
    assert form.action == "authorize"
    assert form.hidden.items() >= at_desk.asked().items()
    assert re.fullmatch(r"[0-9a-f]{64}", form.hidden["csrf_token"])


def test_approval_redirects_with_code_state_and_issuer(at_desk: Desk) -> None:
    result = read_redirect_parameters(at_desk.decide())
    assert result.pop("code").startswith("cpc_")
    assert result == {"state": "a state & more"}


def test_denial_redirects_with_access_denied_and_needs_no_password(at_desk: Desk) -> None:
    result = read_redirect_parameters(at_desk.decide("deny", username="", password=""))
    assert (result["error"], result["state"]) == ("access_denied", "a state & more")
    assert "code" not in result


@pytest.mark.parametrize(("button", "name"), [("approve", "code"), ("deny", "error")])
def test_form_button_is_recognized_by_its_name(at_desk: Desk, button: str, name: str) -> None:
    form = Form(at_desk.open().text.decode()).hidden
    assert name in read_redirect_parameters(
        at_desk.submit({**form, "username": "ada", "password": PASSWORD, button: ""})
    )


def test_redirect_keeps_the_query_of_the_redirect_uri(strict: Desk) -> None:
    answer = strict.decide(redirect_uri=REGISTERED, state=None)
    assert answer.headers["location"].startswith(f"{REGISTERED}&code=cpc_")
    assert set(read_redirect_parameters(answer, REGISTERED)) == {"tenant", "code"}


@pytest.mark.parametrize("uri", HOSTILE)
def test_only_the_exact_registered_redirect_uri_is_redirected_to(strict: Desk, uri: str) -> None:
    for answer in (strict.open(redirect_uri=uri), strict.submit(strict.asked(redirect_uri=uri))):
        assert answer.status == 400
        assert "location" not in answer.headers
        assert "form-action 'none'" in answer.headers["content-security-policy"]
        assert b"<script" not in answer.body


@pytest.mark.parametrize("uri", HOSTILE)
def test_errors_are_not_sent_to_an_unregistered_redirect_uri(strict: Desk, uri: str) -> None:
    answer = strict.open(redirect_uri=uri, response_type=None, scope="everything")
    assert (answer.status, "location" in answer.headers) == (400, False)


@pytest.mark.parametrize(
    "client_id",
    [None, "", "x", "00000000-0000-4000-8000-000000000000", "{0}", "\0", "٣" * 36, "' OR 1=1", "a" * 10_000],
)
def test_unknown_client_id_shows_an_error_page_without_a_redirect(
    at_desk: Desk, client_id: str | None
) -> None:
    answer = at_desk.open(client_id=client_id)
    assert (answer.status, "location" in answer.headers) == (400, False)
    assert "client_id" in answer.text.decode()


def test_revoked_application_is_rejected_like_an_unknown_one(at_desk: Desk) -> None:
    apps.revoke(at_desk.running.database, at_desk.app.client_id, at_desk.running.clock())
    assert at_desk.open().status == 400


@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
def test_duplicate_client_id_or_redirect_uri_is_rejected_without_a_redirect(at_desk: Desk, name: str) -> None:
    request = at_desk.asked()
    answer = at_desk.open(urlencode([*request.items(), (name, request[name])]))
    assert (answer.status, "location" in answer.headers) == (400, False)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code token"}, "unsupported_response_type"),
        ({"response_type": 'co"de'}, "unsupported_response_type"),
        ({"response_mode": "fragment"}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": "s256"}, "invalid_request"),
        ({"code_challenge": "a" * 42}, "invalid_request"),
        ({"code_challenge": "a" * 44}, "invalid_request"),
        ({"code_challenge": "a" * 42 + "="}, "invalid_request"),
        ({"code_challenge": "a" * 42 + "\n"}, "invalid_request"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"scope": "read everything"}, "invalid_scope"),
        ({"scope": "read  write"}, "invalid_scope"),
        ({"scope": "READ"}, "invalid_scope"),
        ({"scope": "read\0"}, "invalid_scope"),
    ],
)
def test_request_errors_are_redirected_to_the_application(
    at_desk: Desk, changes: dict[str, str | None], error: str
) -> None:
    for answer in (at_desk.open(**changes), at_desk.submit(at_desk.asked(**changes))):
        result = read_redirect_parameters(answer)
        assert (result["error"], result["state"]) == (error, "a state & more")
        assert re.fullmatch(r"[\x20-\x21\x23-\x5b\x5d-\x7e]+", result["error_description"])


@pytest.mark.parametrize(
    "name", ["response_type", "scope", "state", "code_challenge", "code_challenge_method"]
)
def test_duplicate_parameter_error_is_redirected_to_the_application(at_desk: Desk, name: str) -> None:
    request = at_desk.asked()
    result = read_redirect_parameters(at_desk.open(urlencode([*request.items(), (name, request[name])])))
    assert result["error"] == "invalid_request"
    assert ("state" in result) == (name != "state")


def test_unknown_parameters_are_ignored_and_empty_ones_are_treated_as_absent(at_desk: Desk) -> None:
    assert at_desk.open(prompt="login", resource="https://a.example").status == 200
    result = read_redirect_parameters(at_desk.decide(state="", scope=""))
    assert set(result) == {"code"}


@pytest.mark.parametrize(
    "state", ["é雪🙂", "\r\nSet-Cookie: a=b", "\0", '"><script>alert(1)</script>', "%0d%0a", "s" * 10_000]
)
def test_state_is_returned_unchanged_and_escaped_in_html(at_desk: Desk, state: str) -> None:
    page = at_desk.open(state=state)
    assert b"<script" not in page.body
    assert read_redirect_parameters(at_desk.decide(state=state))["state"] == state


@pytest.mark.parametrize("query", ["client_id=%ff", "state=%ed%a0%80", "a=1&" * 100, "x=" + "a" * 70_000])
def test_unreadable_query_returns_a_400_html_page(at_desk: Desk, query: str) -> None:
    answer = at_desk.open(query)
    assert (answer.status, answer.headers["content-type"]) == (400, "text/html; charset=utf-8")


def test_page_shows_the_escaped_application_name_scopes_and_redirect_host(service: Running) -> None:
    at_desk = create_desk(service, name='<img src=x onerror="alert(1)"> & {app}')
    text = at_desk.open(scope="write read").text.decode()
    assert "<img" not in text
    assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; {app}" in text
    assert re.findall(r"<code>(\w+)</code>", text) == ["read", "write"]
    assert "<strong>desk.example</strong>" in text


def test_security_headers_forbid_framing_scripts_caching_and_cross_origin_use(at_desk: Desk) -> None:
    headers = at_desk.open(headers={"Origin": "https://evil.example"}).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://desk.example;" in policy
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert (headers["cache-control"], headers["pragma"]) == ("no-store", "no-cache")
    assert not [name for name in headers if name.startswith("access-control")]
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=lax" in headers["set-cookie"]


@pytest.mark.parametrize("form", ["all", "approve", "deny"])
def test_form_is_accepted_only_from_the_same_browser_and_request(at_desk: Desk, form: str) -> None:
    right = Form(at_desk.open().text.decode()).hidden
    filled = {**right, "username": "ada", "password": PASSWORD, form: form}
    stranger = create_desk(at_desk.running)
    stranger.open()
    for browser, sent in (
        (stranger, filled),
        (at_desk, {**filled, "csrf_token": "0" * 64}),
        (at_desk, {**filled, "csrf_token": "é"}),
        (at_desk, {name: value for name, value in filled.items() if name != "csrf_token"}),
        (at_desk, {**filled, "state": "another"}),
        (at_desk, {**filled, "scope": "read write admin"}),
        (at_desk, {**filled, "code_challenge": challenge("b" * 43)}),
    ):
        answer = browser.submit(sent)
        assert (answer.status, "location" in answer.headers) == (403, False)
    at_desk.cookies.clear()
    assert at_desk.submit(filled).status == 403


def test_two_open_forms_in_one_browser_are_both_accepted(at_desk: Desk) -> None:
    first = Form(at_desk.open(state="one").text.decode()).hidden
    at_desk.open(state="two")
    answer = at_desk.submit({**first, "username": "ada", "password": PASSWORD, "approve": "approve"})
    assert read_redirect_parameters(answer)["state"] == "one"


def test_wrong_username_and_wrong_password_show_the_same_error_and_keep_the_username(at_desk: Desk) -> None:
    pages = []
    for username, password in (("ada", "a wrong password"), ("<nobody>", PASSWORD), ("a\0", PASSWORD)):
        answer = at_desk.decide(username=username, password=password)
        assert answer.status == 403
        text = answer.text.decode()
        assert 'role="alert"' in text
        assert Form(text).fields["username"]["value"] == username
        assert password not in text
        pages.append(re.sub(r'value="[^"]*"', "", text))
    assert len(set(pages)) == 1


@pytest.mark.parametrize("missing", ["username", "password"])
def test_a_form_without_a_name_or_password_is_shown_again(at_desk: Desk, missing: str) -> None:
    answer = at_desk.decide(**{missing: ""})
    assert (answer.status, "location" in answer.headers) == (400, False)


def test_form_without_a_button_is_rejected(at_desk: Desk) -> None:
    assert at_desk.decide("neither").status == 400


def test_disabled_account_gets_the_wrong_password_error(at_desk: Desk) -> None:
    person = create_person(at_desk.running)
    at_desk.code(username=person.username)
    accounts.set_disabled(
        at_desk.running.database, person.username, disabled=True, now=at_desk.running.clock()
    )
    assert at_desk.decide(username=person.username).status == 403


def test_username_matches_in_any_case_and_character_width(at_desk: Desk) -> None:
    assert at_desk.code(username=" ＡＤＡ ")


def test_granted_scopes_are_limited_to_those_of_the_account(at_desk: Desk) -> None:
    create_person(at_desk.running, "reader", scopes=("read",))
    assert at_desk.tokens(username="reader", scope="read write admin")["scope"] == "read"
    assert (
        read_redirect_parameters(at_desk.decide(username="reader", scope="write"))["error"] == "access_denied"
    )


@pytest.mark.parametrize("username", ["ada", "nobody-of-this-name"])
def test_eleventh_login_attempt_per_minute_is_throttled_for_any_username(
    at_desk: Desk, username: str
) -> None:
    page = Form(at_desk.open().text.decode()).hidden
    guess = {**page, "username": username, "password": "a wrong password", "approve": "approve"}
    assert [at_desk.submit(guess).status for _ in range(10)] == [403] * 10
    refused = at_desk.submit({**guess, "password": PASSWORD})
    assert (refused.status, refused.headers["retry-after"]) == (429, "60")
    at_desk.running.clock.move(seconds=61)
    assert at_desk.submit({**guess, "password": PASSWORD}).status == (303 if username == "ada" else 403)


@pytest.mark.parametrize("body", ["a=%ff", "x=" + "a" * 70_000, "a=1&" * 100])
def test_unreadable_form_is_rejected(at_desk: Desk, body: str) -> None:
    answer = at_desk.submit(body)
    assert answer.status in (400, 413)
    assert answer.json()["error"] == "invalid_request"


@pytest.mark.parametrize(
    ("headers", "ui_locales", "language"),
    [
        ({}, None, "en"),
        ({"Accept-Language": "ja-JP, en;q=0.5"}, None, "ja"),
        ({"Accept-Language": "en;q=0.5, zh-TW;q=0.9"}, None, "zh-Hans"),
        ({"Accept-Language": "fr, ja;q=0"}, None, "en"),
        ({"Accept-Language": "ja"}, "fr zh", "zh-Hans"),
        ({"Accept-Language": ",;q=x,,\x80"}, "\0", "en"),
    ],
)
def test_page_uses_the_requested_language(
    at_desk: Desk, headers: dict[str, str], ui_locales: str | None, language: str
) -> None:
    assert f'<html lang="{language}">' in at_desk.open(ui_locales=ui_locales, headers=headers).text.decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_language_links_keep_the_request_and_the_form_keeps_its_language(
    at_desk: Desk, language: str
) -> None:
    text = at_desk.open(ui_locales=language).text.decode()
    links = re.findall(r'<a href="authorize\?([^"]+)"', text)
    assert len(links) == len(LANGUAGES) - 1
    assert all(quote(CALLBACK, safe="") in link and "state=a+state+%26+more" in link for link in links)
    assert Form(text).hidden["ui_locales"] == language
    assert read_redirect_parameters(at_desk.decide(ui_locales=language)).keys() == {"code", "state"}
