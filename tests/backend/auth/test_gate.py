import asyncio
import json
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from backend.auth import service
from backend.auth.gate import Access, GatedRoute, current_principal, gated_router, needs, require
from backend.auth.keyring import Keyring
from backend.auth.principal import Place, Principal, Scope
from backend.db import Database
from backend.errors import BadRequest, ServiceError

Headers = Mapping[str, str | bytes]
LIMIT = 1000
JSON_TYPE = {"content-type": "application/json"}


class Note(BaseModel):
    text: str


Caller = Annotated[Principal, Depends(current_principal)]


def notes_router() -> APIRouter:
    router = gated_router(prefix="/notes", scope="read", tags=["notes"])

    @router.get("")
    def list_notes(caller: Caller) -> dict[str, str]:
        return {"name": caller.name, "kind": caller.kind}

    @router.get("/media", openapi_extra={"x-note": "kept"})
    @needs("read", also_terminal=True)
    def read_media(caller: Caller) -> dict[str, str]:
        return {"name": caller.name, "kind": caller.kind}

    @router.post("/either")
    @needs("read", or_scope="write")
    def either(caller: Caller) -> dict[str, str]:
        return {"name": caller.name}

    @router.post("/scan")
    def scan(note: Note, caller: Caller) -> dict[str, str]:
        if note.text == "persist":
            require(caller, "write")
        return {"text": note.text}

    @router.post("")
    @needs("write")
    def add_note(note: Note) -> dict[str, str]:
        return {"text": note.text}

    @router.delete("/{id}")
    @needs("admin")
    async def delete_note(id: int) -> dict[str, int]:
        return {"id": id}

    return router


def nothing() -> dict[str, str]:
    return {}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: bytes
    read: int
    state: dict[str, Any]

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Service:
    """An application behind the gate, asked over bare ASGI so that the test sees what is read of the body."""

    def __init__(self, database: Database, now: datetime) -> None:
        self.database, self.now = database, now
        self.ring = Keyring(database, clock=now.timestamp)
        self.app = FastAPI()
        self.app.include_router(notes_router())
        self.app.state.keyring = self.ring
        self.app.state.body_limit = LIMIT

        @self.app.exception_handler(ServiceError)
        async def refuse(request: Request, error: ServiceError) -> Response:
            return JSONResponse({"detail": error.detail}, error.status, headers=error.headers)

        @self.app.exception_handler(RequestValidationError)
        async def invalid(request: Request, error: RequestValidationError) -> Response:
            return await refuse(request, BadRequest("the input is malformed"))

    def key(self, *scopes: Scope, terminal: bool = False) -> str:
        made = service.create_key(self.database, name="desk", scopes=scopes, terminal=terminal, now=self.now)
        self.ring.reload()
        return made.key

    def ask(
        self,
        method: str,
        path: str,
        headers: Headers | None = None,
        *chunks: bytes,
        declared: str | None = None,
    ) -> Answer:
        """One request. ``declared`` is its Content-Length; without it, a body is sent in chunks."""
        sent = {
            **({"transfer-encoding": "chunked"} if chunks and declared is None else {}),
            **(headers or {}),
        }
        if declared is not None:
            sent["content-length"] = declared
        raw = [
            (name.lower().encode(), value if isinstance(value, bytes) else value.encode("latin-1"))
            for name, value in sent.items()
        ]
        return asyncio.run(self._ask(method, path, raw, chunks))

    async def _ask(self, method: str, path: str, headers: Any, chunks: tuple[bytes, ...]) -> Answer:
        left, messages = list(chunks), []
        read = 0
        state: dict[str, Any] = {}

        async def receive() -> dict[str, Any]:
            nonlocal read
            read += 1
            body = left.pop(0) if left else b""
            return {"type": "http.request", "body": body, "more_body": bool(left)}

        async def send(message: MutableMapping[str, Any]) -> None:
            messages.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2),
            "state": state,
        }
        await self.app(scope, receive, send)
        head = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
        text = b"".join(message.get("body", b"") for message in messages[1:])
        return Answer(messages[0]["status"], head, text, read, state)


@pytest.fixture
def notes(database: Database, now: datetime) -> Service:
    return Service(database, now)


def ways(key: str) -> list[Headers]:
    return [{"CP-X-API-KEY": key}, {"Authorization": f"Bearer {key}"}]


def test_a_key_with_the_scope_of_the_router_is_let_in_both_ways(notes: Service) -> None:
    for headers in ways(notes.key("read")):
        answer = notes.ask("GET", "/notes", headers)
        assert (answer.status, answer.json) == (200, {"name": "desk", "kind": "api"})


