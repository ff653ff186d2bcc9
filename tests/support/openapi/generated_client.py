"""Generates a Python client from the OpenAPI document and calls its functions by operation."""

import importlib
import inspect
import re
import subprocess
import sys
import types
import typing
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson

PACKAGE = "chainproof_client"
CONFIGURATION = """\
post_hooks: []
content_type_overrides:
  application/atom+xml: application/octet-stream
  image/svg+xml: application/octet-stream
"""
"""The generator knows JSON, text and bytes alone."""


def generate_python_client(document: Mapping[str, Any], folder: Path) -> str:
    """Write the package into ``folder`` and return the words of the generator."""
    (folder / "openapi.json").write_bytes(orjson.dumps(document))
    (folder / "configuration.yaml").write_text(CONFIGURATION)
    program = Path(sys.executable).with_name("openapi-python-client")
    result = subprocess.run(
        [
            *(program, "generate", "--path", "openapi.json", "--output-path", PACKAGE, "--meta", "none"),
            *("--config", "configuration.yaml"),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout + result.stderr


def call_generated(folder: Path, client: Any, call: Any) -> Any:
    """Call the function of an operation; returns its response with ``status_code`` and ``parsed``."""
    name = re.sub(r"([A-Z])", r"_\1", call.operation_id).lower()
    [file] = (folder / PACKAGE / "api").glob(f"*/{name}.py")
    function: Any = importlib.import_module(f"{PACKAGE}.api.{file.parent.name}.{file.stem}").sync_detailed
    sent = {name: value for place in call.values.values() for name, value in place.items()}
    sent |= {} if call.body is None else {"body": call.body}
    arguments = {}
    for name, value in sent.items():
        [parameter] = [
            parameter
            for parameter in inspect.signature(function).parameters.values()
            if parameter.name.rstrip("_") == name.lower().replace("-", "_")  # such as ``from_``
        ]
        arguments[parameter.name] = convert(value, parameter.annotation)
    return function(client=client.with_headers(call.headers), **arguments)


def convert(value: Any, annotation: Any) -> Any:
    """Convert a JSON value to the type of an argument. Raises ``TypeError`` if no type fits."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        for option in typing.get_args(annotation):
            try:
                return convert(value, option)
            except (KeyError, TypeError, ValueError):
                continue
        raise TypeError(f"{value!r} is not {annotation}")
    if typing.get_origin(annotation) is list:
        [item] = typing.get_args(annotation)
        if not isinstance(value, list):
            raise TypeError(f"{value!r} is not a list")
        return [convert(part, item) for part in value]
    if annotation is datetime:
        return datetime.fromisoformat(value)
    if isinstance(value, dict):
        return annotation.from_dict(value)
    if annotation is UUID or issubclass(annotation, Enum):
        return annotation(value)
    if not isinstance(value, annotation):
        raise TypeError(f"{value!r} is not {annotation}")
    return value
