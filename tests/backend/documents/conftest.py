"""Provides documents to store, and the store on both databases."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from backend.documents.model import Document
from backend.documents.store import DocumentStore
from backend.store.database import Database

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
Make = Callable[..., Document]


@pytest.fixture(scope="session")
def now() -> datetime:
    return NOW


@pytest.fixture(scope="session")
def make() -> Make:
    """A document of kind page; its address and external id come of its title."""

    def make_document(title: str, text: str = "", **more: Any) -> Document:
        defaults = {"kind": "page", "external_id": title, "url": f"https://pages.example/{len(title)}"}
        return Document(**{**defaults, "title": title, "text": text, **more})

    return make_document


@pytest.fixture
def store(database: Database) -> DocumentStore:
    return DocumentStore(database)
