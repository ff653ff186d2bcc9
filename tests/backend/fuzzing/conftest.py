"""Provides one service for all fuzzing tests, with a key for every scope."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from backend.auth.service import create_key
from tests.support.apps.market_app import Running, sample_app
from tests.support.openapi.document import inline_components
from tests.support.openapi.hostile_requests import Operation, operations

ALL_SCOPES = ("read", "write", "ingest", "admin")


@dataclass(frozen=True)
class FuzzedService:
    running: Running
    key: str
    document: dict[str, Any]
    operations: list[Operation]


@pytest.fixture(scope="package")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FuzzedService]:
    with sample_app(tmp_path_factory.mktemp("fuzzing"), ("bitcoin", "ethereum")) as running:
        running.inner.state.watcher.last_success = math.inf  # the watcher does not run in these tests
        key = create_key(running.database, name="fuzzing", scopes=ALL_SCOPES, now=datetime.now(UTC)).key
        running.inner.state.credentials.reload()
        document = running.json("/openapi.json")
        yield FuzzedService(running, key, document, operations(inline_components(document)))
