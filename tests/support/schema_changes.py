"""What the step from one schema to the next would break for a service that only knows the first."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend import migrations
from backend.store.database import Database

Schema = dict[str, dict[str, Any]]


def is_current(database: Database) -> bool:
    """Whether the store is at the newest revision."""
    with database.read() as connection:
        return migrations.revision_of(connection) == migrations.newest_revision()


def schema_of(connection: Connection) -> Schema:
    """Columns and constraints of each table, in a form that is compared."""
    look = sa.inspect(connection)
    return {
        name: {
            "columns": {column["name"]: column for column in look.get_columns(name)},
            "unique": _named_columns(look.get_unique_constraints(name))
            | {tuple(index["column_names"]) for index in look.get_indexes(name) if index["unique"]},
            "foreign": {tuple(key["constrained_columns"]) for key in look.get_foreign_keys(name)},
            "check": {check["sqltext"] for check in look.get_check_constraints(name)},
        }
        for name in look.get_table_names()
    }


def breaks(before: Schema, after: Schema) -> Iterator[str]:
    """A sentence for each thing that the older service would stumble over."""
    for name, table in before.items():
        if name not in after:
            yield f"table {name} is gone"
            continue
        yield from _breaks(name, table, after[name])


def _breaks(name: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    for column, was in before["columns"].items():
        now = after["columns"].get(column)
        if now is None:
            yield f"column {name}.{column} is gone"
        elif str(now["type"]) != str(was["type"]):
            yield f"column {name}.{column} has another type"
        elif was["nullable"] and not now["nullable"]:
            yield f"column {name}.{column} takes no null any more"
        elif was["default"] is not None and now["default"] is None:
            yield f"column {name}.{column} has no default any more"
    for column in after["columns"].keys() - before["columns"].keys():
        new = after["columns"][column]
        if not new["nullable"] and new["default"] is None:
            yield f"column {name}.{column} is new and must be given"
    for kind, words in (("unique", "unique"), ("foreign", "a foreign key"), ("check", "checked")):
        for what in after[kind] - before[kind]:
            if set(what if isinstance(what, tuple) else before["columns"]) & before["columns"].keys():
                yield f"{name} has something {words} that was not: {what}"


def _named_columns(constraints: Any) -> set[tuple[str, ...]]:
    return {tuple(constraint["column_names"]) for constraint in constraints}
