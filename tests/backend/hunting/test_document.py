"""Schemathesis against the service, by the service's own document: a little of ``benchmarks/hunting.py``."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from backend.auth.service import create_key
from tests.support import hunting
from tests.support.market_app import Running, sample_app

A_FEW = {"max-examples": 2, "deterministic": True}
WITHOUT_COVERAGE = {"phases": {"coverage": {"enabled": False}}, "seed": 1}
"""That phase is thousands of requests, and for the benchmark."""
OPEN = {"GET /healthz", "GET /readyz", "GET /metrics", "GET /assets/{id}/icon"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with sample_app(tmp_path_factory.mktemp("hunting"), ("bitcoin", "ethereum")) as running:
        running.inner.state.watcher.last_success = math.inf  # it does not run beside this test
        yield running


@pytest.fixture(scope="module")
def document(running: Running) -> dict[str, Any]:
    told: dict[str, Any] = running.json("/openapi.json")
    return told


def hunted(running: Running, document: dict[str, Any], key: str | None) -> hunting.Bag:
    schema = hunting.schema_of(document, hunting.configuration(key, more=WITHOUT_COVERAGE, **A_FEW))
    schema.app = hunting.without_lifespan(running.app)
    return hunting.hunt(schema)


def operations(document: dict[str, Any]) -> set[str]:
    return {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}


def test_whatever_the_document_allows_is_answered_as_it_says(
    running: Running, document: dict[str, Any]
) -> None:
    scopes = ("read", "write", "ingest", "admin")
    made = create_key(running.database, name="hunting", scopes=scopes, now=datetime.now(UTC))
    running.inner.state.keyring.reload()
    bag = hunted(running, document, made.key)
    assert bag.failures == {}
    assert bag.errors == []
    assert set(bag.by_operation) == operations(document)
    assert bag.server_errors == 0
    assert bag.answers[200] > len(document["paths"])


def test_whatever_is_sent_without_a_key_nothing_but_the_open_paths_is_let_in(
    running: Running, document: dict[str, Any]
) -> None:
    bag = hunted(running, document, None)
    assert bag.failures == {}
    assert bag.errors == []
    let_in = {label for label, answers in bag.by_operation.items() if set(answers) != {401}}
    assert let_in == OPEN
