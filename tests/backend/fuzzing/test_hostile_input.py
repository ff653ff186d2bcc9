"""Hostile input at every operation of the document: never a 5xx, always the shape, always an id."""

from collections.abc import Callable, Iterator

import pytest

from tests.backend.fuzzing.conftest import Prey
from tests.support.hostile import (
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

Thrower = Callable[[Operation, list[tuple[str, str]]], Iterator[HostileRequest]]
JSON = ("Content-Type", "application/json")
SMALL = b"{}"


def test_the_document_has_something_to_throw_at(prey: Prey) -> None:
    assert sum(operation.takes_body for operation in prey.operations) >= 7
    assert sum(operation.is_guarded for operation in prey.operations) >= 40
    assert all("{" not in operation.path for operation in prey.operations)


def bodies(operation: Operation, known: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    if operation.takes_body:
        for what, body in BODIES.items():
            for length in ([("Content-Length", str(len(body)))], [("Transfer-Encoding", "chunked")]):
                headers = [*known, JSON, *length]
                yield HostileRequest(what, operation, operation.path, operation.method, headers, (body,))


def bodies_where_none_is_read(operation: Operation, known: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    if not operation.takes_body:
        headers = [*known, ("Content-Type", "a/b"), ("Content-Length", "2")]
        yield HostileRequest("a body", operation, operation.path, operation.method, headers, (b"\xff\x00",))


def lengths(operation: Operation, known: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    if operation.takes_body:
        for length in ("1", "99", "-1", "x", "0x2", "9" * 5_000, "", " 2 ", "２".encode().decode("latin-1")):
            headers = [*known, JSON, ("Content-Length", length)]
            yield HostileRequest(
                f"length {length[:9]!r}", operation, operation.path, operation.method, headers, (SMALL,)
            )


def headers(operation: Operation, known: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    for what, sent in HEADERS.items():
        yield HostileRequest(
            what, operation, operation.path, operation.method, [*known, *sent, *_body(operation)], (SMALL,)
        )


def credentials(operation: Operation, known: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    for what, sent in {
        "twice the same": known * 2,
        "two that differ": [*known, ("CP-X-API-KEY", "other")],
        "bytes": [("CP-X-API-KEY", "\xff\x00")],
        "another scheme": [("Authorization", "Digest \xff")],
        "a huge one": [("Authorization", "Bearer " + "a" * 60_000)],
        "nothing in it": [("Authorization", "Bearer"), ("X-CP-TERMINAL-API-KEY", "")],
    }.items():
        yield HostileRequest(
            what, operation, operation.path, operation.method, [*sent, *_body(operation)], (SMALL,)
        )


def paths(operation: Operation, known: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    sent = [*known, *_body(operation)]
    for suffix in SUFFIXES:
        yield HostileRequest(suffix, operation, operation.path + suffix, operation.method, sent, (SMALL,))
    for name in operation.parameters("path"):
        for value in VALUES:
            path = operation.with_value(name, value)
            yield HostileRequest(f"{name}={value[:20]}", operation, path, operation.method, sent, (SMALL,))


def queries(operation: Operation, known: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    names = operation.parameters("query")
    asked = [f"{name}={value}" for name in names for value in VALUES[::2]]
    asked += ["&".join(f"{name}={value}" for name in names for value in ("1", "x", "%ff", "1")), "&&==&%=%"]
    asked += ["&".join(f"unknown{number}=1" for number in range(500)), "__proto__[a]=1&a[]=b&a.b=c"]
    for query in asked:
        sent = [*known, *_body(operation)]
        yield HostileRequest(
            query[:40], operation, f"{operation.path}?{query}", operation.method, sent, (SMALL,)
        )


def methods(operation: Operation, known: list[tuple[str, str]]) -> Iterator[HostileRequest]:
    for method in METHODS:
        yield HostileRequest(method, operation, operation.path, method, [*known, *_body(operation)], (SMALL,))


def _body(operation: Operation) -> list[tuple[str, str]]:
    return [JSON, ("Content-Length", str(len(SMALL)))] if operation.takes_body else []


@pytest.mark.parametrize(
    "thrower",
    [bodies, bodies_where_none_is_read, lengths, headers, credentials, paths, queries, methods],
)
def test_no_operation_breaks_or_answers_in_another_shape(prey: Prey, thrower: Thrower) -> None:
    throws = [throw for operation in prey.operations for throw in thrower(operation, credential(prey.key))]
    assert throws
    faults = [
        fault for throw, answer in send_all(prey.running.app, throws) for fault in find_faults(throw, answer)
    ]
    assert faults == []


@pytest.mark.parametrize(("header", "values"), [("Content-Type", TYPES), ("Content-Encoding", CODINGS)])
def test_what_is_not_plain_json_is_415_wherever_it_is_taken(
    prey: Prey, header: str, values: tuple[str, ...]
) -> None:
    types = [] if header == "Content-Type" else [JSON]
    throws = [
        HostileRequest(
            value,
            operation,
            operation.path,
            operation.method,
            [*credential(prey.key), *types, (header, value), ("Content-Length", "2")],
            (SMALL,),
        )
        for operation in prey.operations
        if operation.takes_json
        for value in values
    ]
    for throw, answer in send_all(prey.running.app, throws):
        assert list(find_faults(throw, answer)) == []
        assert answer.status == 415, (throw.what, throw.operation.template)
        assert answer.reads == 0


def test_without_a_key_nothing_hostile_gets_further_than_401(prey: Prey) -> None:
    throws = [
        throw
        for operation in prey.operations
        if operation.is_guarded
        for thrower in (bodies, lengths, headers)
        for throw in thrower(operation, [])
    ]
    for throw, answer in send_all(prey.running.app, throws):
        assert list(find_faults(throw, answer)) == []
        assert (answer.status, answer.reads) == (401, 0), (throw.what, throw.operation.template)
