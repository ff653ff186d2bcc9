"""Tests which kind of key admits a caller to which route."""

import json

import pytest

from backend.auth import service
from backend.auth.principal import CredentialHeader, Principal, Scope
from tests.backend.auth.gated_app import JSON_TYPE, Headers, Service, list_key_headers


def test_key_with_the_router_scope_is_accepted_in_both_headers(notes: Service) -> None:
    for headers in list_key_headers(notes.key("read")):
        answer = notes.ask("GET", "/notes", headers)
        assert (answer.status, answer.json()) == (200, {"name": "desk", "kind": "api"})


def test_principal_is_stored_in_the_request_state_for_endpoint_and_log(notes: Service) -> None:
    answer = notes.ask("GET", "/notes", {"CP-X-API-KEY": notes.key("read")})
    assert answer.state["principal"].name == "desk"
    assert answer.state["credential_id"] == answer.state["principal"].id


def test_rejected_principal_is_stored_in_the_request_state_for_the_log(notes: Service) -> None:
    answer = notes.ask("GET", "/notes", {"CP-X-API-KEY": notes.key("write")})
    assert (answer.status, answer.state["credential_id"]) == (403, answer.state["principal"].id)


def test_missing_key_returns_401_with_a_challenge_and_a_message(notes: Service) -> None:
    answer = notes.ask("GET", "/notes")
    assert answer.status == 401
    assert "Bearer" in answer.headers["www-authenticate"]
    assert "CP-X-API-KEY" in answer.json()["detail"]


def test_route_scope_replaces_the_router_scope(notes: Service) -> None:
    body = b'{"text": "a"}'
    for headers in list_key_headers(notes.key("write")):
        assert notes.ask("POST", "/notes", {**headers, **JSON_TYPE}, body).status == 200
        assert notes.ask("GET", "/notes", headers).status == 403
    for headers in list_key_headers(notes.key("read", "ingest", "admin")):
        answer = notes.ask("POST", "/notes", {**headers, **JSON_TYPE}, body)
        assert answer.status == 403
        assert "'write'" in answer.json()["detail"]
    assert notes.ask("DELETE", "/notes/7", {"CP-X-API-KEY": notes.key("admin")}).json() == {"id": 7}


def test_endpoint_can_require_an_additional_scope(notes: Service) -> None:
    for text, status in (("keep", 200), ("persist", 403)):
        headers: Headers = {"CP-X-API-KEY": notes.key("read"), **JSON_TYPE}
        assert notes.ask("POST", "/notes/scan", headers, json.dumps({"text": text}).encode()).status == status


def test_terminal_key_is_accepted_only_on_routes_that_allow_it(notes: Service) -> None:
    headers: Headers = {"X-CP-TERMINAL-API-KEY": notes.key(terminal=True)}
    assert notes.ask("GET", "/notes/media", headers).json() == {"name": "desk", "kind": "terminal"}
    assert notes.ask("GET", "/notes", headers).status == 401
    assert notes.ask("POST", "/notes/scan", {**headers, **JSON_TYPE}, b"{}").status == 401


def test_terminal_route_accepts_api_keys_with_its_scope(notes: Service) -> None:
    assert notes.ask("GET", "/notes/media", {"CP-X-API-KEY": notes.key("read")}).status == 200
    assert notes.ask("GET", "/notes/media", {"CP-X-API-KEY": notes.key("write")}).status == 403


def test_api_and_terminal_keys_in_each_others_headers_return_401(notes: Service) -> None:
    api, terminal = notes.key("read"), notes.key(terminal=True)
    assert notes.ask("GET", "/notes/media", {"X-CP-TERMINAL-API-KEY": api}).status == 401
    for headers in list_key_headers(terminal):
        assert notes.ask("GET", "/notes/media", headers).status == 401


def test_revoked_key_returns_401_after_the_reload(notes: Service) -> None:
    key = notes.key("read")
    assert notes.ask("GET", "/notes", {"CP-X-API-KEY": key}).status == 200
    service.revoke_key(notes.database, key, notes.now)
    notes.key_cache.reload()
    assert notes.ask("GET", "/notes", {"CP-X-API-KEY": key}).status == 401


@pytest.mark.parametrize(
    ("scopes", "status"), [(("read",), 200), (("write",), 200), (("read", "write"), 200), (("ingest",), 403)]
)
def test_a_route_may_open_to_either_of_two_scopes(
    notes: Service, scopes: tuple[Scope, ...], status: int
) -> None:
    assert notes.ask("POST", "/notes/either", {"cp-x-api-key": notes.key(*scopes)}).status == status


def test_other_credential_source_works_without_changing_the_gate(notes: Service) -> None:
    class Tokens:
        def find(self, credential: bytes, header: CredentialHeader) -> Principal:
            if header is CredentialHeader.BEARER and credential == b"opaque-token":
                return Principal("user-1", "Ada", "token", frozenset({"read"}), "token-9")
            return notes.key_cache.find(credential, header)

    notes.app.state.credentials = Tokens()
    answer = notes.ask("GET", "/notes", {"Authorization": "Bearer opaque-token"})
    assert (answer.json(), answer.state["credential_id"]) == ({"name": "Ada", "kind": "token"}, "token-9")
    assert notes.ask("GET", "/notes", {"CP-X-API-KEY": "opaque-token"}).status == 401
    assert notes.ask("GET", "/notes", {"CP-X-API-KEY": notes.key("read")}).status == 200
