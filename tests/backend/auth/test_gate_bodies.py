"""Tests that the gate checks type and length of a body after the key and before it is read."""

import pytest

from tests.backend.auth.gated_app import JSON_TYPE, LIMIT, Headers, Service, list_key_headers
from tests.support.http.asgi import Answer

# What a body can be guilty of, each fault with all those before it being absent, and what it is answered:
# (headers, length, body, status).
BAD_BODIES: dict[str, tuple[Headers, str | None, bytes, int]] = {
    "malformed JSON": ({**JSON_TYPE}, "5", b'{"tex', 400),
    "malformed JSON in chunks": ({**JSON_TYPE}, None, b'{"tex', 400),
    "not UTF-8": ({**JSON_TYPE}, "11", b'{"text":"\xff', 400),
    "not UTF-8 in chunks": ({**JSON_TYPE}, None, b'{"text":"\xff"}', 400),
    "another shape": ({**JSON_TYPE}, "2", b"[]", 400),
    "over the limit": ({**JSON_TYPE}, "1001", b" " * 1001, 413),
    "another type": ({"content-type": "text/plain"}, "13", b'{"text": "a"}', 415),
    "another type in chunks": ({"content-type": "text/plain"}, None, b'{"text": "a"}', 415),
    "compressed": ({**JSON_TYPE, "content-encoding": "gzip"}, "13", b'{"text": "a"}', 415),
    "compressed on the way": (
        {**JSON_TYPE, "transfer-encoding": "gzip, chunked"},
        None,
        b'{"text": "a"}',
        415,
    ),
    "no type": ({}, "13", b'{"text": "a"}', 415),
    "everything": ({"content-type": "text/plain"}, "1001", b"\xff" * 1001, 415),
    "no body": ({}, None, b"", 400),
}


def send(notes: Service, fault: str, credential: Headers) -> Answer:
    headers, declared, body, _ = BAD_BODIES[fault]
    return notes.ask(
        "POST", "/notes", {**credential, **headers}, *([body] if body else []), declared=declared
    )


@pytest.mark.parametrize("fault", BAD_BODIES)
def test_missing_key_returns_401_before_an_invalid_body_is_read(notes: Service, fault: str) -> None:
    for credential in ({}, {"CP-X-API-KEY": "nonsense"}, {"Authorization": "Basic eDp5"}):
        answer = send(notes, fault, credential)
        assert (answer.status, answer.reads) == (401, 0)


@pytest.mark.parametrize("fault", BAD_BODIES)
def test_missing_scope_returns_403_before_an_invalid_body_is_read(notes: Service, fault: str) -> None:
    for credential in list_key_headers(notes.key("read")):
        answer = send(notes, fault, credential)
        assert (answer.status, answer.reads) == (403, 0)


@pytest.mark.parametrize("fault", BAD_BODIES)
def test_authorized_request_checks_content_type_then_length_then_content(notes: Service, fault: str) -> None:
    for credential in list_key_headers(notes.key("write")):
        answer = send(notes, fault, credential)
        assert answer.status == BAD_BODIES[fault][-1]
        assert (answer.reads > 0) is (answer.status == 400)


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        'APPLICATION/JSON;charset="UTF-8"',
        "application/json ; charset=utf8 ; x=y",
        "application/json;",
    ],
)
def test_common_spellings_of_the_json_content_type_are_accepted(notes: Service, content_type: str) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("write"), "content-type": content_type}
    answer = notes.ask("POST", "/notes", headers, b'{"text":', b' "a"}')
    assert (answer.status, answer.json()) == (200, {"text": "a"})


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        ";",
        "json",
        "text/json",
        "application/jsonp",
        "application/problem+json",
        "application/json, application/json",
        "application/json; charset=utf-16",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=application/json",
        "application/json\xff",
    ],
)
def test_other_content_type_returns_415_without_reading_the_body(notes: Service, content_type: str) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("write"), "content-type": content_type}
    answer = notes.ask("POST", "/notes", headers, b'{"text": "a"}')
    assert (answer.status, answer.reads) == (415, 0)
    assert "application/json" in answer.json()["detail"]


@pytest.mark.parametrize("declared", ["1001", "0001001", "9" * 30, "9" * 5000])
def test_a_declared_length_over_the_limit_is_413(notes: Service, declared: str) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("write"), **JSON_TYPE}
    answer = notes.ask("POST", "/notes", headers, b"{", declared=declared)
    assert (answer.status, answer.reads) == (413, 0)
    assert "1000 bytes" in answer.json()["detail"]


@pytest.mark.parametrize("declared", ["1000", "0001000"])
def test_content_length_at_the_limit_is_accepted(notes: Service, declared: str) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("write"), **JSON_TYPE}
    body = b'{"text": "a"}'.ljust(LIMIT)
    assert notes.ask("POST", "/notes", headers, body, declared=declared).status == 200


@pytest.mark.parametrize("declared", ["0", "000"])
def test_empty_body_skips_the_content_type_check(notes: Service, declared: str) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("write")}
    assert notes.ask("POST", "/notes", headers, declared=declared).status == 400


def test_route_without_a_body_skips_body_checks(notes: Service) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("read"), "content-type": "text/plain"}
    answer = notes.ask("GET", "/notes", headers, b"who reads this", declared="14")
    assert (answer.status, answer.reads) == (200, 0)


def test_path_and_query_are_validated_after_the_key(notes: Service) -> None:
    assert notes.ask("DELETE", "/notes/not-a-number").status == 401
    assert notes.ask("DELETE", "/notes/not-a-number", {"CP-X-API-KEY": notes.key("read")}).status == 403
    assert notes.ask("DELETE", "/notes/not-a-number", {"CP-X-API-KEY": notes.key("admin")}).status == 400
