"""Reads the service's OpenAPI document: inlines its shared parts and validates values against its schemas."""

from collections.abc import Iterator
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def inline_components(document: dict[str, Any]) -> dict[str, Any]:
    """Return a copy in which shared headers, parameters and responses are written out, schemas excepted."""
    inlined: dict[str, Any] = _inline(document["paths"], document)
    return {**document, "paths": inlined}


def _inline(value: Any, document: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_inline(item, document) for item in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref", "")
    if reference and not reference.startswith("#/components/schemas/"):
        return _inline(resolve(document, reference), document)
    return {name: _inline(item, document) for name, item in value.items()}


def resolve(document: dict[str, Any], reference: str) -> Any:
    """Return the part of the document that ``reference`` points to. Raises ``KeyError``."""
    target: Any = document
    for part in reference.removeprefix("#/").split("/"):
        target = target[part]
    return target


def list_operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, method and operation."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def build_validator(document: dict[str, Any], schema: Any) -> Any:
    """Build a validator of a schema of the document, which also checks formats."""
    return jsonschema.Draft202012Validator(
        {"$schema": DIALECT, **schema, "components": document["components"]},
        format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER,
    )


def find_success(operation: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the status and the response of an operation that succeeds.

    A submission answers 202; it answers 200, with a job that has ended, only to those who prefer to wait.
    """
    status = "202" if "202" in operation["responses"] else min(operation["responses"])
    return status, operation["responses"][status]


def find_component(schema: dict[str, Any], value: Any) -> tuple[str, Any]:
    """Return the name of the component that a response or its items consist of, and one such value.

    The name is empty if there is none.
    """
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2], value
    if "items" in schema and value:
        return find_component(schema["items"], value[0])
    if isinstance(schema.get("additionalProperties"), dict) and value:
        return find_component(schema["additionalProperties"], next(iter(value.values())))
    return "", value
