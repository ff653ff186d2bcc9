"""Writes ``docs/settings.md`` from the settings model: ``python -m docs.settings``."""

import ast
import inspect
import itertools
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from backend.settings import Settings, fields
from backend.settings.accepted_values import describe_accepted_values, get_variable_name, is_secret
from backend.settings.sources import DOCUMENTED_VARIABLES

FILE = Path(__file__).with_name("settings.md")
INTRODUCTION = """# Settings

<!-- Made by `python -m docs.settings` from backend/settings/fields.py. Change it there. -->

Chainproof needs no settings. Each one is read from the first of these places that has it:

1. The environment variable below. An empty variable counts as unset.
2. A file of a secret: the variable's name in lower case, such as `chainproof_database_url`, in the
   folder that `CHAINPROOF_SECRETS_DIR` names, or in `/run/secrets`.
3. `chainproof.toml`: the variable's name in lower case without `chainproof_`, such as `port = 9000`. It is
   the file that `CHAINPROOF_CONFIG` names, or else the one in the working folder, or else the one in the
   data folder.

A value that is not accepted stops the program with exit code 2, as does a named file or folder that is
missing. The message names the place, the value and the accepted form, but never the value of a secret. An
unknown name has no effect, and programs warn about it at start. `chainproof doctor` checks all settings
without starting anything.
"""


def render() -> str:
    """The whole document, in Markdown."""
    described, parts = _docstrings(), [INTRODUCTION]
    for name, field in Settings.model_fields.items():
        if name in fields.SECTIONS:
            parts.append(f"\n## {fields.SECTIONS[name]}\n")
        parts.append(_setting(name, field, described[name]))
    parts.append("\n## Variables that only the environment has\n")
    parts += [f"\n### `{variable}`\n\n{text}\n" for variable, text in DOCUMENTED_VARIABLES.items()]
    return "".join(parts)


def _setting(name: str, field: FieldInfo, description: str) -> str:
    variable = get_variable_name(name, field)
    facts = [f"Accepts {describe_accepted_values(field)}.", f"Default: {_default(field)}."]
    if variable != f"CHAINPROOF_{name.upper()}":
        facts.append(f"In `chainproof.toml`: `{name}`.")
    if is_secret(field):
        facts.append("A secret.")
    return f"\n### `{variable}`\n\n{description}\n\n{' '.join(facts)}\n"


def _default(field: FieldInfo) -> str:
    value: Any = field.default
    if field.default_factory is not None or value is None or value == ():
        return "none" if field.default_factory is None else "see above"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{','.join(value)}`"
    return "none" if isinstance(value, SecretStr) else f"`{value}`"


def _docstrings() -> dict[str, str]:
    """The docstring below each field."""
    tree = ast.parse(inspect.getsource(fields))
    [body] = [
        node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "SettingFields"
    ]
    found = {}
    for statement, text in itertools.pairwise(body):
        match statement, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                found[name] = inspect.cleandoc(words).replace("``", "`")
    return found


if __name__ == "__main__":
    FILE.write_text(render(), encoding="utf-8")
