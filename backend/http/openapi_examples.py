"""Adds the examples of ``openapi_examples.json`` to the OpenAPI document.

The file has members by ``operationId``: ``request``, ``response`` and ``parameters`` by name. They come from
the sample mode; a test sends each request and checks the answer.
"""

from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from backend.http.openapi_components import list_operations


@cache
def load_examples() -> dict[str, dict[str, Any]]:
    """Load the examples by ``operationId``."""
    examples: dict[str, dict[str, Any]] = orjson.loads(
        (files("backend.http") / "openapi_examples.json").read_bytes()
    )
    return examples


def add_examples(document: dict[str, Any]) -> None:
    """Add an example to the parameters, the request body and the successful response of each operation."""
    for operation in list_operations(document):
        examples = load_examples().get(operation["operationId"], {})
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in examples.get("parameters", {}):
                parameter["example"] = examples["parameters"][parameter["name"]]
        if "request" in examples:
            _set_example(operation["requestBody"], examples["request"])
        if "response" in examples:
            _set_example(find_success(operation)[1], examples["response"])


def find_success(operation: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the status and the response of an operation that succeeds."""
    status = min(operation["responses"])
    return status, operation["responses"][status]


def _set_example(message: dict[str, Any], example: Any) -> None:
    next(iter(message["content"].values()))["example"] = example
