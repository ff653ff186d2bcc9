"""Tests the requests and responses of /oauth/token, /revoke and /introspect."""

import base64
import re
from typing import Any

import pytest

from backend.auth import service as auth_service
from tests.support.apps.oauth_app import CALLBACK, FORM_TYPE, Desk, create_desk, create_person, post
from tests.support.http.asgi import Answer, send

ENDPOINTS = ["/oauth/token", "/oauth/revoke", "/oauth/introspect"]


def check_error(answer: Answer, status: int, error: str) -> str:
    """The description of a refusal in the shape of RFC 6749 section 5.2."""
    assert answer.status == status, (answer.status, answer.body)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert body.keys() == {"error", "error_description"}
    assert body["error"] == error, body
    assert re.fullmatch(r"[\x20-\x21\x23-\x5b\x5d-\x7e]+", body["error_description"])
    if status == 401:
        assert "www-authenticate" in answer.headers
    description: str = body["error_description"]
    return description


def test_code_exchange_returns_a_token_response_that_is_not_cached(at_desk: Desk) -> None:
    answer = at_desk.exchange(at_desk.code())
    assert answer.status == 200
    body = answer.json()
    assert body.keys() == {"access_token", "token_type", "expires_in", "refresh_token", "scope"}
    assert (body["token_type"], body["expires_in"], body["scope"]) == ("Bearer", 3600, "read write")
    assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")


def test_token_gives_access_according_to_its_scopes_including_prepared_responses(at_desk: Desk) -> None:
    token = at_desk.tokens(scope="read")["access_token"]
    assert [at_desk.read(token, path) for path in ("/assets", "/markets/status", "/topics")] == [200] * 3
    bearer = {"Authorization": f"Bearer {token}", "content-type": "application/json"}
    body = [b'{"text": "Bitcoin"}']
    refused = send(at_desk.running.app, "/entities/extractions", method="POST", headers=bearer, body=body)
    assert refused.status == 403
    assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
    in_key_header = send(at_desk.running.app, "/assets", headers={"CP-X-API-KEY": token})
    assert in_key_header.status == 401


def test_token_and_key_of_different_callers_are_rejected_with_401(at_desk: Desk) -> None:
    headers = {
        "Authorization": f"Bearer {at_desk.tokens()['access_token']}",
        "CP-X-API-KEY": at_desk.running.key,
    }
    assert send(at_desk.running.app, "/assets", headers=headers).status == 401


@pytest.mark.parametrize("name", ["access_token", "refresh_token"])
def test_revoked_token_is_rejected_as_soon_as_the_revocation_is_answered(at_desk: Desk, name: str) -> None:
    tokens = at_desk.tokens()
    assert at_desk.read(tokens["access_token"]) == 200
    assert post(at_desk.running, "/oauth/revoke", {"token": tokens[name]}).status == 200
    assert at_desk.read(tokens["access_token"]) == 401
    assert at_desk.introspect(tokens["access_token"]) == {"active": False}


def test_tokens_of_a_code_are_rejected_as_soon_as_its_second_use_is_answered(at_desk: Desk) -> None:
    code = at_desk.code()
    access_token = at_desk.exchange(code).json()["access_token"]
    assert at_desk.read(access_token) == 200
    check_error(at_desk.exchange(code), 400, "invalid_grant")
    assert at_desk.read(access_token) == 401


def test_what_an_account_stores_in_an_application_is_its_own_in_every_sign_in_there(at_desk: Desk) -> None:
    person = create_person(at_desk.running)
    elsewhere = create_desk(at_desk.running, name="Elsewhere")
    first, again = at_desk.tokens(), at_desk.tokens()
    job = submit_job(at_desk, first["access_token"], "once")
    path = f"/sources/{job}"

    assert at_desk.read(again["access_token"], path) == 200
    assert submit_job(at_desk, again["access_token"], "once") == job
    others = (elsewhere.tokens(), at_desk.tokens(username=person.username))
    assert [at_desk.read(tokens["access_token"], path) for tokens in others] == [404, 404]
    assert all(submit_job(at_desk, tokens["access_token"], "once") != job for tokens in others)


def submit_job(desk: Desk, access_token: str, idempotency_key: str) -> str:
    headers = {
        "Authorization": f"Bearer {access_token}",
        "Content-Type": "application/json",
        "Idempotency-Key": idempotency_key,
    }
    answer = send(
        desk.running.app, "/sources", method="POST", headers=headers, body=[b'{"statement": "Bitcoin rose."}']
    )
    assert answer.status == 202, answer.body
    return str(answer.json()["data"]["job_id"])


