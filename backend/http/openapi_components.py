"""Moves what an OpenAPI document repeats into its components, and removes generated titles.

Every operation has the same headers, errors and filters. Written out, they are nine tenths of the document.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]
_SCHEMA_MAPS = frozenset({"properties", "patternProperties", "$defs"})
"""Keywords whose members are names, not keywords."""
_NULL = {"type": "null"}
_OF_ONE_TYPE = frozenset({"type", "format", "pattern", "minimum", "maximum", "maxLength", "minLength"})
"""Keywords that say nothing about null."""
_DATA = frozenset({"const", "default", "enum", "example", "examples"})


class Place(NamedTuple):
    """A value of the document with the object or array that holds it, and a name for its component."""

    parent: Any
    key: Any
    name: str


def share_components(document: Json) -> None:
    """Replace repeated headers, parameters and responses of ``document`` by references to one component.

    Headers come first, since responses are equal only if their headers are.
    """
    operations = list(list_operations(document))
    _share(document, "headers", [place for item in operations for place in _find_headers(item)])
    _share(document, "parameters", [place for item in operations for place in _find_parameters(item)])
    _share(document, "responses", [place for item in operations for place in _find_responses(item)])


def list_operations(document: Json) -> Iterator[Json]:
    """Yield the operations of every path."""
    for item in document["paths"].values():
        yield from item.values()


def simplify_schema(schema: Any) -> None:
    """Remove the titles that pydantic derives from names, and write a nullable type as an array of types.

    Generators would name types by the titles.
    """
    if isinstance(schema, list):
        for part in schema:
            simplify_schema(part)
    elif isinstance(schema, dict):
        schema.pop("title", None)
        _shorten_nullable(schema)
        for keyword, value in schema.items():
            if keyword in _SCHEMA_MAPS:
                for part in value.values():
                    simplify_schema(part)
            elif keyword not in _DATA:
                simplify_schema(value)


def remove_null(schema: Json) -> None:
    """Remove null from the schema of an optional parameter: it is left out, since no query can say null."""
    alternatives = schema.get("anyOf", [])
    if _NULL in alternatives:
        alternatives.remove(_NULL)
        if len(alternatives) == 1:
            del schema["anyOf"]
            schema.update({**alternatives[0], **schema})


def _shorten_nullable(schema: Json) -> None:
    match schema.get("anyOf"):
        case [{"type": str(kind)} as kept, {"type": "null"}] if kept.keys() <= _OF_ONE_TYPE:
            del schema["anyOf"]
            schema.update({**kept, **schema, "type": [kind, "null"]})


def _share(document: Json, section: str, places: list[Place]) -> None:
    """Move values that occur more than once to ``section``. Equal names get numbers, in document order."""
    found: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        found[place.name + json.dumps(place.parent[place.key], sort_keys=True)].append(place)
    components = document.setdefault("components", {}).setdefault(section, {})
    for equal in found.values():
        if len(equal) > 1:
            name = _choose_name(equal[0].name, components)
            components[name] = equal[0].parent[equal[0].key]
            for place in equal:
                place.parent[place.key] = {"$ref": f"#/components/{section}/{name}"}


def _choose_name(wanted: str, taken: Json) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name


def _find_headers(operation: Json) -> Iterator[Place]:
    for response in operation["responses"].values():
        for name in response.get("headers", {}):
            yield Place(response["headers"], name, name)


def _find_parameters(operation: Json) -> Iterator[Place]:
    parameters = operation.get("parameters", [])
    for index, parameter in enumerate(parameters):
        yield Place(parameters, index, parameter["name"])


def _find_responses(operation: Json) -> Iterator[Place]:
    """Name a response after its group and status: ``404``, ``Topic404``, ``OAuth401``."""
    for status, response in operation["responses"].items():
        schemas = [content.get("schema", {}) for content in response.get("content", {}).values()]
        schema = schemas[0].get("$ref", "").rpartition("/")[2] if schemas else ""
        group = schema.removesuffix("Problem").removesuffix("Error")
        yield Place(operation["responses"], status, f"{group}{status}")
