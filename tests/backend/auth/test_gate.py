"""Tests what a gated router declares: scopes, inclusion, programming errors, the OpenAPI document."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import APIRouter

from backend.auth.gate import Access, GatedRoute, gated_router, needs
from backend.auth.principal import Scope
from tests.backend.auth.gated_app import JSON_TYPE, Service, notes_router


def nothing() -> dict[str, str]:
    return {}


def test_nested_routers_keep_their_access_checks(notes: Service) -> None:
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


def test_routers_with_different_scopes_are_independent(notes: Service) -> None:
    scopes: tuple[Scope, ...] = ("read", "ingest")
    for scope in scopes:
        router = gated_router(scope=scope)
        router.get(f"/{scope}")(nothing)
        notes.app.include_router(router)
    key = notes.key("ingest")
    assert notes.ask("GET", "/read", {"CP-X-API-KEY": key}).status == 403
    assert notes.ask("GET", "/ingest", {"CP-X-API-KEY": key}).status == 200


def test_router_can_accept_terminal_keys_on_all_routes(notes: Service) -> None:
    router = gated_router(scope="read", also_terminal=True)
    router.get("/screens")(nothing)
    notes.app.include_router(router)
    assert notes.ask("GET", "/screens", {"X-CP-TERMINAL-API-KEY": notes.key(terminal=True)}).status == 200


def test_needs_decorator_above_the_route_decorator_is_rejected() -> None:
    router = gated_router(scope="read")

    @router.get("/late")
    def late() -> None: ...

    with pytest.raises(TypeError, match="below the line"):
        needs("admin")(late)


def test_gated_route_without_a_scope_is_rejected_at_definition() -> None:
    router = APIRouter(route_class=GatedRoute)
    with pytest.raises(TypeError, match="/open declares no scope"):
        router.get("/open")(lambda: None)


@pytest.mark.parametrize("declare", [Access, needs, lambda scope: gated_router(scope=scope)])
def test_unknown_scope_is_rejected_at_declaration(declare: Callable[[Any], object]) -> None:
    with pytest.raises(ValueError, match="no scope 'reed'"):
        declare("reed")


def test_openapi_document_lists_security_schemes_and_the_scope_of_each_route(notes: Service) -> None:
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


def test_credential_headers_are_not_documented_as_route_parameters(notes: Service) -> None:
    document = notes.app.openapi()
    assert "parameters" not in document["paths"]["/notes"]["get"]
    assert document["paths"]["/notes/media"]["get"]["x-note"] == "kept"


def test_unknown_alternative_scope_raises_value_error() -> None:
    with pytest.raises(ValueError, match="scope"):
        Access("read", or_scope="everything")  # type: ignore[arg-type]  # the mistake itself
