"""Tests that the OpenAPI document describes the responses of the OAuth endpoints exactly."""

from collections.abc import Callable
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types
import pytest
import sqlalchemy as sa

from backend.http.openapi import COMMON_HEADERS, LIMIT_HEADERS
from tests.support.apps.market_app import Running
from tests.support.apps.oauth_app import PASSWORD, Desk, Form, create_desk, post
from tests.support.http.asgi import Answer, send
from tests.support.openapi.document import build_validator, inline_components

TEXT = {"content-type": "text/plain"}
METADATA = "/.well-known/oauth-authorization-server"


@pytest.fixture(scope="module")
def document(service: Running) -> dict[str, Any]:
    return inline_components(service.json("/openapi.json"))


def guess_eleven_times(at_desk: Desk) -> Answer:
    page = Form(at_desk.open().text.decode()).hidden
    form = {**page, "username": "somebody", "password": PASSWORD, "approve": "approve"}
    return [at_desk.submit(form) for _ in range(11)][-1]


CALLS: dict[str, tuple[str, str, int, Callable[[Desk], Answer]]] = {
    "the page": ("/oauth/authorize", "get", 200, lambda d: d.open()),
    "a fault at the application": ("/oauth/authorize", "get", 303, lambda d: d.open(scope="x")),
    "a fault on the page": ("/oauth/authorize", "get", 400, lambda d: d.open(client_id="x")),
    "consent": ("/oauth/authorize", "post", 303, lambda d: d.decide()),
    "refusal": ("/oauth/authorize", "post", 303, lambda d: d.decide("deny")),
    "no button": ("/oauth/authorize", "post", 400, lambda d: d.decide("neither")),
    "a form of nobody": ("/oauth/authorize", "post", 400, lambda d: d.submit({})),
    "a form that cannot be read": ("/oauth/authorize", "post", 400, lambda d: d.submit("a=%ff")),
    "a stale form": ("/oauth/authorize", "post", 403, lambda d: d.submit(d.asked())),
    "a wrong password": ("/oauth/authorize", "post", 403, lambda d: d.decide(password="wrong")),
    "many guesses": ("/oauth/authorize", "post", 429, guess_eleven_times),
    "a long form": ("/oauth/authorize", "post", 413, lambda d: d.submit("a" * 70_000)),
    "another type": (
        "/oauth/authorize",
        "post",
        415,
        lambda d: d.submit("a", **{"content-type": "text/plain"}),
    ),
    "tokens": ("/oauth/token", "post", 200, lambda d: d.exchange(d.code())),
    "a bad code": ("/oauth/token", "post", 400, lambda d: d.exchange("x")),
    "no client": ("/oauth/token", "post", 401, lambda d: d.exchange("x", client_id="x")),
    "a long exchange": ("/oauth/token", "post", 413, lambda d: d.exchange("x" * 70_000)),
    "the wrong method": ("/oauth/token", "post", 405, lambda d: send(d.running.app, "/oauth/token")),
    "revoked": ("/oauth/revoke", "post", 200, lambda d: post(d.running, "/oauth/revoke", {"token": "x"})),
    "nothing revoked": ("/oauth/revoke", "post", 400, lambda d: post(d.running, "/oauth/revoke", {})),
    "introspection without a key": ("/oauth/introspect", "post", 401, lambda d: introspect(d, "x", key="")),
    "introspection": ("/oauth/introspect", "post", 200, lambda d: introspect(d, d.tokens()["access_token"])),
    "of a refresh token": (
        "/oauth/introspect",
        "post",
        200,
        lambda d: introspect(d, d.tokens()["refresh_token"]),
    ),
    "of nothing": ("/oauth/introspect", "post", 200, lambda d: introspect(d, "x")),
    "metadata": (METADATA, "get", 200, lambda d: send(d.running.app, METADATA)),
}


