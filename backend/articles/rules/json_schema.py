"""Builds the JSON Schema of a pack, for editors that complete and validate YAML.

It is generated from the model classes and the docstrings of their fields.
"""

import ast
import inspect
import json
import textwrap
from itertools import pairwise
from typing import Any

from pydantic import BaseModel

from backend.articles.model import Pack, Pattern, Rule, RuleExample
from backend.entities.model import Entity, FormerName, NameCondition

_MODELS: tuple[type[BaseModel], ...] = (Pack, Rule, Pattern, RuleExample, Entity, FormerName, NameCondition)


def build_schema() -> dict[str, Any]:
    """Build the schema, draft 2020-12."""
    generated = Pack.model_json_schema(by_alias=True)
    for model in _MODELS:
        own = generated if model is Pack else generated["$defs"][model.__name__]
        own.pop("description", None)
        for name, words in _field_docstrings(model).items():
            field = own["properties"][model.model_fields[name].alias or name]
            field["description"] = words
        for field in own["properties"].values():
            field.pop("title", None)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Chainproof pack",
        "description": "Naming rules and facts about entities, as one YAML file.",
    }
    return {**head, **{key: value for key, value in generated.items() if key not in head}}


def as_text() -> str:
    """Format the schema as it is published."""
    return json.dumps(build_schema(), indent=2, ensure_ascii=False) + "\n"


def _field_docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Map the fields of ``model`` to their docstrings."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    owner = tree.body[0]
    body = owner.body if isinstance(owner, ast.ClassDef) else []
    found: dict[str, str] = {}
    for statement, below in pairwise(body):
        match statement, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(words))),
            ) if name in model.model_fields:
                found[name] = " ".join(words.replace("``", "`").split())
    return found
