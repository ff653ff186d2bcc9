"""Sends hostile input to every operation: never a 5xx, always the error format and a request id."""

from collections.abc import Callable, Iterator

import pytest

from tests.backend.fuzzing.conftest import FuzzedService
from tests.support.openapi.hostile_requests import (
    BODIES,
    CODINGS,
    HEADERS,
    METHODS,
    SUFFIXES,
    TYPES,
    VALUES,
    HostileRequest,
    Operation,
    credential,
    find_faults,
    send_all,
)

RequestBuilder = Callable[[Operation, list[tuple[str, str]]], Iterator[HostileRequest]]
JSON = ("Content-Type", "application/json")
SMALL_BODY = b"{}"


def test_the_document_has_enough_operations(fuzzed: FuzzedService) -> None:
    assert sum(operation.takes_body for operation in fuzzed.operations) >= 7
    assert sum(operation.is_guarded for operation in fuzzed.operations) >= 40
    assert all("{" not in operation.path for operation in fuzzed.operations)


def build_bodies(operation: Operation, credentials: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    if operation.takes_body:
        for description, body in BODIES.items():
            for length in ([("Content-Length", str(len(body)))], [("Transfer-Encoding", "chunked")]):
                headers = [*credentials, JSON, *length]
                yield HostileRequest(
                    description, operation, operation.path, operation.method, headers, (body,)
                )


def build_unexpected_bodies(
    operation: Operation, credentials: list[tuple[str, str]]
) -> Iterator[HostileRequest]:
    if not operation.takes_body:
        headers = [*credentials, ("Content-Type", "a/b"), ("Content-Length", "2")]
        yield HostileRequest("a body", operation, operation.path, operation.method, headers, (b"\xff\x00",))


def build_lengths(operation: Operation, credentials: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    if operation.takes_body:
        for length in ("1", "99", "-1", "x", "0x2", "9" * 5_000, "", " 2 ", "２".encode().decode("latin-1")):
            headers = [*credentials, JSON, ("Content-Length", length)]
            yield HostileRequest(
                f"length {length[:9]!r}", operation, operation.path, operation.method, headers, (SMALL_BODY,)
            )


def build_headers(operation: Operation, credentials: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    for description, headers in HEADERS.items():
        yield HostileRequest(
            description,
            operation,
            operation.path,
            operation.method,
            [*credentials, *headers, *_body(operation)],
            (SMALL_BODY,),
        )


def build_credentials(operation: Operation, credentials: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    for description, headers in {
        "twice the same": credentials * 2,
        "two that differ": [*credentials, ("CP-X-API-KEY", "other")],
        "bytes": [("CP-X-API-KEY", "\xff\x00")],
        "another scheme": [("Authorization", "Digest \xff")],
        "a huge one": [("Authorization", "Bearer " + "a" * 60_000)],
        "nothing in it": [("Authorization", "Bearer"), ("X-CP-TERMINAL-API-KEY", "")],
    }.items():
        yield HostileRequest(
            description,
            operation,
            operation.path,
            operation.method,
            [*headers, *_body(operation)],
            (SMALL_BODY,),
        )


def build_paths(operation: Operation, credentials: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    headers = [*credentials, *_body(operation)]
    for suffix in SUFFIXES:
        yield HostileRequest(
            suffix, operation, operation.path + suffix, operation.method, headers, (SMALL_BODY,)
        )
    for name in operation.parameters("path"):
        for value in VALUES:
            path = operation.with_value(name, value)
            yield HostileRequest(
                f"{name}={value[:20]}", operation, path, operation.method, headers, (SMALL_BODY,)
            )


def build_queries(operation: Operation, credentials: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    names = operation.parameters("query")
    texts = [f"{name}={value}" for name in names for value in VALUES[::2]]
    texts += ["&".join(f"{name}={value}" for name in names for value in ("1", "x", "%ff", "1")), "&&==&%=%"]
    texts += ["&".join(f"unknown{number}=1" for number in range(500)), "__proto__[a]=1&a[]=b&a.b=c"]
    for query in texts:
        headers = [*credentials, *_body(operation)]
        yield HostileRequest(
            query[:40], operation, f"{operation.path}?{query}", operation.method, headers, (SMALL_BODY,)
        )


def build_methods(operation: Operation, credentials: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    for method in METHODS:
        yield HostileRequest(
            method, operation, operation.path, method, [*credentials, *_body(operation)], (SMALL_BODY,)
        )


def _body(operation: Operation) -> list[tuple[str, str]]:
    return [JSON, ("Content-Length", str(len(SMALL_BODY)))] if operation.takes_body else []


@pytest.mark.parametrize(
    "build_requests",
    [
        build_bodies,
        build_unexpected_bodies,
        build_lengths,
        build_headers,
        build_credentials,
        build_paths,
        build_queries,
        build_methods,
    ],
)
def test_no_operation_fails_or_answers_in_another_format(
    fuzzed: FuzzedService, build_requests: RequestBuilder
) -> None:
    requests = [
        request
        for operation in fuzzed.operations
        for request in build_requests(operation, credential(fuzzed.key))
    ]
    assert requests
    faults = [
        fault
        for request, answer in send_all(fuzzed.running.app, requests)
        for fault in find_faults(request, answer)
    ]
    assert faults == []


@pytest.mark.parametrize(("header", "values"), [("Content-Type", TYPES), ("Content-Encoding", CODINGS)])
def test_bodies_that_are_not_plain_json_are_415(
    fuzzed: FuzzedService, header: str, values: tuple[str, ...]
) -> None:
    types = [] if header == "Content-Type" else [JSON]
    requests = [
        HostileRequest(
            value,
            operation,
            operation.path,
            operation.method,
            [*credential(fuzzed.key), *types, (header, value), ("Content-Length", "2")],
            (SMALL_BODY,),
        )
        for operation in fuzzed.operations
        if operation.takes_json
        for value in values
    ]
    for request, answer in send_all(fuzzed.running.app, requests):
        assert list(find_faults(request, answer)) == []
        assert answer.status == 415, (request.description, request.operation.template)
        assert answer.reads == 0


def test_without_a_key_hostile_requests_are_401(fuzzed: FuzzedService) -> None:
    requests = [
        request
        for operation in fuzzed.operations
        if operation.is_guarded
        for build_requests in (build_bodies, build_lengths, build_headers)
        for request in build_requests(operation, [])
    ]
    for request, answer in send_all(fuzzed.running.app, requests):
        assert list(find_faults(request, answer)) == []
        assert (answer.status, answer.reads) == (401, 0), (request.description, request.operation.template)
