"""Runs a small service behind the gate that records what is read of a body."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from backend.auth import service
from backend.auth.gate import current_principal, gated_router, needs, require
from backend.auth.key_cache import KeyCache
from backend.auth.principal import Principal, Scope
from backend.errors import BadRequest, ServiceError
from backend.store.database import Database
from tests.support.http.asgi import Answer, send

Headers = Mapping[str, str]
LIMIT = 1000
JSON_TYPE = {"content-type": "application/json"}
Caller = Annotated[Principal, Depends(current_principal)]


class Note(BaseModel):
    text: str


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
    def read_note(caller: Caller) -> dict[str, str]:
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


class Service:
    """Takes notes, and answers who it was that asked."""

    def __init__(self, database: Database, now: datetime) -> None:
        self.database, self.now = database, now
        self.key_cache = KeyCache(database, clock=now.timestamp)
        self.app = FastAPI()
        self.app.include_router(notes_router())
        self.app.state.credentials = self.key_cache
        self.app.state.body_limit = LIMIT

        @self.app.exception_handler(ServiceError)
        async def refuse(request: Request, error: ServiceError) -> Response:
            return JSONResponse({"detail": error.detail}, error.status, headers=error.headers)

        @self.app.exception_handler(RequestValidationError)
        async def invalid(request: Request, error: RequestValidationError) -> Response:
            return await refuse(request, BadRequest("the input is malformed"))

    def key(self, *scopes: Scope, terminal: bool = False) -> str:
        created = service.create_key(
            self.database, name="desk", scopes=scopes, terminal=terminal, now=self.now
        )
        self.key_cache.reload()
        return created.key

    def ask(
        self,
        method: str,
        path: str,
        headers: Headers | None = None,
        *chunks: bytes,
        declared: str | None = None,
    ) -> Answer:
        """One request. ``declared`` is its Content-Length; without it, a body is sent in chunks."""
        request_headers = {
            **({"transfer-encoding": "chunked"} if chunks and declared is None else {}),
            **(headers or {}),
        }
        if declared is not None:
            request_headers["content-length"] = declared
        return send(self.app, path, method=method, headers=request_headers, body=chunks or (b"",))


def list_key_headers(key: str) -> list[Headers]:
    return [{"CP-X-API-KEY": key}, {"Authorization": f"Bearer {key}"}]
