"""What a gated router declares: scopes, inclusion, mistakes of the program, the document."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import APIRouter

from backend.auth.gate import Access, GatedRoute, gated_router, needs
from backend.auth.principal import Scope
from tests.backend.auth.gated_app import JSON_TYPE, Service, notes_router


def nothing() -> dict[str, str]:
    return {}


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


def test_a_scope_that_does_not_exist_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="scope"):
        Access("read", or_scope="everything")  # type: ignore[arg-type]  # the mistake itself