def test_the_holder_stands_in_the_request_s_state_for_the_endpoint_and_the_log(notes: Service) -> None:
    answer = notes.ask("GET", "/notes", {"CP-X-API-KEY": notes.key("read")})
    assert answer.state["principal"].name == "desk"
    assert answer.state["credential_id"] == answer.state["principal"].id


def test_a_refused_holder_is_known_to_the_log_too(notes: Service) -> None:
    answer = notes.ask("GET", "/notes", {"CP-X-API-KEY": notes.key("write")})
    assert (answer.status, answer.state["credential_id"]) == (403, answer.state["principal"].id)


def test_no_key_is_401_with_a_challenge_and_a_sentence(notes: Service) -> None:
    answer = notes.ask("GET", "/notes")
    assert answer.status == 401
    assert "Bearer" in answer.headers["www-authenticate"]
    assert "CP-X-API-KEY" in answer.json["detail"]


def test_a_route_that_needs_another_scope_than_its_router_asks_for_that_one_alone(notes: Service) -> None:
    body = b'{"text": "a"}'
    for headers in ways(notes.key("write")):
        assert notes.ask("POST", "/notes", {**headers, **JSON_TYPE}, body).status == 200
        assert notes.ask("GET", "/notes", headers).status == 403
    for headers in ways(notes.key("read", "ingest", "admin")):
        answer = notes.ask("POST", "/notes", {**headers, **JSON_TYPE}, body)
        assert answer.status == 403
        assert "'write'" in answer.json["detail"]
    assert notes.ask("DELETE", "/notes/7", {"CP-X-API-KEY": notes.key("admin")}).json == {"id": 7}


def test_an_endpoint_can_ask_for_a_further_scope_itself(notes: Service) -> None:
    for text, status in (("keep", 200), ("persist", 403)):
        headers: Headers = {"CP-X-API-KEY": notes.key("read"), **JSON_TYPE}
        assert notes.ask("POST", "/notes/scan", headers, json.dumps({"text": text}).encode()).status == status


def test_a_terminal_key_opens_the_route_that_says_so_and_no_other(notes: Service) -> None:
    headers: Headers = {"X-CP-TERMINAL-API-KEY": notes.key(terminal=True)}
    assert notes.ask("GET", "/notes/media", headers).json == {"name": "desk", "kind": "terminal"}
    assert notes.ask("GET", "/notes", headers).status == 401
    assert notes.ask("POST", "/notes/scan", {**headers, **JSON_TYPE}, b"{}").status == 401


def test_a_route_for_terminal_keys_takes_api_keys_of_its_scope_too(notes: Service) -> None:
    assert notes.ask("GET", "/notes/media", {"CP-X-API-KEY": notes.key("read")}).status == 200
    assert notes.ask("GET", "/notes/media", {"CP-X-API-KEY": notes.key("write")}).status == 403


def test_keys_in_each_other_s_headers_are_401(notes: Service) -> None:
    api, terminal = notes.key("read"), notes.key(terminal=True)
    assert notes.ask("GET", "/notes/media", {"X-CP-TERMINAL-API-KEY": api}).status == 401
    for headers in ways(terminal):
        assert notes.ask("GET", "/notes/media", headers).status == 401


def test_a_revoked_key_is_401_from_the_reload_on(notes: Service) -> None:
    key = notes.key("read")
    assert notes.ask("GET", "/notes", {"CP-X-API-KEY": key}).status == 200
    service.revoke_key(notes.database, key, notes.now)
    notes.ring.reload()
    assert notes.ask("GET", "/notes", {"CP-X-API-KEY": key}).status == 401


# What a body can be guilty of, each fault with all those before it being absent: (headers, length, body).
BAD_BODIES: dict[str, tuple[Headers, str | None, bytes]] = {
    "malformed JSON": ({**JSON_TYPE}, "5", b'{"tex'),
    "malformed JSON in chunks": ({**JSON_TYPE}, None, b'{"tex'),
    "not UTF-8": ({**JSON_TYPE}, "11", b'{"text":"\xff'),
    "not UTF-8 in chunks": ({**JSON_TYPE}, None, b'{"text":"\xff"}'),
    "another shape": ({**JSON_TYPE}, "2", b"[]"),
    "over the limit": ({**JSON_TYPE}, "1001", b" " * 1001),
    "another type": ({"content-type": "text/plain"}, "13", b'{"text": "a"}'),
    "another type in chunks": ({"content-type": "text/plain"}, None, b'{"text": "a"}'),
    "no type": ({}, "13", b'{"text": "a"}'),
    "everything": ({"content-type": "text/plain"}, "1001", b"\xff" * 1001),
    "no body": ({}, None, b""),
}
EXPECTED = {
    "malformed JSON": 400,
    "malformed JSON in chunks": 400,
    "not UTF-8": 400,
    "not UTF-8 in chunks": 400,
    "another shape": 400,
    "over the limit": 413,
    "another type": 415,
    "another type in chunks": 415,
    "no type": 415,
    "everything": 415,
    "no body": 400,
}