def introspect(at_desk: Desk, token: str, key: str | None = None) -> Answer:
    headers = {"CP-X-API-KEY": at_desk.running.key if key is None else key}
    return post(at_desk.running, "/oauth/introspect", {"token": token}, headers)


@pytest.mark.parametrize("name", CALLS)
def test_every_status_header_and_body_is_documented(
    at_desk: Desk, document: dict[str, Any], name: str
) -> None:
    path, method, status, call = CALLS[name]
    answer = call(at_desk)
    assert answer.status == status, answer.body
    assert_is_described(document, path, method, answer)


OPTIONAL = {"set-cookie", "retry-after", "www-authenticate", "allow", "vary", "strict-transport-security"}


def assert_is_described(document: dict[str, Any], path: str, method: str, answer: Answer) -> None:
    described = document["paths"][path][method]["responses"][str(answer.status)]
    described_headers = {header.lower() for header in described["headers"]}
    common = {header.lower() for header in {**COMMON_HEADERS, **LIMIT_HEADERS}}
    assert set(answer.headers) - {"content-type", "content-length"} <= described_headers | common
    required = {header for header in described_headers if not header.startswith("ratelimit")} - OPTIONAL
    assert required <= set(answer.headers) | {"content-security-policy", *list_page_headers(answer)}
    if not answer.body:
        assert "content" not in described
        return
    kind = answer.headers["content-type"].partition(";")[0]
    if kind == "application/json":
        build_validator(document, described["content"][kind]["schema"]).validate(answer.json())


def list_page_headers(answer: Answer) -> set[str]:
    """Of a status that is a page or JSON, the JSON has fewer headers."""
    if answer.headers.get("content-type", "").startswith("text/html"):
        return set()
    return {"x-frame-options", "referrer-policy", "cross-origin-resource-policy"}


def test_each_form_is_described_with_its_fields(document: dict[str, Any]) -> None:
    def form(path: str) -> dict[str, Any]:
        content = document["paths"][path]["post"]["requestBody"]["content"]
        assert set(content) == {"application/x-www-form-urlencoded"}
        schema: dict[str, Any] = content["application/x-www-form-urlencoded"]["schema"]
        jsonschema.Draft202012Validator.check_schema(schema)
        return schema

    fields = {"grant_type", "client_id", "code", "redirect_uri", "code_verifier", "refresh_token", "scope"}
    assert set(form("/oauth/token")["properties"]) == fields
    assert set(form("/oauth/revoke")["properties"]) == {
        "token",
        "token_type_hint",
        "client_id",
        "end_session",
    }
    assert set(form("/oauth/introspect")["properties"]) == {"token", "token_type_hint"}
    assert {"username", "password", "csrf_token", "approve", "deny"} <= set(
        form("/oauth/authorize")["properties"]
    )
    parameters = {
        p["name"]: p.get("required") for p in document["paths"]["/oauth/authorize"]["get"]["parameters"]
    }
    assert {name for name, required in parameters.items() if required} == {
        "response_type",
        "client_id",
        "redirect_uri",
        "code_challenge",
        "code_challenge_method",
    }


def test_database_outage_returns_a_page_for_people_and_json_for_programs(
    service: Running, document: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_desk = create_desk(service)

    def raise_database_error(*_: object, **__: object) -> None:
        raise sa.exc.OperationalError("SELECT secret", {}, Exception("gone"))

    monkeypatch.setattr("backend.auth.oauth.apps.find", raise_database_error)
    monkeypatch.setattr("backend.auth.oauth.grants.exchange_code", raise_database_error)
    page, payload = at_desk.open(), at_desk.exchange("x")
    assert (page.status, page.headers["content-type"]) == (503, "text/html; charset=utf-8")
    assert payload.json()["error"] == "temporarily_unavailable"
    for path, method, answer in (("/oauth/authorize", "get", page), ("/oauth/token", "post", payload)):
        assert answer.headers["retry-after"] == "5"
        assert_is_described(document, path, method, answer)
