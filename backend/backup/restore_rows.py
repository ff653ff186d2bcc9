"""Putting the rows of an archive into a store that is empty, in the caller's one transaction."""

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend import migrations
from backend.backup.archive import ArchiveReader, TablePart
from backend.backup.table_selection import counted_ids, names_at, reflected
from backend.backup.value_encoding import reader
from backend.documents.store import DocumentStore
from backend.errors import BadRequest
from backend.jobs.transitions import reset_unfinished
from backend.store.database import Database, change_counters
from backend.topics.store.topic_store import index_outdated
from backend.topics.tables import topic_texts

ROWS_AT_ONCE = 2_000
GAP = 1_000_000_000
"""Added to the change counters, by which answers are told apart in caches: no number that the former store
has given out comes again with other content."""


def load(connection: Connection, archive: ArchiveReader) -> None:
    """Make the schema of the archive, put its rows in, and bring both to the newest schema."""
    revision = archive.manifest.schema
    migrations.upgrade_in_transaction(connection, revision)
    parts = {table.name: table for table in archive.manifest.tables}
    tables = reflected(connection, names_at(revision))
    if {table.name for table in tables} != set(parts):
        raise BadRequest(f"{archive.file} does not hold the tables of its schema {revision}.")
    for table in tables:
        _fill(connection, table, archive, parts[table.name])
    migrations.upgrade_in_transaction(connection)
    _set_to_work(connection)


def index_anew(database: Database, *, now: datetime) -> None:
    """Make the full-text indexes. What is left undone here is done by the service at its start."""
    DocumentStore(database).reindex()
    index_outdated(database, now=now, most=sys.maxsize)


def _set_to_work(connection: Connection) -> None:
    """What must not be as it was: caches, the index of topics, and jobs that somebody was at."""
    gap = sa.update(change_counters).where(change_counters.c.topic != migrations.OLDEST_SUPPORTED_COUNTER)
    connection.execute(gap.values(n=change_counters.c.n + GAP))
    connection.execute(sa.update(topic_texts).values(indexed=None))
    reset_unfinished(connection)


def _fill(connection: Connection, table: sa.Table, archive: ArchiveReader, part: TablePart) -> None:
    if {column.name for column in table.columns} != set(part.columns):
        raise BadRequest(f"{archive.file} does not hold the columns of table {table.name} in its schema.")
    columns = [table.c[name] for name in part.columns]
    rows = _read(columns, archive.rows(part))
    if connection.dialect.name == "sqlite":
        _insert(connection, table, columns, rows)
    else:
        _copy(connection, table, columns, rows)
        _count_on(connection, table, part)


def _read(columns: Sequence[sa.Column[Any]], rows: Iterator[list[Any]]) -> Iterator[list[Any]]:
    readers = [(place, read) for place, column in enumerate(columns) if (read := reader(column)) is not None]
    for row in rows:
        for place, read in readers:
            row[place] = read(row[place])
        yield row


def _insert(
    connection: Connection, table: sa.Table, columns: Sequence[sa.Column[Any]], rows: Iterator[list[Any]]
) -> None:
    """By the driver itself, which takes each value as it stands."""
    quote = connection.dialect.identifier_preparer.quote
    names = ", ".join(quote(column.name) for column in columns)
    places = ", ".join("?" * len(columns))
    statement = f"INSERT INTO {quote(table.name)} ({names}) VALUES ({places})"  # noqa: S608 - quoted names
    while some := [tuple(row) for row in islice(rows, ROWS_AT_ONCE)]:
        connection.exec_driver_sql(statement, some)


def _copy(
    connection: Connection, table: sa.Table, columns: Sequence[sa.Column[Any]], rows: Iterator[list[Any]]
) -> None:
    quote = connection.dialect.identifier_preparer.quote
    names = ", ".join(quote(column.name) for column in columns)
    raw = connection.connection.driver_connection
    assert raw is not None
    try:
        with raw.cursor() as cursor, cursor.copy(f"COPY {quote(table.name)} ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    except psycopg.DataError as error:  # a NUL in a text, which SQLite takes and PostgreSQL does not
        reason = " ".join(str(error).split())
        raise BadRequest(f"PostgreSQL does not take in a row of table {table.name}: {reason}") from None


def _count_on(connection: Connection, table: sa.Table, part: TablePart) -> None:
    """Let PostgreSQL count ids on from where they were."""
    column = counted_ids(table)
    if column is None:
        return
    highest = connection.execute(sa.select(sa.func.max(column))).scalar()
    last = max(highest or 0, part.last_id or 0)
    if last:
        sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
        connection.execute(sa.select(sa.func.setval(sequence, last)))
