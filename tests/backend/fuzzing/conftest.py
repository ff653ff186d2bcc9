"""One service for the sweeps, with a key that opens everything."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from backend.auth.service import create_key
from tests.support.hostile import Operation, operations
from tests.support.market_app import Running, sample_app

ALL = ("read", "write", "ingest", "admin")


@dataclass(frozen=True)
class Prey:
    running: Running
    key: str
    document: dict[str, Any]
    operations: list[Operation]


@pytest.fixture(scope="package")
def prey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prey]:
    with sample_app(tmp_path_factory.mktemp("fuzzing"), ("bitcoin", "ethereum")) as running:
        running.inner.state.watcher.last_success = math.inf  # it does not run beside these tests
        key = create_key(running.database, name="fuzzing", scopes=ALL, now=datetime.now(UTC)).key
        running.inner.state.credentials.reload()
        document = running.json("/openapi.json")
        yield Prey(running, key, document, operations(document))
