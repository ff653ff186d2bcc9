"""Adds the examples of ``openapi_examples.json`` to the OpenAPI document.

``requests`` has the ``body`` and the ``parameters`` of operations by ``operationId``, and ``schemas`` one
value of each schema that a response consists of. They come from the sample mode; a test sends each request.
"""

from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from backend.http.openapi_components import list_operations


@cache
def load_examples() -> dict[str, dict[str, Any]]:
    """Load ``requests`` and ``schemas``."""
    examples: dict[str, dict[str, Any]] = orjson.loads(
        (files("backend.http") / "openapi_examples.json").read_bytes()
    )
    return examples


def add_examples(document: dict[str, Any]) -> None:
    """Add examples to parameters, request bodies and schemas of responses."""
    schemas = document["components"]["schemas"]
    for name, example in load_examples()["schemas"].items():
        if name in schemas:
            schemas[name]["examples"] = [example]
    for operation in list_operations(document):
        request = load_examples()["requests"].get(operation.get("operationId", ""), {})
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in request.get("parameters", {}):
                parameter["example"] = request["parameters"][parameter["name"]]
        if "body" in request:
            [content] = operation["requestBody"]["content"].values()
            content["example"] = request["body"]