def send(notes: Service, fault: str, credential: Headers) -> Answer:
    headers, declared, body = BAD_BODIES[fault]
    return notes.ask(
        "POST", "/notes", {**credential, **headers}, *([body] if body else []), declared=declared
    )


@pytest.mark.parametrize("fault", BAD_BODIES)
def test_whatever_is_wrong_with_the_body_a_missing_key_is_told_first_and_nothing_is_read(
    notes: Service, fault: str
) -> None:
    for credential in ({}, {"CP-X-API-KEY": "nonsense"}, {"Authorization": "Basic eDp5"}):
        answer = send(notes, fault, credential)
        assert (answer.status, answer.read) == (401, 0)


@pytest.mark.parametrize("fault", BAD_BODIES)
def test_whatever_is_wrong_with_the_body_a_missing_scope_is_told_next_and_nothing_is_read(
    notes: Service, fault: str
) -> None:
    for credential in ways(notes.key("read")):
        answer = send(notes, fault, credential)
        assert (answer.status, answer.read) == (403, 0)


@pytest.mark.parametrize("fault", BAD_BODIES)
def test_for_a_key_with_the_scope_the_type_comes_first_then_the_length_then_the_content(
    notes: Service, fault: str
) -> None:
    for credential in ways(notes.key("write")):
        answer = send(notes, fault, credential)
        assert answer.status == EXPECTED[fault]
        assert (answer.read > 0) is (answer.status == 400)


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
def test_json_in_every_usual_spelling_is_taken(notes: Service, content_type: str) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("write"), "content-type": content_type}
    answer = notes.ask("POST", "/notes", headers, b'{"text":', b' "a"}')
    assert (answer.status, answer.json) == (200, {"text": "a"})


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
        b"application/json\xff",
    ],
)
def test_any_other_type_is_415_and_the_body_is_not_read(notes: Service, content_type: str | bytes) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("write"), "content-type": content_type}
    answer = notes.ask("POST", "/notes", headers, b'{"text": "a"}')
    assert (answer.status, answer.read) == (415, 0)
    assert "application/json" in answer.json["detail"]


@pytest.mark.parametrize("declared", ["1001", "0001001", "9" * 30, "9" * 5000])
def test_a_declared_length_over_the_limit_is_413(notes: Service, declared: str) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("write"), **JSON_TYPE}
    answer = notes.ask("POST", "/notes", headers, b"{", declared=declared)
    assert (answer.status, answer.read) == (413, 0)
    assert "1000 bytes" in answer.json["detail"]


@pytest.mark.parametrize("declared", ["1000", "0001000"])
def test_a_declared_length_of_just_the_limit_is_read(notes: Service, declared: str) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("write"), **JSON_TYPE}
    body = b'{"text": "a"}'.ljust(LIMIT)
    assert notes.ask("POST", "/notes", headers, body, declared=declared).status == 200


@pytest.mark.parametrize("declared", ["0", "000"])
def test_an_empty_body_has_no_type_to_judge(notes: Service, declared: str) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("write")}
    assert notes.ask("POST", "/notes", headers, declared=declared).status == 400


def test_a_route_without_a_body_does_not_judge_one(notes: Service) -> None:
    headers: Headers = {"CP-X-API-KEY": notes.key("read"), "content-type": "text/plain"}
    answer = notes.ask("GET", "/notes", headers, b"who reads this", declared="14")
    assert (answer.status, answer.read) == (200, 0)


def test_path_and_query_are_judged_after_the_key(notes: Service) -> None:
    assert notes.ask("DELETE", "/notes/not-a-number").status == 401
    assert notes.ask("DELETE", "/notes/not-a-number", {"CP-X-API-KEY": notes.key("read")}).status == 403
    assert notes.ask("DELETE", "/notes/not-a-number", {"CP-X-API-KEY": notes.key("admin")}).status == 400


def test_the_gate_holds_however_deep_its_router_is_included(notes: Service) -> None:
    outer = APIRouter(prefix="/outer")
    outer.include_router(notes_router(), prefix="/inner")
    notes.app.include_router(outer)
    key = notes.key("write")
    assert notes.ask("POST", "/outer/inner/notes", JSON_TYPE, b"{").status == 401
    assert notes.ask("GET", "/outer/inner/notes", {"CP-X-API-KEY": key}).status == 403
    assert (
        notes.ask("POST", "/outer/inner/notes", {"CP-X-API-KEY": key, **JSON_TYPE}, b'{"text": "a"}').status
        == 200
    )