@pytest.mark.parametrize("name", ["grant_type", "client_id", "code", "redirect_uri", "code_verifier"])
@pytest.mark.parametrize("value", [None, ""])
def test_missing_field_of_an_exchange_is_rejected_by_name(
    at_desk: Desk, name: str, value: str | None
) -> None:
    assert name in check_error(at_desk.exchange("cpc_x", **{name: value}), 400, "invalid_request")


@pytest.mark.parametrize(
    "name", ["grant_type", "client_id", "code", "redirect_uri", "code_verifier", "scope"]
)
def test_duplicate_field_is_rejected(at_desk: Desk, name: str) -> None:
    client = f"grant_type=authorization_code&client_id={at_desk.app.client_id}"
    form = f"{client}&code=x&redirect_uri=y&code_verifier=z&scope=read&{name}=again"
    check_error(post(at_desk.running, "/oauth/token", form), 400, "invalid_request")


@pytest.mark.parametrize("value", ["password", "client_credentials", "refresh_token ", "\0", "a" * 10_000])
def test_unsupported_grant_types_are_rejected(at_desk: Desk, value: str) -> None:
    check_error(at_desk.token({"grant_type": value}), 400, "unsupported_grant_type")


HOSTILE = [
    "\0",
    "é",
    "🙂",
    "' OR 1=1 --",
    "a" * 10_000,
    "{}",
    "%00",
    "\r\nX: y",
    "NULL",
    "-1",
    "cpc_",
    "٣" * 36,
]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize(
    ("name", "status", "error"),
    [
        ("client_id", 401, "invalid_client"),
        ("code", 400, "invalid_grant"),
        ("redirect_uri", 400, "invalid_grant"),
        ("code_verifier", 400, "invalid_request"),
        ("scope", 400, "invalid_scope"),
    ],
)
def test_hostile_field_values_are_rejected_with_oauth_errors(
    spent: tuple[Desk, str], name: str, value: str, status: int, error: str
) -> None:
    at_desk, code = spent
    check_error(at_desk.exchange(code, **{name: value}), status, error)


@pytest.fixture(scope="module")
def spent(service: Any) -> tuple[Desk, str]:
    """A desk, and a code that is good: it is not used up by an exchange that is refused."""
    at_desk = create_desk(service)
    return at_desk, at_desk.code()


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("application/json", b"{}", 415),
        ("multipart/form-data; boundary=x", b"--x--", 415),
        ("application/x-www-form-urlencoded; charset=utf-16", b"a=b", 415),
        ("", b"token=x", 415),
        (FORM_TYPE, b"token=%ff", 400),
        (FORM_TYPE, b"token=\xff", 400),
        (FORM_TYPE, b"token=%ed%a0%80", 400),
        (FORM_TYPE, b"", 400),
        (FORM_TYPE, b"&".join([b"a=b"] * 100), 400),
        (FORM_TYPE, b"token=" + b"a" * 70_000, 413),
    ],
)
def test_body_that_is_not_a_form_is_rejected_with_an_oauth_error(
    at_desk: Desk, path: str, content_type: str, body: bytes, status: int
) -> None:
    headers = {"content-type": content_type, "CP-X-API-KEY": at_desk.running.key}
    check_error(
        send(at_desk.running.app, path, method="POST", headers=headers, body=[body]),
        status,
        "invalid_request",
    )


def test_content_length_over_the_limit_is_rejected_before_the_body_is_read(at_desk: Desk) -> None:
    headers = {"content-type": FORM_TYPE, "content-length": "9" * 30}
    answer = send(at_desk.running.app, "/oauth/token", method="POST", headers=headers)
    check_error(answer, 413, "invalid_request")
    assert answer.reads == 0


@pytest.mark.parametrize("path", ENDPOINTS)
def test_unsupported_methods_return_405_with_an_oauth_error(at_desk: Desk, path: str) -> None:
    answer = send(at_desk.running.app, path)
    check_error(answer, 405, "invalid_request")
    assert answer.headers["allow"] == "POST"


def test_unknown_oauth_paths_return_404_with_an_oauth_error(at_desk: Desk) -> None:
    check_error(send(at_desk.running.app, "/oauth/nothing"), 404, "invalid_request")


