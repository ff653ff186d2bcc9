"""Provides the whole application over a few assets, with a route that takes a body and some that fail."""

import sqlite3
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from pydantic import BaseModel

from backend.auth.gate import gated_router
from tests.backend.app.paths import BODY_LIMIT
from tests.support.apps.market_app import Running, sample_app

FEW = ("bitcoin", "ethereum", "usdc", "monero", "unus-sed-leo", "litecoin", "stellar", "cosmos", "dogecoin")


class Note(BaseModel):
    text: str


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A few assets after one refresh, and beside the market a route that takes a body and one that breaks."""
    router = gated_router(scope="read")

    @router.post("/notes")
    def add_note(note: Note) -> dict[str, int]:
        return {"length": len(note.text)}

    @router.get("/broken")
    def raise_runtime_error() -> dict[str, int]:
        raise RuntimeError("secret words that no client may see")

    @router.get("/locked")
    def raise_database_error() -> dict[str, int]:
        raise sa.exc.OperationalError("SELECT secret", {}, sqlite3.OperationalError("database is locked"))

    home = tmp_path_factory.mktemp("app")
    with sample_app(home, FEW, body_limit_bytes=BODY_LIMIT) as running:
        running.inner.include_router(router)
        yield running
