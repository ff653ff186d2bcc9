"""Which tables go into an archive, as a store of some revision has them."""

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
MADE_AGAIN = frozenset({document_terms.name, VERSION_TABLE})
"""Tables whose content the service makes by itself; the full-text indexes are others."""


@functools.cache
def names_at(revision: str) -> frozenset[str]:
    """The tables that the migrations up to ``revision`` make and that an archive holds.

    Asked of a store that is made for it, since what a table is called is written there alone.
    """
    with tempfile.TemporaryDirectory(prefix="chainproof-schema-") as folder:
        database = Database(f"sqlite:///{Path(folder) / 'schema.db'}")
        try:
            with database.write() as connection:
                migrations.upgrade_in_transaction(connection, revision)
                found = sa.inspect(connection).get_table_names()
        finally:
            database.dispose()
    return frozenset(name for name in found if is_declared(name)) - MADE_AGAIN


def reflected(connection: Connection, names: frozenset[str]) -> list[sa.Table]:
    """The tables as the store has them, those that others refer to first."""
    found = sa.MetaData()
    there = set(sa.inspect(connection).get_table_names())
    found.reflect(connection, only=sorted(names & there), resolve_fks=False)
    return found.sorted_tables


def counted_ids(table: sa.Table) -> sa.Column[int] | None:
    """The column that the store counts up by itself, if there is one."""
    column = table.autoincrement_column
    return column if column is not None and isinstance(column.type, sa.Integer) else None
