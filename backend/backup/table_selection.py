"""Selects the tables of a store that belong in an archive."""

import functools
import tempfile
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend import migrations
from backend.documents.tables import document_terms
from backend.migrations.declared_tables import is_declared
from backend.store.database import Database

VERSION_TABLE = "alembic_version"
REBUILT_TABLES = frozenset({document_terms.name, VERSION_TABLE})
"""Tables that the service rebuilds; the full-text indexes are others."""


@functools.cache
def list_tables_at(revision: str) -> frozenset[str]:
    """List the names of the tables that an archive of schema ``revision`` contains.

    Migrates a temporary store, because only the migrations define the table names of a revision.
    """
    with tempfile.TemporaryDirectory(prefix="chainproof-schema-") as folder:
        database = Database(f"sqlite:///{Path(folder) / 'schema.db'}")
        try:
            with database.write() as connection:
                migrations.upgrade_in_transaction(connection, revision)
                names = sa.inspect(connection).get_table_names()
        finally:
            database.dispose()
    return frozenset(name for name in names if is_declared(name)) - REBUILT_TABLES


def reflect_tables(connection: Connection, names: frozenset[str]) -> list[sa.Table]:
    """Reflect the tables of the store; referenced tables come before those that refer to them."""
    metadata = sa.MetaData()
    existing = set(sa.inspect(connection).get_table_names())
    metadata.reflect(connection, only=sorted(names & existing), resolve_fks=False)
    return metadata.sorted_tables


def find_generated_id(table: sa.Table) -> sa.Column[int] | None:
    """Find the column whose values the store generates, if there is one."""
    column = table.autoincrement_column
    return column if column is not None and isinstance(column.type, sa.Integer) else None
