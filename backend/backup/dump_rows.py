"""Writes the rows of a store to an archive, from one snapshot, without blocking writers."""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend import migrations
from backend.backup.archive import TABLES_PREFIX, ArchivedTable, ArchiveWriter
from backend.backup.table_selection import find_generated_id, list_tables_at, reflect_tables
from backend.backup.value_encoding import encode
from backend.errors import Conflict
from backend.store.database import Database

BATCH_ROWS = 1_000


@contextmanager
def open_snapshot(database: Database) -> Iterator[Connection]:
    """Open a transaction that sees the store as of its first query; later commits of others are invisible.

    In SQLite's WAL mode every read transaction is such a snapshot; PostgreSQL needs REPEATABLE READ. Neither
    blocks writers.
    """
    if database.is_sqlite:
        with database.read() as connection:
            yield connection
        return
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with database.engine.connect().execution_options(**options) as connection:
        yield connection


def require_known_revision(connection: Connection) -> str:
    """Return the revision of the store.

    Raises :class:`Conflict` if the store is empty, or if this version does not know its tables.
    """
    revision = migrations.find_revision(connection)
    if revision is None:
        raise Conflict("There is nothing to back up: the data store is empty.", code="nothing_there")
    if not migrations.is_known(revision):
        raise Conflict(
            f"The data store is at schema {revision}, which this version does not know. "
            "Back it up with the version that made it.",
            code="newer_schema",
        )
    return revision


def dump_tables(connection: Connection, archive: ArchiveWriter, revision: str) -> list[ArchivedTable]:
    """Write every table as the snapshot of ``connection`` contains it."""
    return [
        _dump_table(connection, archive, table)
        for table in reflect_tables(connection, list_tables_at(revision))
    ]


def _dump_table(connection: Connection, archive: ArchiveWriter, table: sa.Table) -> ArchivedTable:
    row_count = 0

    def encode_chunks() -> Iterator[bytes]:
        nonlocal row_count
        # In the order of the primary key, so that equal tables give identical members.
        query = sa.select(table).order_by(*table.primary_key.columns)
        result = connection.execution_options(yield_per=BATCH_ROWS).execute(query)
        for rows in result.partitions():
            row_count += len(rows)
            lines = [msgspec.json.encode([encode(value) for value in row]) for row in rows]
            yield b"\n".join([*lines, b""])

    member = archive.add(f"{TABLES_PREFIX}{table.name}.jsonl", encode_chunks())
    columns = [str(column.name) for column in table.columns]
    return ArchivedTable(str(table.name), columns, row_count, member, _find_last_id(connection, table))


def _find_last_id(connection: Connection, table: sa.Table) -> int | None:
    """Find the last generated id. Call this after reading the rows, so that no row has a higher id."""
    column = find_generated_id(table)
    if column is None:
        return None
    if connection.dialect.name == "sqlite":
        return connection.execute(sa.select(sa.func.max(column))).scalar()
    sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
    return connection.execute(sa.select(sa.func.pg_sequence_last_value(sa.cast(sequence, sa.Text)))).scalar()
