"""Adds missing examples of responses to the OpenAPI document: ``python -m docs.openapi_examples``.

An operation needs an example of its body and required parameters in the file first. Responses come from the
sample service, cut to one item of each list.
"""

import tempfile
from pathlib import Path
from typing import Any

import orjson

from backend.http import openapi_examples
from backend.http.openapi_examples import load_examples
from tests.support.openapi.document import find_component, find_success, resolve
from tests.support.openapi.documented_service import serve_documented

FILE = Path(openapi_examples.__file__).with_suffix(".json")
MAX_CHARS = 60


def main() -> None:
    examples = load_examples()
    with tempfile.TemporaryDirectory() as home, serve_documented(Path(home)) as service:
        for call in service.build_calls():
            _, success = find_success(service.inlined["paths"][call.path][call.method])
            answer = service.send(call)
            if answer.is_error:
                answer.raise_for_status()
            kind = answer.headers.get("content-type", "").partition(";")[0]
            if kind.endswith("json"):
                name, value = find_component(success["content"][kind]["schema"], answer.json())
                schema = {"$ref": f"#/components/schemas/{name}"}
                if name:
                    examples["schemas"].setdefault(name, shorten(value, schema, service.document))
    FILE.write_bytes(orjson.dumps(examples, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def shorten(value: Any, schema: Any, document: dict[str, Any]) -> Any:
    """Keep one item of each list and map, and the beginning of long texts, as far as ``schema`` allows."""
    if "$ref" in schema:
        return shorten(value, resolve(document, schema["$ref"]), document)
    if "anyOf" in schema:
        return value if value is None else shorten(value, schema["anyOf"][0], document)
    if isinstance(value, list):
        items = schema.get("items", {})
        return [shorten(item, items, document) for item in value[: max(1, schema.get("minItems", 1))]]
    if isinstance(value, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties")
        rest = other if isinstance(other, dict) else {}
        kept = list(value) if known else list(value)[:1]
        return {name: shorten(value[name], known.get(name, rest), document) for name in kept}
    is_free_text = isinstance(value, str) and not schema.keys() & {"format", "pattern", "enum"}
    return f"{value[:MAX_CHARS]}…" if is_free_text and len(value) > MAX_CHARS else value


if __name__ == "__main__":
    main()