def build_basic_header(credentials: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(credentials.encode()).decode()}"}


def test_client_id_is_accepted_in_basic_authentication_without_a_secret(at_desk: Desk) -> None:
    client_id = at_desk.app.client_id
    form = {"grant_type": "authorization_code", "redirect_uri": CALLBACK}
    form["code_verifier"] = "a-verifier-of-forty-three-characters-or-more-0123"

    def post_token_request(headers: dict[str, str], **more: str) -> Answer:
        return post(at_desk.running, "/oauth/token", {**form, "code": at_desk.code(), **more}, headers)

    assert post_token_request(build_basic_header(f"{client_id}:")).status == 200
    assert (
        post_token_request(build_basic_header(f"{client_id.upper()}:"), client_id=client_id.upper()).status
        == 200
    )
    for headers in (
        build_basic_header(f"{client_id}:secret"),
        build_basic_header("another:"),
        {"Authorization": "Basic é!"},
    ):
        check_error(post_token_request(headers, client_id=client_id), 401, "invalid_client")


def test_api_key_in_the_headers_of_an_exchange_is_ignored(at_desk: Desk) -> None:
    form = {"grant_type": "refresh_token", "refresh_token": at_desk.tokens()["refresh_token"]}
    headers = {"CP-X-API-KEY": "nonsense", "Authorization": "Bearer nonsense"}
    assert post(at_desk.running, "/oauth/token", form, headers).status == 200


def test_refresh_accepts_a_missing_or_matching_client_id_and_rejects_another(at_desk: Desk) -> None:
    token = at_desk.tokens()["refresh_token"]
    other_app = create_desk(at_desk.running)
    check_error(at_desk.refresh(token, client_id=other_app.app.client_id), 400, "invalid_grant")
    token = at_desk.refresh(token, client_id=at_desk.app.client_id).json()["refresh_token"]
    assert at_desk.refresh(token).status == 200
    check_error(at_desk.refresh(token), 400, "invalid_grant")
    check_error(at_desk.token({"grant_type": "refresh_token"}), 400, "invalid_request")


def test_revoking_an_unknown_token_returns_200_with_an_empty_body(at_desk: Desk) -> None:
    for form in ({"token": "nothing"}, {"token": "\0", "token_type_hint": "nonsense"}):
        answer = post(at_desk.running, "/oauth/revoke", form)
        assert (answer.status, answer.body) == (200, b"")
    check_error(post(at_desk.running, "/oauth/revoke", {}), 400, "invalid_request")
    check_error(
        post(at_desk.running, "/oauth/revoke", {"token": "x", "client_id": "y"}), 401, "invalid_client"
    )


def test_introspection_requires_the_read_scope(at_desk: Desk) -> None:
    database, now = at_desk.running.database, at_desk.running.clock()
    writer = auth_service.create_key(database, name="w", scopes=["write"], now=now).key
    token = at_desk.tokens()["access_token"]
    check_error(post(at_desk.running, "/oauth/introspect", {"token": token}), 401, "invalid_token")
    check_error(
        post(at_desk.running, "/oauth/introspect", {"token": token}, {"CP-X-API-KEY": writer}),
        403,
        "insufficient_scope",
    )
    by_itself = post(
        at_desk.running, "/oauth/introspect", {"token": token}, {"Authorization": f"Bearer {token}"}
    )
    assert (by_itself.status, by_itself.headers["cache-control"]) == (200, "no-store")
    assert (by_itself.json()["active"], by_itself.json()["iss"]) == (True, "http://127.0.0.1:8000")
    assert at_desk.introspect("nothing") == {"active": False}
    assert at_desk.introspect(at_desk.running.key) == {"active": False}


def test_metadata_uses_the_configured_issuer_and_ignores_the_host_header(
    at_desk: Desk,
) -> None:
    path = "/.well-known/oauth-authorization-server"
    answer = send(
        at_desk.running.app, path, headers={"host": "evil.example", "x-forwarded-host": "evil.example"}
    )
    metadata = answer.json()
    assert metadata["issuer"] == "http://127.0.0.1:8000"
    for name, address in metadata.items():
        if name.endswith("_endpoint"):
            assert address.startswith("http://127.0.0.1:8000/oauth/")
    assert metadata["code_challenge_methods_supported"] == ["S256"]
    assert metadata["token_endpoint_auth_methods_supported"] == ["none"]
    assert metadata["authorization_response_iss_parameter_supported"] is True
