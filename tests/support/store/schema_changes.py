"""Finds schema changes that break a service which only knows the older schema."""

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
        return migrations.find_revision(connection) == migrations.find_newest_revision()


def read_schema(connection: Connection) -> Schema:
    """Read columns and constraints of each table, in a form for comparison."""
    inspector = sa.inspect(connection)
    return {
        name: {
            "columns": {column["name"]: column for column in inspector.get_columns(name)},
            "unique": _named_columns(inspector.get_unique_constraints(name))
            | {tuple(index["column_names"]) for index in inspector.get_indexes(name) if index["unique"]},
            "foreign": {tuple(key["constrained_columns"]) for key in inspector.get_foreign_keys(name)},
            "check": {check["sqltext"] for check in inspector.get_check_constraints(name)},
        }
        for name in inspector.get_table_names()
    }


def find_breaking_changes(before: Schema, after: Schema) -> Iterator[str]:
    """Describe each change that breaks the older service."""
    for name, table in before.items():
        if name not in after:
            yield f"table {name} is gone"
            continue
        yield from _compare_tables(name, table, after[name])


def _compare_tables(name: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    for column, old in before["columns"].items():
        new = after["columns"].get(column)
        if new is None:
            yield f"column {name}.{column} is gone"
        elif str(new["type"]) != str(old["type"]):
            yield f"column {name}.{column} has another type"
        elif old["nullable"] and not new["nullable"]:
            yield f"column {name}.{column} no longer accepts null"
        elif old["default"] is not None and new["default"] is None:
            yield f"column {name}.{column} no longer has a default"
    for column in after["columns"].keys() - before["columns"].keys():
        added = after["columns"][column]
        if not added["nullable"] and added["default"] is None:
            yield f"column {name}.{column} is new and requires a value"
    for kind in ("unique", "foreign", "check"):
        for constraint in after[kind] - before[kind]:
            columns = constraint if isinstance(constraint, tuple) else before["columns"]
            if set(columns) & before["columns"].keys():
                yield f"table {name} has a new constraint ({kind}): {constraint}"


def _named_columns(constraints: Any) -> set[tuple[str, ...]]:
    return {tuple(constraint["column_names"]) for constraint in constraints}
