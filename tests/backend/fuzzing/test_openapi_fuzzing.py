"""Schemathesis against the service, by the service's own document: a little of ``benchmarks/fuzzing.py``."""

from tests.backend.fuzzing.conftest import Prey
from tests.support import fuzzing

A_FEW = {"max-examples": 2, "deterministic": True}
WITHOUT_COVERAGE = {"phases": {"coverage": {"enabled": False}}, "seed": 1}
"""That phase is thousands of requests, and for the benchmark."""
OPEN = {
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /assets/{id}/icon",
    "GET /oauth/authorize",
    "POST /oauth/authorize",
    "POST /oauth/token",
    "POST /oauth/revoke",
    "GET /.well-known/oauth-authorization-server",
}


def hunted(prey: Prey, key: str | None) -> fuzzing.FuzzingResult:
    schema = fuzzing.load_schema(prey.document, fuzzing.build_config(key, more=WITHOUT_COVERAGE, **A_FEW))
    schema.app = fuzzing.strip_lifespan(prey.running.app)
    return fuzzing.run_all(schema)


def test_whatever_the_document_allows_is_answered_as_it_says(prey: Prey) -> None:
    bag = hunted(prey, prey.key)
    assert bag.failures == {}
    assert bag.errors == []
    assert set(bag.by_operation) == {f"{each.method} {each.template}" for each in prey.operations}
    assert bag.server_errors == 0
    assert bag.answers[200] > len(prey.operations)


def test_whatever_is_sent_without_a_key_nothing_but_the_open_paths_is_let_in(prey: Prey) -> None:
    bag = hunted(prey, None)
    assert bag.failures == {}
    assert bag.errors == []
    let_in = {label for label, answers in bag.by_operation.items() if set(answers) != {401}}
    assert let_in == OPEN
