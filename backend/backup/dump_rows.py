"""Reading a store into an archive, as one snapshot, while others write."""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend import migrations
from backend.backup.archive import TABLES, ArchiveWriter, TablePart
from backend.backup.table_selection import counted_ids, names_at, reflected
from backend.backup.value_encoding import written
from backend.errors import Conflict
from backend.store.database import Database

ROWS_AT_ONCE = 1_000


@contextmanager
def snapshot(database: Database) -> Iterator[Connection]:
    """A transaction that sees the store as it is at its first question, whatever others commit meanwhile.

    On SQLite every reading transaction does, in WAL mode; it keeps no writer waiting on either.
    """
    if database.is_sqlite:
        with database.read() as connection:
            yield connection
        return
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with database.engine.connect().execution_options(**options) as connection:
        yield connection


def revision_to_dump(connection: Connection) -> str:
    """The revision of the store, which this version must know all tables of."""
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


def dump(connection: Connection, archive: ArchiveWriter, revision: str) -> list[TablePart]:
    """Every table as the snapshot of ``connection`` has it."""
    return [_table(connection, archive, table) for table in reflected(connection, names_at(revision))]


def _table(connection: Connection, archive: ArchiveWriter, table: sa.Table) -> TablePart:
    counted = 0

    def pieces() -> Iterator[bytes]:
        nonlocal counted
        # In the order of the key, so that the same content makes the same part.
        look = sa.select(table).order_by(*table.primary_key.columns)
        found = connection.execution_options(yield_per=ROWS_AT_ONCE).execute(look)
        for rows in found.partitions():
            counted += len(rows)
            lines = [msgspec.json.encode([written(value) for value in row]) for row in rows]
            yield b"\n".join([*lines, b""])

    part = archive.add(f"{TABLES}{table.name}.jsonl", pieces())
    columns = [str(column.name) for column in table.columns]
    return TablePart(str(table.name), columns, counted, part, _last_id(connection, table))


def _last_id(connection: Connection, table: sa.Table) -> int | None:
    """Asked after the rows, so that it is no less than any id among them."""
    column = counted_ids(table)
    if column is None:
        return None
    if connection.dialect.name == "sqlite":
        return connection.execute(sa.select(sa.func.max(column))).scalar()
    sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
    return connection.execute(sa.select(sa.func.pg_sequence_last_value(sa.cast(sequence, sa.Text)))).scalar()