def test_routers_of_different_scopes_do_not_change_each_other(notes: Service) -> None:
    scopes: tuple[Scope, ...] = ("read", "ingest")
    for scope in scopes:
        router = gated_router(scope=scope)
        router.get(f"/{scope}")(nothing)
        notes.app.include_router(router)
    key = notes.key("ingest")
    assert notes.ask("GET", "/read", {"CP-X-API-KEY": key}).status == 403
    assert notes.ask("GET", "/ingest", {"CP-X-API-KEY": key}).status == 200


def test_a_whole_router_can_be_opened_to_terminal_keys(notes: Service) -> None:
    router = gated_router(scope="read", also_terminal=True)
    router.get("/screens")(nothing)
    notes.app.include_router(router)
    assert notes.ask("GET", "/screens", {"X-CP-TERMINAL-API-KEY": notes.key(terminal=True)}).status == 200


def test_another_source_of_credentials_joins_without_a_change_to_the_gate(notes: Service) -> None:
    class Tokens:
        def find(self, credential: bytes, place: Place) -> Principal:
            if place is Place.BEARER and credential == b"opaque-token":
                return Principal("user-1", "Ada", "token", frozenset({"read"}), "token-9")
            return notes.ring.find(credential, place)

    notes.app.state.keyring = Tokens()
    answer = notes.ask("GET", "/notes", {"Authorization": "Bearer opaque-token"})
    assert (answer.json, answer.state["credential_id"]) == ({"name": "Ada", "kind": "token"}, "token-9")
    assert notes.ask("GET", "/notes", {"CP-X-API-KEY": "opaque-token"}).status == 401
    assert notes.ask("GET", "/notes", {"CP-X-API-KEY": notes.key("read")}).status == 200


def test_needs_above_the_route_s_line_is_refused_since_it_would_come_too_late() -> None:
    router = gated_router(scope="read")

    @router.get("/late")
    def late() -> None: ...

    with pytest.raises(TypeError, match="below the line"):
        needs("admin")(late)


def test_a_gated_route_without_a_scope_is_refused_when_it_is_made() -> None:
    router = APIRouter(route_class=GatedRoute)
    with pytest.raises(TypeError, match="/open declares no scope"):
        router.get("/open")(lambda: None)


@pytest.mark.parametrize("declare", [Access, needs, lambda scope: gated_router(scope=scope)])
def test_a_scope_that_does_not_exist_is_refused_when_it_is_declared(declare: Callable[[Any], object]) -> None:
    with pytest.raises(ValueError, match="no scope 'reed'"):
        declare("reed")


def test_the_document_names_the_schemes_and_the_scope_of_every_route(notes: Service) -> None:
    document = notes.app.openapi()
    schemes = document["components"]["securitySchemes"]
    assert (schemes["ApiKey"]["type"], schemes["ApiKey"]["in"], schemes["ApiKey"]["name"]) == (
        "apiKey",
        "header",
        "CP-X-API-KEY",
    )
    assert (schemes["Bearer"]["type"], schemes["Bearer"]["scheme"]) == ("http", "bearer")
    assert schemes["TerminalApiKey"]["name"] == "X-CP-TERMINAL-API-KEY"
    security = {
        f"{method} {path}": operation["security"]
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    read, write = ([{"ApiKey": [scope]}, {"Bearer": [scope]}] for scope in ("read", "write"))
    assert security["get /notes"] == security["post /notes/scan"] == read
    assert security["post /notes"] == write
    assert security["get /notes/media"] == [*read, {"TerminalApiKey": []}]


def test_the_headers_of_keys_are_no_parameters_of_a_route(notes: Service) -> None:
    document = notes.app.openapi()
    assert "parameters" not in document["paths"]["/notes"]["get"]
    assert document["paths"]["/notes/media"]["get"]["x-note"] == "kept"


@pytest.mark.parametrize(
    ("scopes", "status"), [(("read",), 200), (("write",), 200), (("read", "write"), 200), (("ingest",), 403)]
)
def test_a_route_may_open_to_either_of_two_scopes(
    notes: Service, scopes: tuple[Scope, ...], status: int
) -> None:
    assert notes.ask("POST", "/notes/either", {"cp-x-api-key": notes.key(*scopes)}).status == status


def test_a_scope_that_does_not_exist_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="scope"):
        Access("read", or_scope="everything")  # type: ignore[arg-type]
