"""Loads the rows of an archive into an empty store, within the caller's transaction."""

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend import migrations
from backend.backup.archive import ArchivedTable, ArchiveReader
from backend.backup.table_selection import find_generated_id, list_tables_at, reflect_tables
from backend.backup.value_encoding import get_decoder
from backend.documents.store import DocumentStore
from backend.errors import BadRequest
from backend.jobs.transitions import reset_unfinished
from backend.store.database import Database, change_counters
from backend.topics.store.topic_store import index_outdated
from backend.topics.tables import topic_texts

BATCH_ROWS = 2_000
COUNTER_OFFSET = 1_000_000_000
"""Added to the change counters, which are part of cache keys, so that no value of the former store returns
with other content."""


def load_rows(connection: Connection, archive: ArchiveReader) -> None:
    """Create the archive's schema, insert its rows, and upgrade to the newest schema."""
    revision = archive.manifest.schema
    migrations.upgrade_in_transaction(connection, revision)
    archived_tables = {table.name: table for table in archive.manifest.tables}
    tables = reflect_tables(connection, list_tables_at(revision))
    if {table.name for table in tables} != set(archived_tables):
        raise BadRequest(
            f"{archive.file} does not contain the tables of its schema {revision}. Use another backup."
        )
    for table in tables:
        _load_table(connection, table, archive, archived_tables[table.name])
    migrations.upgrade_in_transaction(connection)
    _reset_state(connection)


def rebuild_indexes(database: Database, *, now: datetime) -> None:
    """Build the full-text indexes. If this is interrupted, the service completes it at its start."""
    DocumentStore(database).reindex()
    index_outdated(database, now=now, limit=sys.maxsize)


def _reset_state(connection: Connection) -> None:
    """Reset state that must not survive a restore: cache keys, the topic index, running jobs."""
    counters = sa.update(change_counters).where(
        change_counters.c.topic != migrations.OLDEST_SUPPORTED_COUNTER
    )
    connection.execute(counters.values(n=change_counters.c.n + COUNTER_OFFSET))
    connection.execute(sa.update(topic_texts).values(indexed=None))
    reset_unfinished(connection)


def _load_table(
    connection: Connection, table: sa.Table, archive: ArchiveReader, archived: ArchivedTable
) -> None:
    if {column.name for column in table.columns} != set(archived.columns):
        raise BadRequest(
            f"{archive.file} does not contain all columns of table {table.name}. Use another backup."
        )
    columns = [table.c[name] for name in archived.columns]
    rows = _decode(columns, archive.read_rows(archived))
    if connection.dialect.name == "sqlite":
        _insert(connection, table, columns, rows)
    else:
        _copy(connection, table, columns, rows)
        _set_sequence(connection, table, archived)


def _decode(columns: Sequence[sa.Column[Any]], rows: Iterator[list[Any]]) -> Iterator[list[Any]]:
    decoders = [
        (index, decode) for index, column in enumerate(columns) if (decode := get_decoder(column)) is not None
    ]
    for row in rows:
        for index, decode in decoders:
            row[index] = decode(row[index])
        yield row


def _insert(
    connection: Connection, table: sa.Table, columns: Sequence[sa.Column[Any]], rows: Iterator[list[Any]]
) -> None:
    """Insert through the driver itself, which takes each value unchanged."""
    quote = connection.dialect.identifier_preparer.quote
    names = ", ".join(quote(column.name) for column in columns)
    placeholders = ", ".join("?" * len(columns))
    statement = f"INSERT INTO {quote(table.name)} ({names}) VALUES ({placeholders})"  # noqa: S608 - quoted names
    while batch := [tuple(row) for row in islice(rows, BATCH_ROWS)]:
        connection.exec_driver_sql(statement, batch)


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
    except psycopg.DataError as error:  # such as a NUL in a text, which only SQLite accepts
        reason = " ".join(str(error).split())
        raise BadRequest(f"PostgreSQL refuses a row of table {table.name}: {reason}") from None


def _set_sequence(connection: Connection, table: sa.Table, archived: ArchivedTable) -> None:
    """Let PostgreSQL generate ids from the archived last id on."""
    column = find_generated_id(table)
    if column is None:
        return
    highest = connection.execute(sa.select(sa.func.max(column))).scalar()
    last = max(highest or 0, archived.last_id or 0)
    if last:
        sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
        connection.execute(sa.select(sa.func.setval(sequence, last)))
