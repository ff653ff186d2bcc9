"""The JSON Schema of a pack, for editors that complete and check YAML while it is written.

Made from the classes that read packs, with what their docstrings say of each field.
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


def schema() -> dict[str, Any]:
    """The schema, draft 2020-12."""
    made = Pack.model_json_schema(by_alias=True)
    for model in _MODELS:
        own = made if model is Pack else made["$defs"][model.__name__]
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
    return {**head, **{key: value for key, value in made.items() if key not in head}}


def as_text() -> str:
    """The schema as it is published."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _field_docstrings(model: type[BaseModel]) -> dict[str, str]:
    """What the string below each field of ``model`` says."""
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
