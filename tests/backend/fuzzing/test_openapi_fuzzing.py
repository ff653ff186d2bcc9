"""Runs Schemathesis on the OpenAPI document with few examples; ``benchmarks.fuzzing`` runs more."""

from tests.backend.fuzzing.conftest import FuzzedService
from tests.support.openapi import fuzzing

FEW_EXAMPLES = {"max-examples": 2, "deterministic": True}
WITHOUT_COVERAGE = {"phases": {"coverage": {"enabled": False}}, "seed": 1}
"""The coverage phase sends thousands of requests; the benchmark runs it."""
PUBLIC_OPERATIONS = {
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /assets/{id}/icon",
    "GET /oauth/authorize",
    "POST /oauth/authorize",
    "POST /oauth/token",
    "POST /oauth/revoke",
    "GET /.well-known/oauth-authorization-server",
    "GET /.well-known/oauth-protected-resource",
    "GET /.well-known/oauth-protected-resource/mcp",
}


def run_fuzzing(fuzzed: FuzzedService, key: str | None) -> fuzzing.FuzzingResult:
    schema = fuzzing.load_schema(
        fuzzed.document, fuzzing.build_config(key, more=WITHOUT_COVERAGE, **FEW_EXAMPLES)
    )
    schema.app = fuzzing.strip_lifespan(fuzzed.running.app)
    return fuzzing.run_all(schema)


def test_every_response_to_valid_requests_matches_the_document(fuzzed: FuzzedService) -> None:
    result = run_fuzzing(fuzzed, fuzzed.key)
    assert result.failures == {}
    assert result.errors == []
    assert set(result.by_operation) == {
        f"{operation.method} {operation.template}" for operation in fuzzed.operations
    }
    assert result.server_errors == 0
    succeeded = [label for label, answers in result.by_operation.items() if min(answers) < 300]
    assert len(succeeded) > len(fuzzed.operations) / 2  # the others need an id or a code that exists


def test_without_a_key_only_public_operations_are_accessible(fuzzed: FuzzedService) -> None:
    result = run_fuzzing(fuzzed, None)
    assert result.failures == {}
    assert result.errors == []
    accessible = {label for label, answers in result.by_operation.items() if set(answers) != {401}}
    assert accessible == PUBLIC_OPERATIONS
